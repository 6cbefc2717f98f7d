import { z } from 'zod'
import type { ServedCohort } from './cohorts.ts'
import { endpoint } from './endpoint.ts'
import { formulaLanguage } from './formula-language.ts'
import {
  activeOnly,
  cohort,
  creationDayLimit,
  cycleFamily,
  dailyQuery,
  day,
  digits,
  earlierGeneration,
  entityId,
  exchange,
  listQuery,
  liveQuery,
  metricId,
  metricIds,
  orderedQuery,
  pagedQuery,
  rangeQuery,
  search,
  symbol,
  ticker,
} from './parameters.ts'
import { columnsBeside, moreOfDefinition, otherMetrics, rows } from './rows.ts'
import { etf, funding, openInterest, treasuries } from './tables/market.ts'
import { etfRegistry, treasuryRegistry } from './tables/registries.ts'

const dated = pagedQuery({})
/** Metrics of each day. */
const daily = dailyQuery({})
const listed = rangeQuery({})
/** Lists of names. */
const registry = {
  history: { all: 'it names what there is and tells no values' },
  undated: 'the list has no dates',
} as const

/** Every data endpoint, by name. */
export const endpoints = {
  today: endpoint({
    id: 'today',
    tag: 'Market',
    summary: 'The day that is not closed yet: its sums so far and the valuation at the last hourly price',
    description:
      'One row, provisional: it changes with every block, price and reorganisation. as_of_height, as_of_hash and as_of_time name the newest block that is counted, price_time the instant of the price. Fields are called as the metrics that they become once the day is closed. There is no row where the node is not followed (FOLLOW=on), or until the first block after the last published day.',
    query: liveQuery,
    row: rows.today,
  }),
  prices: endpoint({
    id: 'prices',
    tag: 'Market',
    summary: 'Price, market cap, volume, drawdown, realized volatility and all else that follows from the price',
    query: dailyQuery({ symbol }),
    row: rows.prices,
    more: otherMetrics,
  }),
  holderSupply: endpoint({
    id: 'holder/supply',
    tag: 'Holders',
    summary: 'Circulating supply, that of long-term and short-term holders, and of each age band',
    query: daily,
    row: rows.holderSupply,
    more: otherMetrics,
  }),
  holderValuation: endpoint({
    id: 'holder/valuation',
    tag: 'Holders',
    summary: 'Realized cap and price, MVRV, thermo cap, delta cap, balanced price and more',
    query: daily,
    row: rows.holderValuation,
    more: otherMetrics,
  }),
  holderProfit: endpoint({
    id: 'holder/profit',
    tag: 'Holders',
    summary: 'Realized and unrealized profit and loss, SOPR, NUPL, supply in profit',
    query: daily,
    row: rows.holderProfit,
    more: otherMetrics,
  }),
  cohortMetrics: endpoint({
    id: 'cohort/metrics/{cohort}',
    tag: 'Holders',
    summary: 'Every measure of one cohort of coins',
    pathParameters: z.object({ cohort }),
    query: daily,
    row: rows.cohortMetrics,
    more: otherMetrics,
  }),
  utxoHistory: endpoint({
    id: 'utxo/history',
    tag: 'Holders',
    summary: 'Unspent value by the day on which it was created, after one day',
    description:
      'Without date_processed it is the newest published day within start_date and end_date; these two bound date_processed, while cohort_start and cohort_end bound cohort_date. Days of which nothing is left have no row.',
    history: { computedFromAll: 'what is unspent was created on any day before' },
    limitShare: 0.5,
    query: orderedQuery(
      {
        date_processed: day.optional().meta({ description: 'Day after which the unspent value is counted' }),
        cohort_start: day.optional().meta({ description: 'First cohort_date' }),
        cohort_end: day.optional().meta({ description: 'Last cohort_date' }),
      },
      creationDayLimit,
    ),
    row: rows.utxoHistory,
    orderedBy: 'cohort_date',
    key: ['date_processed', 'cohort_date'],
  }),
  coindays: endpoint({
    id: 'coindays',
    tag: 'Coin days',
    summary: 'Coin days destroyed, liveliness, vaultedness, dormancy',
    query: daily,
    row: rows.coindays,
    more: otherMetrics,
  }),
  blockchain: endpoint({
    id: 'blockchain',
    tag: 'Blockchain',
    summary: 'Block height, blocks mined, fees, issuance, difficulty, hash rate and more',
    query: daily,
    row: rows.blockchain,
    more: otherMetrics,
  }),
  blockchainMetric: endpoint({
    id: 'blockchain/{metric}',
    tag: 'Blockchain',
    summary: 'One field of /v1/blockchain, such as block_height or blocks_mined',
    pathParameters: z.object({ metric: z.string().meta({ example: 'block_height' }) }),
    query: daily,
    row: rows.blockchainMetric,
  }),
  cyclePerformance: endpoint({
    id: 'cycle-performance',
    tag: 'Cycles',
    summary: 'Price relative to that of a halving, a top or a low',
    description:
      'With type: rows by day_offset, ascending, and one column per cycle (cycle_1 is the first), each the price over the price of its reference day; limit counts rows, start_date and end_date bound the calendar days shown. Without type: rows by date, newest first, with the index of the running cycle of each kind.',
    history: { computedFromAll: 'the price of the reference day may be older' },
    query: pagedQuery({ type: cycleFamily.optional() }),
    row: rows.cyclePerformance,
    key: ['date', 'day_offset'],
  }),
  cycleBoundaries: endpoint({
    id: 'cycle-boundaries',
    tag: 'Cycles',
    summary: 'Start, end and duration of each cycle',
    description:
      'The newest cycle first. start_date and end_date choose the cycles that have days between them; without start_date there are the newest so many as limit says.',
    history: { all: 'the boundaries of cycles are dates that everybody knows' },
    query: orderedQuery({ family: cycleFamily.default('halving') }),
    row: rows.cycleBoundaries,
    orderedBy: 'start_date',
    key: ['cycle', 'family'],
  }),
  etfAggregate: endpoint({
    id: 'etf/aggregate',
    tag: 'ETFs',
    summary: 'Holdings, assets, flows, dominance and realized price of all funds together',
    query: daily,
    row: rows.etfAggregate,
    more: otherMetrics,
  }),
  etfRegistry: endpoint({
    id: 'etf/registry',
    tag: 'ETFs',
    summary: 'The funds: ticker, issuer, country, fee',
    ...registry,
    query: listed,
    row: rows.etfRegistry,
    more: columnsBeside(etfRegistry, rows.etfRegistry),
    key: ['ticker'],
  }),
  etfTicker: endpoint({
    id: 'etf/ticker',
    tag: 'ETFs',
    summary: 'Holdings and flows of one fund',
    query: dailyQuery({ ticker }),
    row: rows.etfTicker,
    more: columnsBeside(etf, rows.etfTicker),
  }),
  futuresOi: endpoint({
    id: 'futures/oi',
    tag: 'Derivatives',
    summary: 'Open interest of all exchanges together',
    query: daily,
    row: rows.futuresOi,
    more: otherMetrics,
  }),
  fundingAggregate: endpoint({
    id: 'funding/aggregate',
    tag: 'Derivatives',
    summary: 'Funding rate of all exchanges, weighted by open interest',
    query: daily,
    row: rows.fundingAggregate,
    more: otherMetrics,
  }),
  fundingExchange: endpoint({
    id: 'funding/exchange',
    tag: 'Derivatives',
    summary: 'Funding rate of one exchange',
    access: 'pro',
    query: dailyQuery({ exchange }),
    row: rows.fundingExchange,
    more: columnsBeside(funding, rows.fundingExchange),
  }),
  fundingExchanges: endpoint({
    id: 'funding/exchanges',
    tag: 'Derivatives',
    summary: 'Exchanges with funding rates',
    ...registry,
    query: listed,
    row: rows.exchanges,
    key: ['exchange'],
  }),
  oiExchange: endpoint({
    id: 'oi/exchange',
    tag: 'Derivatives',
    summary: 'Open interest of one exchange',
    access: 'pro',
    query: dailyQuery({ exchange }),
    row: rows.oiExchange,
    more: columnsBeside(openInterest, rows.oiExchange),
  }),
  oiExchanges: endpoint({
    id: 'oi/exchanges',
    tag: 'Derivatives',
    summary: 'Exchanges with open interest',
    ...registry,
    query: listed,
    row: rows.exchanges,
    key: ['exchange'],
  }),
  datAggregate: endpoint({
    id: 'dat/aggregate',
    tag: 'Treasuries',
    summary: 'Bitcoin of all companies with a treasury together',
    query: daily,
    row: rows.datAggregate,
    more: otherMetrics,
  }),
  datRegistry: endpoint({
    id: 'dat/registry',
    tag: 'Treasuries',
    summary: 'The companies and other entities that are tracked',
    ...registry,
    query: listed,
    row: rows.datRegistry,
    more: columnsBeside(treasuryRegistry, rows.datRegistry),
    key: ['id'],
  }),
  datEntity: endpoint({
    id: 'dat/entity',
    tag: 'Treasuries',
    summary: 'Holdings, value and flow of one entity, day by day',
    query: dailyQuery({ id: entityId }),
    row: rows.datEntity,
    more: columnsBeside(treasuries, rows.datEntity),
  }),
  datHoldings: endpoint({
    id: 'dat/company/{id}/holdings',
    tag: 'Treasuries',
    summary: 'Reports of one entity: what it held from that day on, and where it says so',
    description: 'start_date and end_date bound the days of the reports, of which there are few.',
    pathParameters: z.object({ id: entityId }),
    query: dated,
    row: rows.datHoldings,
    more: columnsBeside(treasuries, rows.datHoldings),
  }),
  datStats: endpoint({
    id: 'dat/stats',
    tag: 'Treasuries',
    summary: 'Newest totals by kind of entity',
    description:
      'Totals of one day: the newest published one within start_date and end_date. limit counts kinds. net_flow_btc_30d is null where the day 30 days before is not within the history of the tier.',
    query: listed,
    row: rows.datStats,
    key: ['date', 'type'],
  }),
  metrics: endpoint({
    id: 'metrics',
    tag: 'Definitions',
    summary: 'All metrics with their definitions, or those that fit a search',
    description:
      'With q: the 50 metrics that fit best, best first; where something is asked for that is not tracked, meta.note says so and why.',
    access: 'anyone',
    query: listQuery({ active_only: activeOnly, q: search }),
    row: rows.definition,
    more: moreOfDefinition,
    key: ['id'],
  }),
  metricCategories: endpoint({
    id: 'metrics/categories',
    tag: 'Definitions',
    summary: 'Categories with their metrics',
    access: 'anyone',
    query: listQuery({ active_only: activeOnly }),
    row: rows.category,
    key: ['name'],
  }),
  latest: endpoint({
    id: 'metrics/latest',
    tag: 'Definitions',
    summary: 'Newest value of every metric, one item per category',
    description:
      'The newest day of each category with any value within start_date and end_date; null where there is none. limit counts categories. Measures of single cohorts are left out.',
    query: listed,
    row: rows.latest,
    key: ['category', 'date'],
  }),
  metricIndex: endpoint({
    id: 'metrics/index',
    tag: 'Definitions',
    summary:
      'Every metric by what it is found and drawn by, as small as possible: one entry for the same metric of many cohorts',
    access: 'anyone',
    query: listQuery({}),
    row: rows.metricIndex,
    key: ['id'],
  }),
  percentiles: endpoint({
    id: 'metrics/percentiles',
    tag: 'Definitions',
    summary: 'Newest value of each metric with its percentile in the history of the metric, and both a week before',
    description:
      'A percentile is the percent of days whose value is not above, of all days of the metric, for every tier; history_from is the first of them. Without metrics all but the measures of single cohorts, exchanges, funds and entities.',
    history: { computedFromAll: 'a rank among sixty days would be taken for one among all, and tells no old value' },
    undated: 'they are of the newest day of each metric',
    query: listQuery({ metrics: metricIds.optional() }),
    row: rows.percentiles,
    key: ['id', 'date'],
  }),
  metric: endpoint({
    id: 'metrics/{metric_id}',
    tag: 'Definitions',
    summary: 'Definition of one metric',
    access: 'anyone',
    pathParameters: z.object({ metric_id: metricId }),
    query: listQuery({}),
    row: rows.definition,
    more: moreOfDefinition,
    key: ['id'],
  }),
  series: endpoint({
    id: 'series',
    tag: 'Series',
    summary: 'Any metrics, and a formula over them, in one table',
    description:
      'A column per metric, and the column formula. A formula is evaluated over the days that the caller may see, then cut to the dates asked for.',
    query: dailyQuery({
      metrics: metricIds.optional(),
      formula: z
        .string()
        .regex(/^[\s\S]{1,1000}$/, 'must be a formula of 1 to 1000 characters')
        .optional()
        .meta({ description: `Formula over metric ids. ${formulaLanguage}`, example: 'price / sma(price, 200)' }),
      digits,
    }),
    row: rows.series,
  }),
  revisions: endpoint({
    id: 'revisions',
    tag: 'Series',
    summary: 'Values of a metric that changed between two published generations',
    description:
      'A row for each day on which the two differ, of the days that both have; new days are no revisions. generation (or as_of) is the later one, by default the current one; from the earlier one, by default the one that was published before it. meta names both.',
    query: pagedQuery({ metric: metricId, from: earlierGeneration }),
    row: rows.revisions,
  }),
  tables: endpoint({
    id: 'tables',
    tag: 'Tables',
    summary: 'The published tables, each with the path of its whole file and the lowest tier that may have it',
    history: { all: 'it names the tables and tells no values' },
    query: listQuery({}),
    row: rows.tables,
    key: ['name'],
  }),
  costBasis: endpoint({
    id: 'cost-basis',
    tag: 'Series',
    summary: 'Supply by the price at which it was last moved, after one day',
    description:
      'Of each day prices ascend; bins without coins have no row. With start_date all days from there to end_date are answered, without it one: date, else end_date or the newest. limit counts bins.',
    query: pagedQuery({
      date: day.optional().meta({ description: 'The day; not together with start_date and end_date' }),
    }),
    row: rows.costBasis,
    key: ['date', 'bin'],
  }),
} as const

export type EndpointName = keyof typeof endpoints

/** Names of metrics' endpoints in the catalogue: paths without `/v1/`, each cohort's for itself. */
export type EndpointId = Filled<(typeof endpoints)[EndpointName]['id']>

type Filled<Id extends string> = Id extends `${infer Before}{cohort}${infer After}`
  ? `${Before}${ServedCohort}${After}`
  : Id extends `${string}{${string}`
    ? never
    : Id
