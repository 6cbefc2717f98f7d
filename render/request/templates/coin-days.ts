import type { ChartTemplate } from '../template.ts'
import { gainsAndLosses, level, red, smoothed, zone } from './parts.ts'

export const coinDayTemplates = {
  coindays_destroyed: {
    title: 'Coin days destroyed',
    subtitle: 'Coins spent times their age; spikes show old coins moving, near tops to sell.',
    metrics: [{ id: 'coindays_destroyed', label: 'Coin days', style: 'bar', opacity: 0.75 }],
    overlay: 'price',
    range: '1y',
  },
  coindays_destroyed_90d: {
    title: 'Coin days destroyed in 90 days',
    subtitle: 'Old coins on the move, summed over a quarter; high while patient holders sell, low while they wait.',
    metrics: [{ id: 'coindays_destroyed_90d_sum', label: 'Coin days in 90 days' }],
    overlay: 'price',
  },
  binary_cdd: {
    title: 'Days on which more old coins moved than usual',
    subtitle: 'Share of the last 30 days above the mean so far; near one old holders spend day after day.',
    metrics: [{ id: 'binary_cdd_30d_sma', label: 'Share of days', axisId: 'part' }],
    axes: [{ id: 'part', side: 'left', format: 'percent', domainMinimum: 0, domainMaximum: 1 }],
    overlay: 'price',
    range: '4y',
  },
  dormancy: {
    title: 'Dormancy',
    subtitle: 'Mean age in days of the coins spent, mean of 30 days; it rises when long-held coins come to market.',
    ...smoothed('dormancy', 'Daily', 30, 'days'),
    scale: 'log',
    overlay: 'price',
  },
  dormancy_flow: {
    title: 'Dormancy flow',
    subtitle: 'Market cap over the yearly value of dormancy; below 250,000 the market has bottomed in every cycle.',
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
    subtitle: 'Coins that grow older in 30 days, less those that are spent; below zero holders give up coins.',
    metrics: [{ id: 'hodler_net_position_change', label: 'Change', ...gainsAndLosses }],
    overlay: 'price',
    range: '4y',
  },
  revived_supply: {
    title: 'Revived supply',
    subtitle: 'Coins spent after lying for a year or more, mean of 30 days; waves of it come with rising prices.',
    ...smoothed('revived_supply_1y', 'Daily', 30, 'BTC'),
    overlay: 'price',
    range: '4y',
  },
  vdd_multiple: {
    title: 'Value days destroyed multiple',
    subtitle:
      'Value of old coins spent in a month over that of a year; above 2.9 they come to market as they do near tops.',
    metrics: [{ id: 'vdd_multiple', label: 'VDD multiple', axisId: 'ratio' }],
    axes: [{ id: 'ratio', side: 'left', ceiling: 6 }],
    overlay: 'price',
    referenceAreas: [zone(2.9, undefined, red, 'Heavy selling of old coins')],
  },
  reserve_risk: {
    title: 'Reserve risk',
    subtitle:
      'Price over the conviction of holders who do not sell; low where confidence is high and the price is not.',
    metrics: [{ id: 'reserve_risk', label: 'Reserve risk' }],
    scale: 'log',
    overlay: 'price',
  },
  rhodl_ratio: {
    title: 'RHODL ratio',
    subtitle: 'Money in coins of a week over that in coins of one to two years; high where newcomers hold the market.',
    metrics: [{ id: 'rhodl_ratio', label: 'RHODL ratio' }],
    scale: 'log',
    overlay: 'price',
  },
  transfer_volume: {
    title: 'Value moved on chain',
    subtitle: 'Dollars sent each day, mean of 30 days; it grows with use and price alike.',
    ...smoothed('transfer_volume_usd', 'Daily', 30, 'USD'),
    scale: 'log',
    overlay: 'price',
  },
} as const satisfies Record<string, ChartTemplate>
