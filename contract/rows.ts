import { z } from 'zod'
import { ageBands } from './cohorts.ts'
import { cycleFamilies } from './cycle-families.ts'
import { isoDate, value } from './envelope.ts'
import { metricAggregates, metricKinds } from './metric-kinds.ts'
import { dayHashesSchema } from './proof.ts'
import { servedCohorts } from './served-cohorts.ts'
import { addressBalances, blocks, labelDays } from './tables/chain.ts'
import type { Column, ColumnType, Value } from './tables/column.ts'
import { etf, funding, openInterest, treasuries } from './tables/market.ts'
import { cycles } from './tables/metrics.ts'
import { etfRegistry } from './tables/registries.ts'
import type { Table } from './tables/table.ts'
import { todayMetrics, todayState } from './tables/today.ts'

const count = z.int().min(0)
const text = z.string().nullable()
const instant = z.iso.datetime()
const date = isoDate.meta({ description: 'Day, UTC' })
const date_processed = isoDate.meta({ description: 'Same as date' })

const words = (names: string) => names.split(/\s+/)

const describeColumn = ({ description, unit }: Column): string =>
  `${description.replaceAll('NULL', 'null')}${unit === undefined ? '' : ` Unit: ${unit}.`}`

const numberCell = (column: Column) => value.meta({ description: describeColumn(column) })

const cellSchemas: Readonly<Record<ColumnType, z.ZodType<string | number | boolean | string[] | null>>> = {
  BOOLEAN: z.boolean(),
  INTEGER: z.int(),
  BIGINT: z.int(),
  DOUBLE: z.number(),
  'DECIMAL(38,0)': z.number(),
  DATE: isoDate,
  TIMESTAMP: z.iso.datetime(),
  VARCHAR: z.string(),
  'VARCHAR[]': z.array(z.string()),
}

function toCell(column: Column, isNullable = column.nullable) {
  const cell = cellSchemas[column.type]
  return (isNullable ? cell.nullable() : cell).meta({ description: describeColumn(column) })
}

/** Columns of a published table that `row` lacks. */
export const otherColumns = ({ columns }: Table, row: z.ZodObject) =>
  z.object(
    Object.fromEntries(
      Object.entries(columns).flatMap(([name, column]) => (name in row.shape ? [] : [[name, toCell(column)]])),
    ),
  )

type Word<Text extends string> = Text extends `${infer First} ${infer Others}` ? First | Word<Others> : Text

type Cell<Of extends Column> = z.ZodType<Value<Of> | (Of['type'] extends 'DOUBLE' ? null : never)>

/** Named columns of a published table. Fractions may be null. */
function cells<Of extends Table, const Names extends string>(
  of: Of,
  ...names: readonly Names[]
): { readonly [Name in Word<Names> & keyof Of['columns']]: Cell<Of['columns'][Name]> }
function cells({ columns }: Table, ...names: readonly string[]): z.ZodRawShape {
  const named = names.flatMap(words).map((name) => {
    const column = columns[name]!
    return [name, toCell(column, column.nullable || column.type === 'DOUBLE')] as const
  })
  return Object.fromEntries(named)
}

/** Assigned to the endpoint by the catalogue. */
export const otherMetrics = z.object({}).catchall(value)

/** Metrics of a day; withheld ones are absent. */
const metricRow = <Shape extends z.ZodRawShape>(shape: Shape, fields: string) =>
  z.object({ date, ...shape, ...Object.fromEntries(words(fields).map((name) => [name, value.optional()])) })

const bandSupplies = ageBands.map(({ id }) => `supply_${id}`).join(' ')

/** Metrics of the open day; withheld ones are absent. */
const openMetrics: Readonly<Record<string, z.ZodOptional>> = Object.fromEntries(
  Object.entries<Column>(todayMetrics).map(([name, column]) => [name, numberCell(column).optional()]),
)

