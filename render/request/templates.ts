import type { ColorScaleName, RangeName, ScaleName, SeriesNaming } from '#contract/chart-words.ts'
import type { CycleFamily } from '#contract/parameters.ts'
import { ageBands } from './age-bands.ts'
import type { RequestedArea, RequestedAxis, RequestedLine, SeriesOptions } from './request.ts'

/** A chart that readers ask for by name: a request in terms of metric ids, whose columns the caller fills in. */
export interface ChartTemplate {
  readonly title: string
  /** What the chart says when it is high or low. */
  readonly subtitle?: string
  /** Days to show; without it all. */
  readonly range?: RangeName
  readonly labels?: SeriesNaming
  readonly halvings?: boolean
  readonly events?: boolean
  readonly metrics: readonly ({ readonly id: string } & SeriesOptions)[]
  /** `m1` … are the metrics by position. */
  readonly formulas?: readonly (Readonly<{ expression: string; label: string; unit: string }> & SeriesOptions)[]
  readonly axes?: readonly RequestedAxis[]
  readonly scale?: ScaleName
  readonly overlay?: 'price'
  readonly referenceLines?: readonly (RequestedLine & { readonly y: number })[]
  readonly referenceAreas?: readonly (RequestedArea & { readonly y1?: number; readonly y2?: number })[]
  /** Lays the cycles of the first metric over each other, if `indexed` each divided by its first value. */
  readonly cycles?: { readonly family: CycleFamily; readonly indexed: boolean }
  readonly heatmap?: { readonly metric: string; readonly colorScale: ColorScaleName }
}

/** From nothing to all. */
function shareAxis(title: string): RequestedAxis {
  return { id: 'share', side: 'left', format: 'percent', title, domainMinimum: 0, domainMaximum: 100 }
}

const blue = '#3a86d8'
const orange = '#e07b12'
const red = '#c9405f'

/** A level that means something to readers. */
function level(y: number, label: string): RequestedLine & { y: number } {
  return { y, label }
}

function zone(y1: number, y2: number, fill: string, label: string): RequestedArea & { y1: number; y2: number } {
  return { y1, y2, fill, label }
}

/** Price above, something that belongs to it below, each in its own part of the height. */
const belowPrice: readonly RequestedAxis[] = [
  { id: 'upper', side: 'right', range: [32, 100] },
  { id: 'lower', side: 'left', range: [0, 28] },
]

/** Beyond any value, so that a zone reaches to the end of its axis. */
const beyond = 1e9

/** A ratio of prices at spending and at creation, and its mean of a week. */
function aroundBreakEven(title: string, id: string, label: string): ChartTemplate {
  return {
    title,
    metrics: [{ id, label, opacity: 0.5 }],
    formulas: [{ expression: 'sma(m1, 7)', label: '7-day mean', unit: 'ratio' }],
    overlay: 'price',
    referenceLines: [level(1, 'Break-even')],
  }
}

/** The cycles of a family laid over each other, each from its beginning. */
function priceSince(beginning: string, family: CycleFamily): ChartTemplate {
  return { title: `Price since ${beginning}`, metrics: [{ id: 'price' }], cycles: { family, indexed: true } }
}

