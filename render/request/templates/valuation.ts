import type { ScaleName } from '#contract/chart-options.ts'
import { ageBands } from '../age-bands.ts'
import type { RequestedAxis } from '../request.ts'
import type { ChartTemplate } from '../template.ts'
import { blue, orange, red, sand, teal } from './colors.ts'
import { formula, gainsAndLosses, level, lines, overPrice, shareAxis, zone } from './parts.ts'

/** `ceiling` excludes the first weeks with a price, when ratios to cost were many times higher than ever again. */
const ratioAxis = (ceiling: number, scale?: ScaleName): RequestedAxis => ({
  id: 'ratio',
  side: 'left',
  ceiling,
  ...(scale && { scale }),
})

const ratiosOverPrice = (names: Readonly<Record<string, string>>, ceiling: number, scale?: ScaleName) =>
  overPrice(names, ratioAxis(ceiling, scale))

/** Costs near zero, of coins older than the first price, would extend a log axis endlessly. */
const pricesPaid = { id: 'right', side: 'right', floor: 0.05 } as const

export const valuationTemplates = {
  realized_cap: {
    title: 'Realized cap',
    subtitle: 'Every coin at the price of its last move: the money that came in. It falls when holders sell at a loss.',
    metrics: [{ id: 'realized_cap', style: 'line', label: 'Realized cap' }],
    scale: 'log',
    overlay: 'price',
    halvings: true,
  },
  realized_cap_change: {
    title: 'Realized cap, 30-day change',
    subtitle: 'Above zero, money flows in; below, it flows out. The deepest outflows have ended bear markets.',
    metrics: [{ id: 'realized_cap_change_30d_percent', label: 'Change', ...gainsAndLosses, axisId: 'ratio' }],
    axes: [ratioAxis(50)],
    overlay: 'price',
  },
  realized_price: {
    title: 'Price and the cost basis of its holders',
    subtitle:
      'Average price at which coins last moved; the cost of short-term holders is support in rises, resistance in falls.',
    metrics: [
      { id: 'price' },
      ...lines({
        realized_price: 'All holders',
        lth_realized_price: 'Long-term',
        sth_realized_price: 'Short-term',
      }),
    ],
    axes: [pricesPaid],
    range: '4y',
    labels: 'direct',
  },
  realized_price_by_age: {
    title: 'Realized price by age of coins',
    subtitle:
      'Average cost of coins by age; when young and old coins cost about the same, a bear market is near its end.',
    metrics: [
      { id: 'price', lineWidth: 2 },
      ...ageBands('realized_price').map(({ stacked: _, axisId: __, ...band }) => ({
        ...band,
        style: 'line' as const,
        lineWidth: 1.2,
      })),
    ].filter(({ id }) => !/_(24h|1d_1w|7y_10y|10y_plus)$/.test(id)),
    axes: [pricesPaid],
    range: '4y',
    labels: 'direct',
  },
  price_models: {
    title: 'Price models',
    subtitle:
      'What a coin is worth by different models; the price rarely stayed below the lowest or above the highest.',
    metrics: [
      { id: 'price', lineWidth: 2 },
      ...lines({
        realized_price: 'Realized price',
        true_market_mean: 'True market mean',
        cointime_price: 'Cointime price',
        balanced_price: 'Balanced price',
        cvdd: 'CVDD',
        terminal_price: 'Terminal price',
      }),
    ],
    axes: [{ id: 'right', side: 'right', scale: 'log', floor: 0.05 }],
    labels: 'direct',
  },
  cap_models: {
    title: 'Market cap between floor and top models',
    subtitle:
      'Delta cap was below every low, top cap above most tops; thermo cap is what miners were paid in new coins.',
    metrics: [
      { id: 'market_cap', label: 'Market cap', style: 'line', lineWidth: 2 },
      ...lines(
        { realized_cap: 'Realized cap', thermo_cap: 'Thermo cap', delta_cap: 'Delta cap', top_cap: 'Top cap' },
        { style: 'line' },
      ),
    ],
    axes: [{ id: 'left', side: 'left', scale: 'log', floor: 1e6 }],
    labels: 'direct',
  },
  mvrv_ratio: {
    title: 'MVRV ratio',
    subtitle: 'Market value divided by cost; above 3, holders have large gains, below 1 they lose on average.',
    ...ratiosOverPrice({ mvrv: 'MVRV' }, 12, 'log'),
    halvings: true,
    referenceLines: [level(1, 'Mean cost basis')],
    referenceAreas: [zone(3, undefined, red, 'Overheated'), zone(undefined, 1, blue, 'Undervalued')],
  },
  mvrv_z: {
    title: 'MVRV Z-score',
    subtitle: 'Distance of market value from cost, in standard deviations; cycles topped above 6 and bottomed near 0.',
    ...overPrice({ mvrv_z: 'Z-score' }, { id: 'score', side: 'left', ceiling: 12 }),
    halvings: true,
    referenceAreas: [zone(6, undefined, red, 'Overheated'), zone(undefined, 0.1, blue, 'Undervalued')],
  },
  holder_mvrv: {
    title: 'MVRV of long-term and short-term holders',
    subtitle:
      'Value divided by cost of coins held for more and for less than 155 days; below 1, a group loses on average.',
    ...ratiosOverPrice({ lth_mvrv: 'Long-term', sth_mvrv: 'Short-term' }, 20, 'log'),
    referenceLines: [level(1, 'Mean cost basis')],
  },
  sth_mvrv: {
    title: 'MVRV of short-term holders',
    subtitle:
      'Value over cost of recent buyers’ coins; above 1.35 they tend to sell. 1 is support in rises, resistance in falls.',
    ...ratiosOverPrice({ sth_mvrv: 'Short-term MVRV' }, 3),
    range: '4y',
    referenceLines: [level(1, 'Cost of recent buyers')],
    referenceAreas: [zone(1.35, undefined, red, 'Large gains'), zone(undefined, 0.85, blue, 'Large losses')],
  },
  lth_mvrv: {
    title: 'MVRV of long-term holders',
    subtitle:
      'Value divided by cost of long-term holders’ coins; above 3.5 they sold to newcomers, below 1 even they lose.',
    ...ratiosOverPrice({ lth_mvrv: 'Long-term MVRV' }, 40, 'log'),
    referenceLines: [level(1, 'Cost of long-term holders')],
    referenceAreas: [zone(3.5, undefined, red, 'Distribution'), zone(undefined, 1, blue, 'Capitulation')],
  },
  mvrv_momentum: {
    title: 'MVRV and its one-year mean',
    subtitle: 'Above its one-year mean, the market gains strength; crossings have marked the turns of cycles.',
    ...ratiosOverPrice({ mvrv: 'MVRV' }, 6),
    formulas: [formula('sma(m1, 365)', '365-day mean', 'ratio', { axisId: 'ratio' })],
  },
  aviv: {
    title: 'AVIV ratio',
    subtitle:
      'Price divided by the true market mean, the cost of coins that are not lost; at 1 the active market breaks even.',
    ...ratiosOverPrice({ aviv: 'AVIV' }, 5),
    referenceLines: [level(1, 'True market mean')],
  },
  nupl: {
    title: 'Net unrealized profit and loss',
    subtitle: 'Paper gain as a share of market value; euphoria above 0.75, capitulation below 0.',
    ...overPrice({ nupl: 'NUPL' }, { id: 'nupl', side: 'left', floor: -0.75 }),
    referenceAreas: [
      zone(0.75, undefined, blue, 'Euphoria'),
      zone(0.5, 0.75, teal, 'Belief'),
      zone(0.25, 0.5, sand, 'Optimism'),
      zone(0, 0.25, orange, 'Hope'),
      zone(undefined, 0, red, 'Capitulation'),
    ],
  },
  thermo_multiple: {
    title: 'Market cap over thermo cap',
    subtitle: 'What the market pays for each dollar of new coins that miners earned; it has topped between 30 and 60.',
    ...ratiosOverPrice({ mc_tc_ratio: 'Multiple' }, 200, 'log'),
  },
  nvt_signal: {
    title: 'NVT signal',
    subtitle: 'Market cap divided by the value moved on chain, 90-day mean; high when the price has run ahead of use.',
    metrics: [{ id: 'nvt_signal', label: 'NVT signal' }],
    overlay: 'price',
    range: '4y',
  },
  stock_to_flow: {
    title: 'Stock to flow',
    subtitle: 'Supply divided by a year’s new coins; it doubles with each halving and says nothing about demand.',
    metrics: [{ id: 'stock_to_flow', label: 'Stock to flow' }],
    scale: 'log',
    overlay: 'price',
    halvings: true,
  },
  realized_cap_hodl_waves: {
    title: 'Realized-cap HODL waves: realized cap by age',
    subtitle: 'Shares of realized cap by age of the coins; young coins hold most of it near tops, old coins near lows.',
    metrics: ageBands('realized_cap_percent'),
    axes: [shareAxis('Share of realized cap')],
    labels: 'direct',
  },
} as const satisfies Record<string, ChartTemplate>
