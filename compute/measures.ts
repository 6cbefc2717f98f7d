/** Sums that the cohort pass adds up for every cohort and day. Amounts in satoshis are exact. */
export const baseMeasures = [
  'supply_sats',
  'utxo_count',
  'realized_cap',
  'supply_in_profit',
  'supply_in_loss',
  'unrealized_profit',
  'unrealized_loss',
  'spent_volume',
  'spent_outputs',
  'spent_cost',
  'realized_profit',
  'realized_loss',
  'coindays_destroyed',
  'spent_volume_1h',
  'spent_cost_1h',
] as const
export type BaseMeasure = (typeof baseMeasures)[number]

export type Unit = 'BTC' | 'sats' | 'USD' | 'count' | 'percent' | 'ratio' | 'coin-days'

/** One line of the table of measures; each is published for every cohort. */
export interface Measure {
  readonly id: string
  readonly name: string
  readonly unit: Unit
  readonly description: string
  /** Over metric ids, where `own` gives the id of another measure of the same cohort. Base measures have none. */
  readonly formula?: (own: (measure: string) => string) => string
}

/** Every measure, in the order of the columns of `cohorts`. */
export const measures: readonly Measure[] = [
  { id: 'supply_sats', name: 'Supply', unit: 'sats', description: 'Unspent value' },
  {
    id: 'supply',
    name: 'Supply',
    unit: 'BTC',
    description: 'Unspent value',
    formula: (own) => `${own('supply_sats')} / 100000000`,
  },
  {
    id: 'supply_percent',
    name: 'Share of supply',
    unit: 'percent',
    description: 'Unspent value as a share of the circulating supply',
    formula: (own) => `100 * ${own('supply')} / circulating_supply`,
  },
  { id: 'utxo_count', name: 'UTXO count', unit: 'count', description: 'Unspent outputs' },
  {
    id: 'realized_cap',
    name: 'Realized cap',
    unit: 'USD',
    description: 'Each coin at the price of the day on which it was created',
  },
  {
    id: 'realized_cap_percent',
    name: 'Share of realized cap',
    unit: 'percent',
    description: 'Realized cap as a share of that of all coins',
    formula: (own) => `100 * ${own('realized_cap')} / realized_cap`,
  },
  {
    id: 'realized_price',
    name: 'Realized price',
    unit: 'USD',
    description: 'Average cost of a coin',
    formula: (own) => `${own('realized_cap')} / ${own('supply')}`,
  },
  {
    id: 'mvrv',
    name: 'MVRV',
    unit: 'ratio',
    description: 'Market value over realized value',
    formula: (own) => `price * ${own('supply')} / ${own('realized_cap')}`,
  },
  {
    id: 'unrealized_profit',
    name: 'Unrealized profit',
    unit: 'USD',
    description: 'What the coins that cost less than the price would gain if they were sold',
  },
  {
    id: 'unrealized_loss',
    name: 'Unrealized loss',
    unit: 'USD',
    description: 'What the coins that cost more than the price would lose if they were sold',
  },
  {
    id: 'unrealized_pl',
    name: 'Unrealized profit and loss',
    unit: 'USD',
    description: 'Unrealized profit less unrealized loss',
    formula: (own) => `${own('unrealized_profit')} - ${own('unrealized_loss')}`,
  },
  {
    id: 'nupl',
    name: 'NUPL',
    unit: 'ratio',
    description: 'Net unrealized profit and loss as a share of market value',
    formula: (own) => `${own('unrealized_pl')} / (price * ${own('supply')})`,
  },
  {
    id: 'supply_in_profit',
    name: 'Supply in profit',
    unit: 'BTC',
    description: 'Coins that cost strictly less than the price',
  },
  {
    id: 'supply_in_loss',
    name: 'Supply in loss',
    unit: 'BTC',
    description: 'Coins that cost strictly more than the price',
  },
  {
    id: 'percent_supply_in_profit',
    name: 'Share of supply in profit',
    unit: 'percent',
    description: 'Supply in profit as a share of the supply',
    formula: (own) => `100 * ${own('supply_in_profit')} / ${own('supply')}`,
  },
  {
    id: 'percent_supply_in_loss',
    name: 'Share of supply in loss',
    unit: 'percent',
    description: 'Supply in loss as a share of the supply',
    formula: (own) => `100 * ${own('supply_in_loss')} / ${own('supply')}`,
  },
  {
    id: 'spent_volume',
    name: 'Spent volume',
    unit: 'BTC',
    description: 'Value spent that day by coins that were in the cohort when they were spent',
  },
  {
    id: 'spent_volume_usd',
    name: 'Spent volume',
    unit: 'USD',
    description: 'Spent volume at the price of the day',
    formula: (own) => `${own('spent_volume')} * price`,
  },
  { id: 'spent_outputs', name: 'Spent outputs', unit: 'count', description: 'Outputs spent that day' },
  { id: 'spent_cost', name: 'Cost of spent coins', unit: 'USD', description: 'What the coins spent that day had cost' },
  {
    id: 'realized_profit',
    name: 'Realized profit',
    unit: 'USD',
    description: 'Gain of the coins spent that day above their cost',
  },
  {
    id: 'realized_loss',
    name: 'Realized loss',
    unit: 'USD',
    description: 'Loss of the coins spent that day below their cost',
  },
  {
    id: 'realized_pl',
    name: 'Realized profit and loss',
    unit: 'USD',
    description: 'Realized profit less realized loss',
    formula: (own) => `${own('realized_profit')} - ${own('realized_loss')}`,
  },
  {
    id: 'sopr',
    name: 'SOPR',
    unit: 'ratio',
    description: 'Spent output profit ratio: value of the coins spent that day over what they had cost',
    formula: (own) => `${own('spent_volume_usd')} / ${own('spent_cost')}`,
  },
  {
    id: 'coindays_destroyed',
    name: 'Coin days destroyed',
    unit: 'coin-days',
    description: 'Value spent that day times its age',
  },
  {
    id: 'spent_volume_1h',
    name: 'Spent volume without the first hour',
    unit: 'BTC',
    description: 'Spent volume of coins that were at least an hour old',
  },
  {
    id: 'spent_cost_1h',
    name: 'Cost of spent coins without the first hour',
    unit: 'USD',
    description: 'Cost of the coins spent that day that were at least an hour old',
  },
  {
    id: 'asopr',
    name: 'Adjusted SOPR',
    unit: 'ratio',
    description: 'SOPR of the coins that were at least an hour old when they were spent',
    formula: (own) => `price * ${own('spent_volume_1h')} / ${own('spent_cost_1h')}`,
  },
  {
    id: 'supply_change_30d',
    name: 'Supply change over 30 days',
    unit: 'BTC',
    description: 'Supply less the supply of 30 days before',
    formula: (own) => `diff(${own('supply')}, 30)`,
  },
]

/** Cohorts whose name stands before the measure; of all others it stands after. */
const prefixes = new Set(['lth', 'sth', 'lth_smooth', 'sth_smooth'])

/** The metric that is a measure of a cohort: `mvrv`, `lth_mvrv`, `mvrv_1y_2y`. */
export function metricId(cohort: string, measure: string): string {
  if (cohort === 'all') return measure === 'supply' ? 'circulating_supply' : measure
  return prefixes.has(cohort) ? `${cohort}_${measure}` : `${measure}_${cohort}`
}
