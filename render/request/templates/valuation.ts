import type { ScaleName } from '#contract/chart-options.ts'
import { ageBands } from '../age-bands.ts'
import type { ChartTemplate } from '../template.ts'
import { blue, orange, red, zoneColors } from './colors.ts'
import {
  extremes,
  formula,
  fromThirdYear,
  gainsAndLosses,
  level,
  lines,
  overPrice,
  shares,
  thinBlue,
  zone,
} from './parts.ts'

const ratiosOverPrice = (names: Readonly<Record<string, string>>, scale: ScaleName = 'linear') => ({
  ...overPrice(names, { yAxis: { id: 'ratio', side: 'left', scale } }),
  ...fromThirdYear,
})

/** Costs near zero, of coins older than the first price, would extend a log axis endlessly. */
const pricesPaid = { id: 'right', side: 'right', floor: 0.05 } as const

export const valuationTemplates = {
  realized_cap: {
    title: 'Realized cap',
    subtitle: 'Every coin at the price of its last move: the money that came in. It falls when holders sell at a loss.',
    ...overPrice({ realized_cap: 'Realized cap' }, { style: 'line' }),
    scale: 'log',
    halvings: true,
  },
  realized_cap_change: {
    title: 'Realized cap, 30-day change',
    subtitle: 'Above zero, money flows in; below, it flows out. The deepest outflows have ended bear markets.',
    ...overPrice(
      { realized_cap_change_30d_percent: 'Change' },
      { ...gainsAndLosses, yAxis: { id: 'ratio', side: 'left' } },
    ),
    ...fromThirdYear,
  },
  realized_price: {
    title: 'Price and the cost basis of its holders',
    subtitle:
      'Average price at which coins last moved; the cost of short-term holders is support in rises, resistance in falls.',
    metrics: [
      'price',
      ...lines({
        realized_price: 'All holders',
        lth_realized_price: 'Long-term',
        sth_realized_price: 'Short-term',
      }),
    ],
    y_axes: [pricesPaid],
    range: '4y',
    labels: 'direct',
  },
  realized_price_by_age: {
    title: 'Realized price by age of coins',
    subtitle:
      'Average cost of coins by age; when young and old coins cost about the same, a bear market is near its end.',
    metrics: [
      { id: 'price', line_width: 2 },
      ...lines(ageBands, { style: 'line', line_width: 1.6 }, 'realized_price_'),
    ].filter(({ id }) => !/_(24h|1d_1w|1w_1m|5y_7y|7y_10y|10y_plus)$/.test(id)),
    y_axes: [pricesPaid],
    range: '4y',
    labels: 'direct',
  },
  realized_price_by_year: {
    title: 'Cost basis by year of purchase',
    subtitle:
      'Average cost of the coins that last moved in each year; a year is at a loss while the price is below it.',
    metrics: [
      { id: 'price', line_width: 2 },
      ...Array.from({ length: 8 }, (_, i) => ({
        id: `realized_price_y${2019 + i}`,
        label: `${2019 + i}`,
        line_width: 1.6,
      })),
    ],
    y_axes: [pricesPaid],
    range: '4y',
    labels: 'direct',
  },
  sth_cost_basis_bands: {
    title: 'Cost basis of short-term holders and its bands',
    subtitle:
      'Cost of coins younger than 155 days; one deviation above, recent buyers take gains, one below, they give up.',
    metrics: [
      { id: 'price', line_width: 1.8 },
      { id: 'sth_realized_price', label: 'Cost basis', color: orange },
    ],
    formulas: Object.entries({ '+ 2': red, '+ 1': zoneColors.neutral, '- 1': blue }).map(([deviations, color]) =>
      formula(`m2 * (1 ${deviations} * std(sth_mvrv, 155))`, `Cost ${deviations} σ`, 'USD', { color, line_width: 1.2 }),
    ),
    reference_areas: [zone('f2', 'f1', 'overheated'), zone('f3', 'm2', 'undervalued')],
    range: '4y',
    labels: 'direct',
  },
  mvrv_price_bands: {
    title: 'MVRV price bands',
    subtitle: 'Prices at which MVRV has a value: above 3, holders have large gains, below 1 they lose on average.',
    metrics: [
      { id: 'price', line_width: 1.8 },
      { id: 'realized_price', label: 'MVRV 1', color: blue },
    ],
    formulas: Object.entries({ 2: zoneColors.neutral, 3: red }).map(([mvrv, color]) =>
      formula(`m2 * ${mvrv}`, `MVRV ${mvrv}`, 'USD', { color }),
    ),
    y_axes: [{ id: 'right', side: 'right', scale: 'log' }],
    reference_areas: [
      zone('m2 * 3', undefined, 'overheated', 'Overheated'),
      zone('m2 * 2', 'm2 * 3', 'warm'),
      zone('m2', 'm2 * 2', 'neutral'),
      zone(undefined, 'm2', 'undervalued', 'Undervalued'),
    ],
    ...fromThirdYear,
    labels: 'direct',
  },
  price_models: {
    title: 'Price models',
    subtitle:
      'What a coin is worth by different models; the price rarely stayed below the lowest or above the highest.',
    metrics: [
      { id: 'price', line_width: 2 },
      ...lines({
        realized_price: 'Realized price',
        true_market_mean: 'True market mean',
        cointime_price: 'Cointime price',
        balanced_price: 'Balanced price',
        cvdd: 'CVDD',
        terminal_price: 'Terminal price',
      }),
    ],
    y_axes: [{ id: 'right', side: 'right', scale: 'log' }],
    range: '4y',
    labels: 'direct',
  },
  cap_models: {
    title: 'Market cap between floor and top models',
    subtitle:
      'Delta cap was below every low, top cap above most tops; thermo cap is what miners were paid in new coins.',
    metrics: [
      { id: 'market_cap', label: 'Market cap', style: 'line', line_width: 2 },
      ...lines(
        { realized_cap: 'Realized cap', thermo_cap: 'Thermo cap', delta_cap: 'Delta cap', top_cap: 'Top cap' },
        { style: 'line' },
      ),
    ],
    y_axes: [{ id: 'left', side: 'left', scale: 'log' }],
    ...fromThirdYear,
    labels: 'direct',
  },
  mvrv_ratio: {
    title: 'MVRV ratio',
    subtitle: 'Market value divided by cost; above 3, holders have large gains, below 1 they lose on average.',
    ...ratiosOverPrice({ mvrv: 'MVRV' }, 'log'),
    halvings: true,
    reference_lines: [level(1, 'Mean cost basis')],
    reference_areas: extremes(3, 1),
  },
  mvrv_z: {
    title: 'MVRV Z-score',
    subtitle: 'Distance of market value from cost, in standard deviations; cycles topped above 6 and bottomed near 0.',
    ...overPrice({ mvrv_z: 'Z-score' }, { yAxis: { id: 'score', side: 'left', ceiling: 12 } }),
    halvings: true,
    reference_areas: extremes(6, 0.1),
  },
  holder_mvrv: {
    title: 'MVRV of long-term and short-term holders',
    subtitle:
      'Value divided by cost of coins held for more and for less than 155 days; below 1, a group loses on average.',
    ...ratiosOverPrice({ lth_mvrv: 'Long-term', sth_mvrv: 'Short-term' }, 'log'),
    reference_lines: [level(1, 'Mean cost basis')],
  },
  sth_mvrv: {
    title: 'MVRV of short-term holders',
    subtitle:
      'Value over cost of recent buyers’ coins; above 1.35 they tend to sell. 1 is support in rises, resistance in falls.',
    ...overPrice({ sth_mvrv: 'Short-term MVRV' }, { yAxis: { id: 'ratio', side: 'left' } }),
    range: '4y',
    reference_lines: [level(1, 'Cost of recent buyers')],
    reference_areas: extremes(1.35, 0.85, 'Large gains', 'Large losses'),
  },
  sth_mvrv_bollinger: {
    title: 'MVRV of short-term holders in Bollinger bands',
    subtitle: '155-day mean and two standard deviations around it; outside the bands, gains or losses are unusual.',
    ...overPrice({ sth_mvrv: 'Short-term MVRV' }, { yAxis: { id: 'ratio', side: 'left' } }),
    formulas: Object.entries({ '155-day mean': 0, 'Upper band': 2, 'Lower band': -2 }).map(([label, deviations]) =>
      formula(`sma(m1, 155) + ${deviations} * std(m1, 155)`, label, 'ratio', { y_axis_id: 'ratio', ...thinBlue }),
    ),
    reference_areas: [zone('f3', 'f2', 'undervalued', undefined, { y_axis_id: 'ratio' })],
    reference_lines: [{ ...level(1, 'Cost of short-term holders'), y_axis_id: 'ratio' }],
    range: '4y',
  },
  lth_mvrv: {
    title: 'MVRV of long-term holders',
    subtitle:
      'Value divided by cost of long-term holders’ coins; above 3.5 they sold to newcomers, below 1 even they lose.',
    ...ratiosOverPrice({ lth_mvrv: 'Long-term MVRV' }, 'log'),
    reference_lines: [level(1, 'Cost of long-term holders')],
    reference_areas: extremes(3.5, 1, 'Distribution', 'Capitulation'),
  },
  mvrv_momentum: {
    title: 'MVRV and its one-year mean',
    subtitle: 'Above its one-year mean, the market gains strength; crossings have marked the turns of cycles.',
    ...ratiosOverPrice({ mvrv: 'MVRV' }, 'log'),
    formulas: [formula('sma(m1, 365)', '365-day mean', 'ratio', { y_axis_id: 'ratio' })],
  },
  aviv: {
    title: 'AVIV ratio',
    subtitle:
      'Price divided by the true market mean, the cost of coins that are not lost; at 1 the active market breaks even.',
    ...ratiosOverPrice({ aviv: 'AVIV' }),
    reference_lines: [level(1, 'True market mean')],
  },
  nupl: {
    title: 'Net unrealized profit and loss',
    subtitle: 'Paper gain as a share of market value; euphoria above 0.75, capitulation below 0.',
    ...overPrice({ nupl: 'NUPL' }, { yAxis: { id: 'nupl', side: 'left' } }),
    ...fromThirdYear,
    reference_areas: [
      zone(0.75, undefined, 'overheated', 'Euphoria'),
      zone(0.5, 0.75, 'warm', 'Belief'),
      zone(0.25, 0.5, 'neutral', 'Optimism'),
      zone(0, 0.25, 'cool', 'Hope'),
      zone(undefined, 0, 'undervalued', 'Capitulation'),
    ],
  },
  thermo_multiple: {
    title: 'Market cap over thermo cap',
    subtitle: 'What the market pays for each dollar of new coins that miners earned; it has topped between 30 and 60.',
    ...ratiosOverPrice({ mc_tc_ratio: 'Multiple' }, 'log'),
  },
  nvt_signal: {
    title: 'NVT signal',
    subtitle: 'Market cap divided by the value moved on chain, 90-day mean; high when the price has run ahead of use.',
    ...overPrice({ nvt_signal: 'NVT signal' }),
    range: '4y',
  },
  stock_to_flow: {
    title: 'Stock to flow',
    subtitle: 'Supply divided by a year’s new coins; it doubles with each halving and says nothing about demand.',
    ...overPrice({ stock_to_flow: 'Stock to flow' }),
    scale: 'log',
    halvings: true,
  },
  realized_cap_hodl_waves: {
    title: 'Realized-cap HODL waves: realized cap by age',
    subtitle: 'Shares of realized cap by age of the coins; young coins hold most of it near tops, old coins near lows.',
    ...shares('realized_cap_percent', ageBands, 'Share of realized cap'),
    labels: 'direct',
  },
  realized_price_by_size: {
    title: 'Realized price by size of output',
    subtitle: 'What coins in small and large outputs cost on average; above the price, they are at a loss.',
    metrics: [
      { id: 'price', line_width: 2.2 },
      ...lines({
        realized_price_under_1m_sats: '< 0.01 BTC',
        realized_price_under_1_btc: '< 1 BTC',
        realized_price_over_1_btc: '> 1 BTC',
        realized_price_over_1k_btc: '> 1,000 BTC',
      }),
    ],
    range: '4y',
    labels: 'direct',
  },
} satisfies Record<string, ChartTemplate>
