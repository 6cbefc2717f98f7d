import type { ChartTemplate } from '../template.ts'
import { red } from './colors.ts'
import { gainsAndLosses, level, overPrice, smoothed, zone } from './parts.ts'

export const coinDayTemplates = {
  coindays_destroyed: {
    title: 'Coin days destroyed',
    subtitle: 'Coins spent times their age in days; spikes show old coins moving, often to be sold near tops.',
    metrics: [{ id: 'coindays_destroyed', label: 'Coin days', style: 'bar', opacity: 0.75 }],
    overlay: 'price',
    range: '1y',
  },
  coindays_destroyed_90d: {
    title: 'Coin days destroyed in 90 days',
    subtitle: 'Sum of 90 days of coin days destroyed; high while patient holders sell, low while they wait.',
    metrics: [{ id: 'coindays_destroyed_90d_sum', label: 'Coin days in 90 days' }],
    overlay: 'price',
  },
  binary_cdd: {
    title: 'Days on which more old coins moved than usual',
    subtitle: 'Share of the last 30 days above the mean so far; near 1, long-term holders spend day after day.',
    ...overPrice(
      { binary_cdd_30d_sma: 'Share of days' },
      { id: 'part', side: 'left', format: 'percent', domainMinimum: 0, domainMaximum: 1 },
    ),
    range: '4y',
  },
  dormancy: {
    title: 'Dormancy',
    subtitle: 'Average age in days of the coins spent, 30-day mean; it rises when long-held coins come to market.',
    ...smoothed('dormancy', 'Daily', 30, 'days'),
    scale: 'log',
    overlay: 'price',
  },
  dormancy_flow: {
    title: 'Dormancy flow',
    subtitle:
      'Market cap divided by a year of dormancy in dollars; below 250,000 the market has bottomed in every cycle.',
    metrics: [{ id: 'dormancy_flow', label: 'Dormancy flow' }],
    scale: 'log',
    overlay: 'price',
    referenceLines: [level(250_000, 'Market bottoms')],
  },
  liveliness: {
    title: 'Liveliness',
    subtitle:
      'Coin days destroyed over all ever created; it rises while old coins are spent and falls while they are held.',
    metrics: [{ id: 'liveliness', label: 'Liveliness' }],
    overlay: 'price',
  },
  hodler_position: {
    title: 'Net position change of holders',
    subtitle: 'Coins that grew older in 30 days minus those spent; below zero, holders give up coins.',
    metrics: [{ id: 'hodler_net_position_change', label: 'Change', ...gainsAndLosses }],
    overlay: 'price',
    range: '4y',
  },
  revived_supply: {
    title: 'Revived supply',
    subtitle: 'Coins spent after a year or more at rest, 30-day mean; they come in waves when prices rise.',
    ...smoothed('revived_supply_1y', 'Daily', 30, 'BTC'),
    overlay: 'price',
    range: '4y',
  },
  vdd_multiple: {
    title: 'Value days destroyed multiple',
    subtitle:
      'Value days destroyed in a month over those in a year; above 2.9, old coins come to market, as near tops.',
    ...overPrice({ vdd_multiple: 'VDD multiple' }, { id: 'ratio', side: 'left', ceiling: 6 }),
    referenceAreas: [zone(2.9, undefined, red, 'Heavy selling of old coins')],
  },
  reserve_risk: {
    title: 'Reserve risk',
    subtitle: 'Price over the confidence of holders who do not sell; low when confidence is high and the price is not.',
    metrics: [{ id: 'reserve_risk', label: 'Reserve risk' }],
    scale: 'log',
    overlay: 'price',
  },
  rhodl_ratio: {
    title: 'RHODL ratio',
    subtitle:
      'Realized cap of week-old coins divided by that of 1 to 2 years; high when newcomers hold most of the value.',
    metrics: [{ id: 'rhodl_ratio', label: 'RHODL ratio' }],
    scale: 'log',
    overlay: 'price',
  },
  transfer_volume: {
    title: 'Value moved on chain',
    subtitle: 'Dollars moved each day, 30-day mean; it grows with both use and price.',
    ...smoothed('transfer_volume_usd', 'Daily', 30, 'USD'),
    scale: 'log',
    overlay: 'price',
  },
} as const satisfies Record<string, ChartTemplate>
