import { ownCategory } from '../metric-kinds.ts'
import type { Unit } from '../units.ts'
import {
  type Column,
  date,
  flag,
  number,
  numberOrNull,
  ordinal,
  orNull,
  sats,
  small,
  text,
  texts,
  whole,
} from './column.ts'
import { type Table, table } from './table.ts'

/** Each has a table `metrics_<category>` and a page in docs/metrics. */
export const categories = [
  'market',
  'supply',
  'valuation',
  'profit_and_loss',
  'coin_days',
  'blockchain',
  'addresses',
  'distribution',
  'cycles',
  'derivatives',
  'etfs',
  'treasuries',
] as const
export type Category = (typeof categories)[number]

export const cohorts = table({
  name: 'cohorts',
  rowFor: 'day and cohort',
  holds: 'supply, realized cap, profit and loss, spending: all measures',
  key: ['date', 'cohort'],
  // Reading one day of all cohorts takes 1/12 of reading all days of one.
  rowsPerGroup: 30_720,
  columns: {
    date: date('Day, UTC.'),
    cohort: text('Cohort: `all`, `lth`, `sth`, an age band such as `1y_2y`, and so on.'),
  },
  columnPer: 'measure',
})

const metricTable = <const Name extends `metrics_${Category}`>(name: Name, holds: string) =>
  table({
    name,
    rowFor: 'day',
    holds,
    key: ['date'],
    columns: { date: date('Day, UTC.') },
    columnPer: 'metric',
  })

export const metricTables = {
  metrics_market: metricTable('metrics_market', 'price, returns, volatility, moving averages'),
  metrics_supply: metricTable('metrics_supply', 'supply and its holders by age'),
  metrics_valuation: metricTable('metrics_valuation', 'market cap, realized cap, and what is made of both'),
  metrics_profit_and_loss: metricTable('metrics_profit_and_loss', 'profit and loss, on paper and realized'),
  metrics_coin_days: metricTable('metrics_coin_days', 'spending, coin days, dormancy, cointime'),
  metrics_blockchain: metricTable('metrics_blockchain', 'blocks, transactions, fees, mining'),
  metrics_addresses: metricTable('metrics_addresses', 'addresses that are active'),
  metrics_distribution: metricTable('metrics_distribution', 'quantiles and densities of what coins cost'),
  metrics_cycles: metricTable('metrics_cycles', 'the running cycles'),
  metrics_derivatives: metricTable('metrics_derivatives', 'funding and open interest'),
  metrics_etfs: metricTable('metrics_etfs', 'exchange-traded funds, all and each'),
  metrics_treasuries: metricTable('metrics_treasuries', 'treasuries, all and each'),
} as const satisfies Record<`metrics_${Category}`, Table>

/** Metrics that the operator defines in the folder `metrics`; absent without any. */
export const ownMetrics = {
  ...table({
    name: 'own_metrics',
    rowFor: 'day',
    holds: "the operator's own metrics, a column for each; absent without any",
    key: ['date'],
    columns: { date: date('Day, UTC.') },
    columnPer: 'metric',
  }),
  category: ownCategory,
} as const

export interface CatalogueColumn
  extends Pick<Column, 'title' | 'description' | 'kind' | 'formula' | 'variant' | 'definitionVersion' | 'source'> {
  readonly column: string
  readonly unit: Unit
  readonly whole: boolean
}

export const withColumns = <Of extends Table>(of: Of, columns: readonly CatalogueColumn[]): Table<Of['name']> => ({
  ...of,
  columns: { ...of.columns, ...Object.fromEntries(columns.map((column) => [column.column, valueColumn(column)])) },
})

function valueColumn({ unit, whole: isWhole, description, ...column }: CatalogueColumn): Column {
  const { title, kind, formula, variant, definitionVersion, source } = column
  const notes = { title, kind, formula, variant, definitionVersion, source }
  if (unit === 'sats') return { ...sats(description), ...notes }
  return { ...orNull(isWhole ? whole(unit, description) : number(unit, description)), ...notes }
}