const metric = z
  .object({
    id: z.string(),
    name: z.string(),
    short_description: text,
    description: z.string(),
    category: z.string(),
    unit: z.string(),
    dimension: z.string().meta({
      description:
        'Dimension of the values, such as USD per coin or USD per day: metrics of one dimension share an axis',
    }),
    kind: z.enum(metricKinds).meta({
      description: 'level: holds at the end of the day; flow: happened during it and adds up; rate: does not add up',
    }),
    aggregate: z.enum(metricAggregates).meta({
      description:
        'How days become a week, month or year. formula: its formula over the period, with the mean of flows and the last of levels; counts: from the blocks of each pool in the period',
    }),
    endpoint: z.string().meta({ description: 'Address of its endpoint, without /v1/' }),
    field: z.string().meta({ description: 'Its name in the rows of that endpoint' }),
    grade: z.int().min(0).max(2),
    formula: text.meta({ description: 'The formula that is evaluated, over other metrics; null for measured ones' }),
    variant: text,
    source: text,
    first_date: isoDate.nullable().meta({ description: 'First day with a value' }),
    style: text,
    scale: text,
    related: z.array(z.string()),
    aliases: z
      .array(z.string())
      .meta({ description: 'Names elsewhere as `vendor: name`, usual names, and other ids that are accepted for it' }),
    active: z.boolean().meta({ description: 'The metric has values on this instance' }),
    intervals: z.array(z.string()).meta({ description: 'Values of the parameter interval of /v1/series' }),
    cohorts: z.array(z.string()).default([]).meta({
      description:
        'In the list of measures: cohorts by age that have this measure, for each of which there is a metric; variants=all lists those of other cohorts too',
    }),
  })
  .meta({ id: 'Metric' })

/** Only if `fields` requests them. */
const optionalFields = {
  dimension: true,
  kind: true,
  aggregate: true,
  aliases: true,
  active: true,
  intervals: true,
} as const
/** Table and column of its values; in lists only on request. */
export const metricPlace = z.object({
  table_name: z.string().meta({ description: 'Published table that holds its values' }),
  column_name: z.string().meta({ description: 'Column that holds them' }),
  cohort: text.meta({ description: 'Cohort of their rows, if the table is cohorts' }),
})
export const optionalDefinitionFields = metric.pick(optionalFields).extend(metricPlace.shape)

/** Only if `fields` requests them. */
export const percentileDetails = z.object({
  change: value.meta({ description: 'Change over period; null from 0, or from days that the caller does not see' }),
  change_unit: text.meta({ description: 'percent, or the unit of a metric that has negative values' }),
  change_percentile: value.meta({ description: 'Rank of change among all such changes; null for a trend' }),
  like: text.meta({ description: 'First metric of the category whose changes correlate by 0.9 or more in 730 days' }),
  zone: text.meta({ description: 'Usual reading of value; null if none is known' }),
  zones: z
    .array(z.string())
    .meta({ description: 'All zones with their share of the days that the caller sees, from 2012 on' }),
  zones_source: text.meta({ description: 'Publication that defines the zones, and its address' }),
})