export const templates: Readonly<Record<string, ChartTemplate>> = {
  price: { title: 'Bitcoin price', metrics: [{ id: 'price' }] },
  price_volume: {
    title: 'Bitcoin price and trading volume',
    metrics: [
      { id: 'price', axisId: 'upper' },
      { id: 'volume', label: 'Volume', axisId: 'lower', style: 'bar' },
    ],
    axes: belowPrice,
  },
  drawdown: {
    title: 'Drawdown from the all-time high',
    metrics: [{ id: 'drawdown', style: 'area', axisId: 'drawdown' }],
    axes: [{ id: 'drawdown', side: 'left', format: 'percent', noPadding: 'top' }],
    overlay: 'price',
  },
  moving_averages: {
    title: 'Price and its long moving averages',
    metrics: [{ id: 'price' }],
    formulas: [
      { expression: 'sma(m1, 50)', label: '50 days', unit: 'USD', lineWidth: 1.3 },
      { expression: 'sma(m1, 200)', label: '200 days', unit: 'USD', lineWidth: 1.3 },
      { expression: 'sma(m1, 1400)', label: '200 weeks', unit: 'USD', lineWidth: 1.3 },
    ],
  },
  mayer_multiple: {
    title: 'Mayer multiple',
    metrics: [{ id: 'mayer_multiple' }],
    overlay: 'price',
    referenceLines: [level(1, '200-day mean'), level(2.4, '2.4 × the mean')],
  },
  market_cap: {
    title: 'Market cap and realized cap',
    metrics: [
      { id: 'market_cap', label: 'Market cap', style: 'line' },
      { id: 'realized_cap', label: 'Realized cap', style: 'line' },
    ],
    scale: 'log',
  },
  realized_cap: {
    title: 'Realized cap',
    metrics: [{ id: 'realized_cap', style: 'line' }],
    scale: 'log',
    overlay: 'price',
  },
  realized_price: {
    title: 'Price and the cost basis of its holders',
    metrics: [{ id: 'price' }, { id: 'realized_price' }, { id: 'lth_realized_price' }, { id: 'sth_realized_price' }],
  },
  price_models: {
    title: 'Price models',
    metrics: [
      { id: 'price' },
      { id: 'realized_price' },
      { id: 'true_market_mean' },
      { id: 'cointime_price' },
      { id: 'balanced_price' },
      { id: 'cvdd', label: 'CVDD' },
      { id: 'terminal_price' },
    ],
    scale: 'log',
  },
  mvrv_ratio: {
    title: 'MVRV ratio',
    metrics: [{ id: 'mvrv', label: 'MVRV' }],
    scale: 'log',
    overlay: 'price',
    referenceLines: [level(1, 'Mean cost basis')],
    referenceAreas: [zone(3, beyond, red, 'Overheated'), zone(0, 1, blue, 'Undervalued')],
  },
  mvrv_z: {
    title: 'MVRV Z-score',
    metrics: [{ id: 'mvrv_z', label: 'MVRV Z-score', axisId: 'score' }],
    // In the first weeks with a price hardly a coin had a cost, and the score was many times what it ever was again.
    axes: [{ id: 'score', side: 'left', ceiling: 12 }],
    overlay: 'price',
    referenceAreas: [zone(6, beyond, red, 'Overheated'), zone(-beyond, 0.1, blue, 'Undervalued')],
  },
  holder_mvrv: {
    title: 'MVRV of long-term and short-term holders',
    metrics: [
      { id: 'lth_mvrv', label: 'Long-term holders' },
      { id: 'sth_mvrv', label: 'Short-term holders' },
    ],
    scale: 'log',
    overlay: 'price',
    referenceLines: [level(1, 'Mean cost basis')],
  },
  nupl: {
    title: 'Net unrealized profit and loss',
    metrics: [{ id: 'nupl', label: 'NUPL', axisId: 'nupl' }],
    axes: [{ id: 'nupl', side: 'left' }],
    overlay: 'price',
    referenceAreas: [
      zone(0.75, beyond, blue, 'Euphoria'),
      zone(0.5, 0.75, '#4fa7a0', 'Belief'),
      zone(0.25, 0.5, '#c2ad3c', 'Optimism'),
      zone(0, 0.25, orange, 'Hope'),
      zone(-beyond, 0, red, 'Capitulation'),
    ],
  },
  unrealized_pl: {
    title: 'Unrealized profit and loss',
    metrics: [{ id: 'unrealized_pl', style: 'area' }],
    overlay: 'price',
  },
  realized_pl: {
    title: 'Realized profit and loss',
    metrics: [{ id: 'realized_pl', style: 'bar', color: blue, negativeColor: orange }],
    overlay: 'price',
  },
  sopr: aroundBreakEven('Spent output profit ratio (SOPR)', 'sopr', 'SOPR'),
  asopr: aroundBreakEven('Adjusted spent output profit ratio (aSOPR)', 'asopr', 'aSOPR'),
  supply_in_profit: {
    title: 'Supply in profit',
    metrics: [{ id: 'percent_supply_in_profit', style: 'area', axisId: 'share' }],
    axes: [shareAxis('Share of supply')],
    overlay: 'price',
    referenceLines: [level(50, 'Half of the supply')],
  },
  holder_supply: {
    title: 'Supply of long-term and short-term holders',
    metrics: [
      { id: 'lth_supply', label: 'Long-term holders', style: 'line' },
      { id: 'sth_supply', label: 'Short-term holders', style: 'line' },
    ],
    overlay: 'price',
  },
  hodl_waves: {
    title: 'HODL waves: supply by age',
    metrics: ageBands('supply_percent'),
    axes: [shareAxis('Share of supply')],
    overlay: 'price',
  },
  realized_cap_hodl_waves: {
    title: 'Realized-cap HODL waves: realized cap by age',
    metrics: ageBands('realized_cap_percent'),
    axes: [shareAxis('Share of realized cap')],
    overlay: 'price',
  },
  cost_basis_distribution: {
    title: 'Cost basis distribution: supply by price of its last move',
    metrics: [{ id: 'price' }],
    heatmap: { metric: 'cost_basis_distribution', colorScale: 'viridis' },
  },
  coindays_destroyed: {
    title: 'Coin days destroyed',
    metrics: [{ id: 'coindays_destroyed', style: 'bar', opacity: 0.75 }],
    overlay: 'price',
  },
  dormancy_flow: {
    title: 'Dormancy flow',
    metrics: [{ id: 'dormancy_flow' }],
    scale: 'log',
    overlay: 'price',
    referenceLines: [level(250_000, 'Market bottoms')],
  },
  liveliness: { title: 'Liveliness', metrics: [{ id: 'liveliness' }], overlay: 'price' },
  vdd_multiple: { title: 'Value days destroyed multiple', metrics: [{ id: 'vdd_multiple' }], overlay: 'price' },
  reserve_risk: { title: 'Reserve risk', metrics: [{ id: 'reserve_risk' }], scale: 'log', overlay: 'price' },
  rhodl_ratio: { title: 'RHODL ratio', metrics: [{ id: 'rhodl_ratio' }], scale: 'log', overlay: 'price' },
  nvt_signal: { title: 'NVT signal', metrics: [{ id: 'nvt_signal' }], overlay: 'price' },
  stock_to_flow: { title: 'Stock to flow', metrics: [{ id: 'stock_to_flow' }], scale: 'log', overlay: 'price' },
  puell_multiple: {
    title: 'Puell multiple',
    metrics: [{ id: 'puell_multiple' }],
    overlay: 'price',
    referenceAreas: [zone(4, beyond, red, 'Miners earn far above the year'), zone(0, 0.5, blue, 'Miners under stress')],
  },
  realized_volatility: {
    title: 'Realized volatility',
    metrics: [
      { id: 'realized_vol_1m', label: '1 month' },
      { id: 'realized_vol_3m', label: '3 months' },
      { id: 'realized_vol_1y', label: '1 year' },
    ],
    overlay: 'price',
  },
  cycle_perf_low: priceSince('the cycle low', 'low'),
  cycle_perf_ath: priceSince('the cycle high', 'ath'),
  cycle_perf_halving: priceSince('the halving', 'halving'),
  block_height: { title: 'Block height', metrics: [{ id: 'block_height' }] },
  hash_rate: {
    title: 'Hash rate',
    metrics: [
      { id: 'hash_rate_7d', label: '7-day mean', opacity: 0.5 },
      { id: 'hash_rate_30d', label: '30-day mean' },
    ],
    scale: 'log',
    overlay: 'price',
  },
  difficulty: { title: 'Mining difficulty', metrics: [{ id: 'difficulty' }], scale: 'log', overlay: 'price' },
  fees: { title: 'Transaction fees', metrics: [{ id: 'fees', style: 'bar' }], overlay: 'price' },
  funding_rate: {
    title: 'Funding rate of perpetual futures, weighted by open interest',
    metrics: [
      {
        id: 'avg_funding_rate',
        label: 'Rate per 8 hours',
        style: 'bar',
        color: blue,
        negativeColor: orange,
        axisId: 'rate',
      },
    ],
    axes: [{ id: 'rate', side: 'left', format: 'percent' }],
    overlay: 'price',
  },
  open_interest: {
    title: 'Open interest of Bitcoin futures',
    metrics: [{ id: 'total_oi_usd', label: 'Open interest', style: 'area' }],
    overlay: 'price',
  },
  etf_holdings: {
    title: 'Bitcoin held by exchange-traded funds',
    metrics: [{ id: 'etf_total_btc_holdings', label: 'Holdings', style: 'area' }],
    overlay: 'price',
  },
  etf_flows: {
    title: 'Flows into and out of exchange-traded funds',
    metrics: [{ id: 'etf_net_flow_btc', label: 'Net flow', style: 'bar', color: blue, negativeColor: orange }],
    overlay: 'price',
  },
  treasuries: {
    title: 'Bitcoin held by companies',
    metrics: [{ id: 'dat_total_btc', label: 'Holdings', style: 'area' }],
    overlay: 'price',
  },
}