export const catalogue = table({
  name: 'catalogue',
  rowFor: 'metric',
  holds: 'name, description, unit, formula, source, and where its values are',
  key: ['id'],
  sortedBy: [],
  columns: {
    id: text('Id, by which formulas and `/v1/series` refer to it.'),
    name: text('Name for people.'),
    short_description: text('First sentence of the description.'),
    description: text('What it is.'),
    category: text('Category, as in `metrics_<category>`; `own` in `own_metrics`.'),
    unit: text('Unit of its values.'),
    dimension: text(
      'What its unit is of, such as `USD per coin`, `USD` or `USD per day`: charts draw metrics of one dimension on one axis.',
    ),
    kind: text(
      '`level`: holds at the end of the day, such as a price; `flow`: happened during it and adds up, such as fees; `rate`: happened too and does not add up, such as SOPR.',
    ),
    aggregate: text(
      'How its days become a week, month or year: `last`, `sum`, `mean`, `min`, `max` or `first` of them; `formula`: its formula over the period, with the mean of flows and the last of levels; `counts`: from the blocks of each pool in the period.',
    ),
    endpoint: text('Endpoint that serves it, without /v1/.'),
    field: text('Name in the rows of that endpoint.'),
    grade: small('count', 'Who may read it: 0 everyone, 1 tier pro, 2 tier enterprise.'),
    formula: orNull(text('Formula over other metrics by which it is computed; NULL for measured ones.')),
    variant: orNull(text('Which definition it is, where others define it differently.')),
    source: orNull(text('Who introduced it, if known.')),
    first_date: orNull(date('First day with a value; NULL if there is none.')),
    style: text('How it is drawn: `line`, `area` or `bar`.'),
    scale: text('Its axis: `linear` or `log`.'),
    related: texts('Ids of metrics to look at next.'),
    aliases: texts(
      'What it is called elsewhere (`Glassnode: market_mvrv`), usual names, and other ids that it answers to.',
    ),
    active: flag('True if it has values in this generation.'),
    intervals: texts(
      'Intervals of its values at `/v1/series`: `1h` (from blocks and prices), `block` (after each block, of which `1h` has the last of each hour), `1d`, `1w`, `1m`, `1y`.',
    ),
    table_name: text('Table that holds its values.'),
    column_name: text('Column that holds them.'),
    cohort: orNull(text('Cohort of their rows, if the table is `cohorts`.')),
  },
})

export const changeKinds = ['definition', 'pricing', 'id', 'type'] as const

export const metricHistory = table({
  name: 'metric_history',
  rowFor: 'change',
  holds: 'every change of the definition, pricing, id or type of metrics, why, and what it did to values',
  key: ['number'],
  columns: {
    number: ordinal('Number of the change, from 1; later ones have higher numbers.'),
    date: date('Day on which the program changed.'),
    version: text('Version of Coinstrata that brought it.'),
    kind: text(
      '`definition`: formula or what is measured; `pricing`: prices, or how coins and spends are valued; `id`: name or alias; `type`: unit or column type.',
    ),
    metrics: texts('Ids, at the time, of the metrics that changed, and of all that are computed from them.'),
    change: text('Old and new definition.'),
    reason: text('Why it was changed.'),
    effect: text('What it did to published values.'),
  },
})

export const costBasis = table({
  name: 'cost_basis',
  rowFor: 'day and price bin',
  holds: 'coins by what they had cost, unspent and spent; 200 bins for each tenfold of the price',
  key: ['date', 'bin'],
  columns: {
    date: date('Day, UTC. Days without a price have no rows.'),
    bin: ordinal('Bin; 0 holds coins from before the first market, bin 1201 begins at one dollar.'),
    lower_price: number('USD', 'Lowest cost of the bin; 0 for bin 0.'),
    upper_price: number('USD', 'Cost below which the bin ends; 0 for bin 0.'),
    supply_sats: sats('Unspent coins that had cost as much. Bins with neither these nor spent ones have no row.'),
    spent_sats: sats('Coins spent on the day that had cost as much, each time that they were spent.'),
  },
})

const family = text(
  'What the cycle begins with: `halving`, `ath` (a top: the highest close before a fall by 75 % or more, so known only in hindsight) or `low` (the lowest close before the next one above that top).',
)

export const cycles = table({
  name: 'cycles',
  rowFor: 'cycle',
  holds: 'halvings, tops and lows with their dates and prices',
  key: ['family', 'cycle'],
  columns: {
    family,
    cycle: ordinal('Number within the family, from 1.'),
    start_date: date('First day.'),
    end_date: orNull(date('Last day; NULL for the running cycle. Provisional if the next cycle is.')),
    duration_days: small('days', 'Days from the first to the last, or to the last published one; both included.'),
    start_height: ordinal('Height of the halving block, or of the last block of the first day.'),
    start_price: numberOrNull('USD', 'Close of the first day; NULL before the first price.'),
    provisional: flag(
      'True for the last cycle of `ath` if it begins with the highest close so far, which is not a top yet. A later high replaces it.',
    ),
  },
})

export const cyclePerformance = table({
  name: 'cycle_performance',
  rowFor: 'cycle and day of it',
  holds: 'prices against that of the first day of each cycle, without provisional ones',
  key: ['family', 'cycle', 'date'],
  columns: {
    family,
    cycle: ordinal('Number within the family, as in `cycles`.'),
    date: date('Day, UTC.'),
    day_offset: small('days', 'Days since the first day of the cycle.'),
    performance: numberOrNull('ratio', 'Close over that of the first day; NULL without both.'),
  },
})
