import { ageBands } from '../age-bands.ts'
import type { ChartTemplate } from '../template.ts'
import { fromThirdYear, gainsAndLosses, level, overPrice, smoothed, stack, zone } from './parts.ts'

export const coinDayTemplates = {
  coindays_destroyed: {
    title: 'Coin days destroyed',
    subtitle: 'Coins spent times their age in days; spikes show old coins moving, often to be sold near tops.',
    ...overPrice({ coindays_destroyed: 'Coin days' }, { style: 'bar', opacity: 0.75 }),
    range: '1y',
  },
  coindays_destroyed_90d: {
    title: 'Coin days destroyed in 90 days',
    subtitle: 'Sum of 90 days of coin days destroyed; high while patient holders sell, low while they wait.',
    ...overPrice({ coindays_destroyed_90d_sum: 'Coin days in 90 days' }),
  },
  binary_cdd: {
    title: 'Days on which more old coins moved than usual',
    subtitle: 'Share of the last 30 days above the mean so far; near 1, long-term holders spend day after day.',
    ...overPrice(
      { binary_cdd_30d_sma: 'Share of days' },
      { yAxis: { id: 'part', side: 'left', format: 'percent', domain_min: 0, domain_max: 1 } },
    ),
    range: '4y',
  },
  dormancy: {
    title: 'Dormancy',
    subtitle: 'Average age in days of the coins spent; it rises when long-held coins come to market.',
    ...smoothed('dormancy', 'days', [30, 365]),
    scale: 'log',
    overlay: 'price',
  },
  dormancy_flow: {
    title: 'Dormancy flow',
    subtitle:
      'Market cap divided by a year of dormancy in dollars; below 250,000 the market has bottomed in every cycle.',
    ...overPrice({ dormancy_flow: 'Dormancy flow' }),
    scale: 'log',
    reference_lines: [level(250_000, 'Market bottoms')],
  },
  liveliness: {
    title: 'Liveliness',
    subtitle:
      'Coin days destroyed over all ever created; it rises while old coins are spent and falls while they are held.',
    ...overPrice({ liveliness: 'Liveliness' }),
  },
  hodler_position: {
    title: 'Net position change of holders',
    subtitle: 'Coins that grew older in 30 days minus those spent; below zero, holders give up coins.',
    ...overPrice({ hodler_net_position_change: 'Change' }, gainsAndLosses),
    range: '4y',
  },
  revived_supply: {
    title: 'Revived supply',
    subtitle: 'Coins spent each day after a year or more at rest; they come in waves when prices rise.',
    ...smoothed('spent_volume_over_1y', 'BTC'),
    overlay: 'price',
    range: '4y',
  },
  spent_volume_by_age: {
    title: 'Spent volume by age',
    subtitle:
      'Coins older than a week that were spent each month, as shares; old bands widen in rises that tempt holders.',
    metrics: stack('spent_volume', ageBands, { style: 'bar' }).slice(2),
    stacked: 'percent',
    range: '4y',
    interval: 'month',
    labels: 'direct',
  },
  vdd_multiple: {
    title: 'Value days destroyed multiple',
    subtitle:
      'Value days destroyed in a month over those in a year; above 2.9, old coins come to market, as near tops.',
    ...overPrice({ vdd_multiple: 'VDD multiple' }, { yAxis: { id: 'ratio', side: 'left', ceiling: 6 } }),
    reference_areas: [zone(2.9, undefined, 'overheated', 'Heavy selling of old coins')],
  },
  reserve_risk: {
    title: 'Reserve risk',
    subtitle: 'Price over the confidence of holders who do not sell; low when confidence is high and the price is not.',
    ...overPrice({ reserve_risk: 'Reserve risk' }),
    ...fromThirdYear,
    scale: 'log',
  },
  rhodl_ratio: {
    title: 'RHODL ratio',
    subtitle:
      'Realized cap of week-old coins divided by that of 1 to 2 years; high when newcomers hold most of the value.',
    ...overPrice({ rhodl_ratio: 'RHODL ratio' }),
    ...fromThirdYear,
    scale: 'log',
  },
  transfer_volume: {
    title: 'Value moved on chain',
    subtitle: 'Dollars moved each day; it grows with both use and price.',
    ...smoothed('transfer_volume_usd', 'USD', [30, 365]),
    scale: 'log',
    overlay: 'price',
  },
} satisfies Record<string, ChartTemplate>