export const rows = {
  today: z.object({
    date: isoDate.meta({ description: todayState.date.description }),
    provisional: z.literal(true).meta({ description: todayState.provisional.description }),
    as_of_height: count.meta({ description: todayState.as_of_height.description }),
    as_of_hash: z.string().meta({ description: todayState.as_of_hash.description }),
    as_of_time: instant.meta({ description: todayState.as_of_time.description }),
    updated_at: instant.meta({ description: todayState.updated_at.description }),
    price_time: instant.nullable().meta({ description: todayState.price_time.description }),
    price_source: text.meta({ description: todayState.price_source.description }),
    ...openMetrics,
  }),
  prices: metricRow(
    { symbol: z.literal('BTC') },
    `price open high low close volume market_cap drawdown realized_vol_1w realized_vol_2w realized_vol_1m
     realized_vol_3m realized_vol_6m realized_vol_1y`,
  ),
  holderSupply: metricRow({ date_processed }, `circulating_supply lth_supply sth_supply ${bandSupplies}`),
  holderValuation: metricRow(
    { date_processed },
    `realized_cap realized_price mvrv thermo_cap mc_tc_ratio average_cap delta_cap balanced_price investor_cap
     mayer_multiple lth_realized_cap sth_realized_cap lth_realized_price sth_realized_price lth_mvrv sth_mvrv
     lth_unrealized_pl sth_unrealized_pl`,
  ),
  holderProfit: metricRow(
    { date_processed },
    `nupl lth_nupl sth_nupl unrealized_pl unrealized_profit unrealized_loss realized_pl realized_profit realized_loss
     sopr asopr lth_sopr sth_sopr supply_in_profit supply_in_loss percent_supply_in_profit`,
  ),
  cohortMetrics: metricRow({ date_processed, cohort: z.enum(servedCohorts) }, 'supply realized_cap realized_price'),
  utxoHistory: z.object({
    date_processed: isoDate,
    cohort_date: isoDate.meta({ description: 'Day on which the outputs were created' }),
    token_amount: z.number().meta({ description: 'BTC created on cohort_date and unspent after date_processed' }),
    usd_value: value.meta({ description: 'token_amount at the price of date_processed' }),
    age_days: count,
    cohort: z.enum(ageBands.map(({ id }) => id)),
  }),
  coindays: metricRow(
    {},
    `coindays_destroyed binary_cdd supply_adjusted_cdd liveliness vaultedness dormancy dormancy_flow net_coindays
     coindays_accumulated transferred_price transfer_volume`,
  ),
  blockchain: metricRow({}, 'block_height blocks_mined'),
  addresses: metricRow({}, 'active_addresses sending_addresses receiving_addresses'),
  addressEstimates: z.object({ date, ...cells(addressBalances, 'value low high') }),
  addressLabels: z.object({
    date,
    label: z.string().meta({ description: describeColumn(labelDays.columns.label) }),
    addresses: toCell(labelDays.columns.addresses),
    balance: value.meta({ description: 'Balance in BTC' }),
    received: value.meta({ description: 'BTC that they received on the day, also from each other and as change' }),
    spent: value.meta({ description: 'BTC that they spent on the day' }),
    realized_cap: value.meta({ description: describeColumn(labelDays.columns.realized_cap) }),
    realized_price: value.meta({ description: 'realized_cap by balance: USD that a coin cost on average' }),
    average_age_days: value.meta({ description: 'Mean age of their coins in days' }),
    coin_days_destroyed: value.meta({ description: describeColumn(labelDays.columns.coin_days_destroyed) }),
  }),
  blockchainMetric: z.object({ date }).catchall(value),
  blocks: z.object({
    date,
    ...cells(
      blocks,
      'height hash time pool transactions size weight fees_sats fee_rate_p10 fee_rate_median fee_rate_p90',
      'issuance_sats supply_sats',
    ),
  }),
  pools: z.object({
    date: isoDate.meta({ description: 'Last of the days' }),
    from_date: isoDate.meta({ description: 'First of the days, whose blocks are added up' }),
    pool: z.string().meta({ description: 'Id of the pool, as in the blocks' }),
    name: z.string(),
    link: text.meta({ description: 'Address of its web site' }),
    blocks: count,
    share_percent: value.meta({ description: 'Share of all blocks, in percent' }),
    hash_rate: value.meta({ description: 'Its share of the blocks times the hash rate of the days, in H/s' }),
    fees_sats: z.int().meta({ description: 'Fees of its blocks' }),
    coinbase_sats: z.int().meta({ description: 'What its coinbases paid out, fees included' }),
  }),
  cyclePerformance: z
    .object({
      date: date.optional().meta({ description: 'Without type: the day' }),
      day_offset: count
        .nullable()
        .meta({ description: 'Days since the reference day; without type: since the last halving' }),
    })
    .catchall(value),
  cycleBoundaries: z.object({
    cycle: z.int().min(1),
    family: z.enum(cycleFamilies),
    start_date: isoDate,
    end_date: isoDate.nullable(),
    duration_days: count.nullable(),
    start_height: count.nullable(),
    start_price: numberCell(cycles.columns.start_price),
  }),
  provisionalCycle: z.object({
    provisional: z.boolean().meta({ description: cycles.columns.provisional.description }),
  }),
  otherCycleFields: z.object({
    ...{ days_since_halving: value, days_since_cycle_ath: value, days_since_cycle_low: value },
    ...{ halving_epoch: value, blocks_to_halving: value, halving_progress_percent: value },
  }),
  etfAggregate: metricRow(
    {},
    `total_btc_holdings total_aum_usd net_flow_btc net_flow_usd cumulative_flow_btc cumulative_money_flow dominance
     realized_price us_btc_holdings us_realized_price premium_average etf_count`,
  ),
  etfRegistry: z.object({
    ticker: z.string(),
    name: z.string(),
    issuer: text,
    country: text,
    launch_date: isoDate.nullable(),
    fee_percent: numberCell(etfRegistry.columns.fee_percent),
    status: text,
  }),
  etfTicker: z.object({
    date,
    ...cells(etf, 'btc_holdings net_flow_btc cumulative_flow_btc aum_usd realized_cap premium'),
  }),
  futuresOi: metricRow({}, 'total_oi_usd oi_delta_usd oi_delta_pct exchange_count'),
  fundingAggregate: metricRow({}, 'avg_funding_rate spread annualized exchange_count'),
  fundingExchange: z.object({
    date,
    exchange: z.string(),
    ...cells(funding, 'funding_rate annualized oi_weight'),
  }),
  oiExchange: z.object({
    date,
    exchange: z.string(),
    ...cells(openInterest, 'oi_usd oi_btc oi_delta_usd oi_share'),
  }),
  exchanges: z.object({ exchange: z.string(), name: z.string(), first_date: isoDate, last_date: isoDate }),
  datAggregate: metricRow(
    {},
    `total_btc total_companies public_company_btc net_change_btc pct_of_supply total_value_usd cumulative_money_flow`,
  ),
  datRegistry: z.object({
    id: z.int(),
    name: z.string(),
    ticker: text,
    type: z.string(),
    country: text,
    first_date: isoDate.nullable(),
  }),
  datEntity: z.object({
    date,
    ...cells(
      treasuries,
      'btc_amount total_current_value_usd net_flow_btc cumulative_flow_btc percentage_of_total_supply',
      'market_share_pct',
    ),
  }),
  datHoldings: z.object({ date, ...cells(treasuries, 'btc_amount net_flow_btc'), source: text }),
  datStats: z.object({
    date,
    type: z.string().meta({ description: 'Kind of entity, as in the registry' }),
    entities: count.meta({ description: 'Entities that hold bitcoin' }),
    btc_amount: value,
    total_current_value_usd: value,
    net_flow_btc_30d: value,
    percentage_of_total_supply: value,
    market_share_pct: value,
    largest_entity: text,
    largest_btc_amount: value,
  }),
  metric,
  definition: metric.omit(optionalFields),
  metricIndex: metric
    .pick({
      id: true,
      name: true,
      category: true,
      unit: true,
      dimension: true,
      kind: true,
      aggregate: true,
      grade: true,
      style: true,
      aliases: true,
    })
    .extend({
      endpoint: z.string().meta({ description: 'Path of its endpoint, without /v1/ and parameters' }),
      cohorts: z.array(z.string()).meta({
        description:
          'If not empty, the entry describes one metric per item. The text before the first space replaces `{cohort}` in id, endpoint and aliases, the text after it in the name',
        example: ['over_6m coins aged 6 months or more'],
      }),
    })
    .meta({ id: 'MetricIndexEntry' }),
  percentiles: z.object({
    id: z.string(),
    date: isoDate.meta({ description: 'Day of the newest value' }),
    value: z.number(),
    percentile: z
      .number()
      .meta({ description: 'Percent of the days of history with a lower value, and half of those with the same' }),
    history_from: isoDate.meta({ description: 'First of the days that are compared' }),
    value_7d_ago: value,
    percentile_7d_ago: value.meta({ description: 'Percentile of value_7d_ago, in the same history' }),
  }),
  category: z.object({ name: z.string(), count, metrics: z.array(z.string()) }),
  latest: z.object({ category: z.string(), date: isoDate.nullable() }).catchall(value),
  series: z
    .object({
      date,
      time: instant
        .optional()
        .meta({ description: 'Of hours: their beginning; of blocks: the time in their header, UTC' }),
      height: count.optional().meta({ description: 'Of blocks: their height' }),
    })
    .catchall(value),
  revisions: z.object({
    date,
    value_before: value.meta({ description: 'In the earlier generation; null if it was not known' }),
    value_after: value.meta({ description: 'In the later one' }),
    change: value.meta({ description: 'value_after minus value_before; null if either is null' }),
    change_percent: value.meta({ description: 'Relative to value_before; null if that is 0 or not known' }),
  }),
  proof: dayHashesSchema,
  tables: z.object({
    name: z.string(),
    row_for: z.string().meta({ description: 'Subject of a row, such as a day' }),
    holds: z.string(),
    rows: count,
    bytes: count.meta({ description: 'Size of the file' }),
    sha256: z.string().meta({ description: 'SHA-256 of the file, which is also its ETag' }),
    tier: z
      .string()
      .meta({ description: 'The lowest tier that can get the whole table: demo (everybody), pro or enterprise' }),
    path: z.string().meta({ description: 'Where the Parquet file is' }),
  }),
  tableColumns: z.object({ columns: z.array(z.string()).meta({ description: 'Name, type and unit of each' }) }),
  costBasis: z.object({
    date,
    bin: count.meta({
      description:
        '0 holds coins from before the first market; there are 200 bins per factor of ten. Of joined bins it is the first',
    }),
    lower_price: z.number().meta({ description: 'Lowest cost of the bin, USD' }),
    upper_price: z.number().meta({ description: 'Cost below which the bin ends, USD' }),
    supply_sats: z.int().meta({ description: 'Unspent coins that had cost as much' }),
    supply: z.number().meta({ description: 'The same in BTC' }),
    spent_sats: z.int().meta({ description: 'Coins spent on the day that had cost as much' }),
    spent: z.number().meta({ description: 'The same in BTC' }),
  }),
} as const
