import { z } from 'zod'
import { findNearest } from '#base/suggestions.ts'
import { ageBands } from '#contract/cohorts.ts'
import type { EndpointId } from '#contract/endpoints.ts'
import { answeringIds } from '#contract/metric-ids.ts'
import { answerDaily, answerFields } from '../answers/answer-fields.ts'
import { fields, fields as fieldsParameter, normalizeName, parameters, timeParameters } from '../answers/parameters.ts'
import { metricField, seriesSchema } from '../answers/series-answer.ts'
import { findCohort } from '../answers/spoken-names.ts'
import type { Catalogue, Metric } from '../client/catalogue.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'

interface DailyTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly endpoint: EndpointId
  readonly defaultFields: readonly string[]
}

const describeDefaults = (defaultFields: readonly string[]): string => `Default fields: ${defaultFields.join(', ')}.`

const dailyTool = ({ endpoint, defaultFields, ...about }: DailyTool) =>
  defineTool({
    ...about,
    more: describeDefaults(defaultFields),
    input: parameters({ ...timeParameters, fields }),
    output: seriesSchema,
    run: async (request, call) => answerDaily(call, endpoint, request, defaultFields),
  })

const priceFields = ['close', 'open', 'high', 'low', 'volume', 'market_cap', 'drawdown', 'realized_vol_1m']

const prices = defineTool({
  name: 'get_prices',
  title: 'Bitcoin price',
  description:
    'Daily open, high, low, close, volume (USD), market_cap (USD), drawdown from the highest close (a fraction: -0.5 is half of it), realized_vol_1m (percent a year); by fields also returns, moving averages, RSI. Closes at midnight UTC, not live.',
  more: describeDefaults(priceFields),
  input: parameters({
    symbol: z
      .string()
      .overwrite((text) => text.toUpperCase())
      .pipe(z.literal('BTC', { error: 'must be BTC: only Bitcoin is served' }))
      .default('BTC'),
    ...timeParameters,
    fields,
  }),
  output: seriesSchema.partial({ statistics: true }).extend({ units: z.record(z.string(), z.string()).optional() }),
  run: async ({ symbol: _, ...request }, call) => {
    const { days, start_date, end_date, rows } = request
    const isOneDay = start_date === undefined ? days === 1 : start_date === end_date
    const answer = await answerDaily(call, 'prices', { ...request, rows: isOneDay ? 1 : rows }, priceFields)
    const { statistics, ...withoutStatistics } = answer
    if (!isOneDay || !answer.rows) return answer
    return { ...withoutStatistics, units: Object.fromEntries(statistics.map(({ field, unit = '' }) => [field, unit])) }
  },
})

const blockchainFields = [
  ...['block_height', 'blocks_mined', 'tx_count', 'fees', 'fees_percent', 'fee_rate_mean', 'issuance'],
  ...['miner_revenue_usd', 'difficulty', 'hash_rate_7d', 'hash_rate_30d', 'hash_price'],
]

const blockchain = defineTool({
  name: 'get_blockchain',
  title: 'Blockchain and mining',
  description:
    'Blocks, transactions, fees and issuance (BTC), miner revenue (USD), difficulty, hash rate (H/s, estimated from work) by day.',
  more: describeDefaults(blockchainFields),
  input: parameters({
    metric: z
      .string()
      .max(100)
      .overwrite(normalizeName)
      .optional()
      .describe('One field alone, such as block_height or blocks_mined'),
    ...timeParameters,
    fields,
  }),
  output: seriesSchema,
  run: async ({ metric, ...request }, call) => {
    const single = metric === undefined ? {} : { fields: [metric] }
    return answerDaily(call, 'blockchain', { ...request, ...single }, blockchainFields)
  },
})

const defaultFields = [
  ...['supply', 'supply_percent', 'supply_change_30d', 'realized_cap', 'realized_price', 'mvrv', 'nupl'],
  ...['supply_in_profit_percent', 'sopr', 'realized_profit', 'realized_loss', 'spent_volume', 'coindays_destroyed'],
]

const byAge = [...ageBands.map(({ id }) => id), 'lth', 'sth'].join(', ')

export const cohortMetrics = defineTool({
  name: 'get_cohort_metrics',
  title: 'One group of coins',
  description: `supply (BTC), realized_price (USD), mvrv, nupl, sopr, spent_volume and more of one cohort of coins: an age band (${byAge}: long- and short-term holders), older or younger than an age (over_1y, under_6m), of a year (y2017) or halving epoch (epoch_4), by size of output (over_10_btc, under_1m_sats, 1_10_btc), script type (p2pkh, p2tr), mined, or exposed (public key visible). Profit and loss need a key of tier pro or higher.`,
  more: `Default fields: ${defaultFields.join(', ')}.`,
  input: parameters({
    cohort: z.string().trim().min(1).max(60),
    ...timeParameters,
    fields: fieldsParameter,
  }),
  output: seriesSchema.extend({ cohort: z.string() }),
  run: async ({ cohort: requested, fields, ...request }, call) => {
    const catalogue = await call.catalogue.read(call)
    const known = listCohorts(catalogue)
    const cohort = findCohort(requested, known)
    if (cohort === undefined) {
      const near = findNearest(normalizeName(requested), known)
      throw new ToolError(
        `there is no cohort '${requested}'`,
        `use one of ${byAge}; there are more, such as ${near.join(', ')}`,
      )
    }
    const measures = [...new Set(fields ?? defaultFields)]
    const chosen = measures.flatMap((measure) => {
      const metric = findCohortMetric(catalogue, measure, cohort)
      if (metric) return [metricField(metric, measure)]
      if (!fields) return []
      throw new ToolError(
        `there is no measure '${measure}' of cohort ${cohort}`,
        `use measures such as ${defaultFields.join(', ')}`,
      )
    })
    return { cohort, ...(await answerFields(call, chosen, request)) }
  },
})

/** Ids begin with lth or sth, and end with any other cohort. */
export const findCohortMetric = (catalogue: Catalogue, measure: string, cohort: string): Metric | undefined =>
  catalogue.find(`${measure}_${cohort}`) ?? catalogue.find(`${cohort}_${measure}`)

/** Only cohorts have both a UTXO count and a realized price. */
function listCohorts(catalogue: Catalogue): Set<string> {
  const found = catalogue.metrics
    .flatMap(answeringIds)
    .flatMap((id) => /^utxo_count_(\w+)$/.exec(id)?.[1] ?? /^(\w+)_utxo_count$/.exec(id)?.[1] ?? [])
  return new Set(found.filter((cohort) => findCohortMetric(catalogue, 'realized_price', cohort)))
}

export const dailyTools = [
  prices,
  dailyTool({
    name: 'get_holder_supply',
    title: 'Supply of holders',
    description:
      'Supply (BTC): circulating_supply, lth_supply (coins unmoved for 155 days or more), sth_supply, lth_supply_percent; by fields also by age in twelve bands, supply_24h, supply_1d_1w to supply_10y_plus (HODL waves). Supply grows for years, so read percentiles of the percentage.',
    endpoint: 'holder/supply',
    defaultFields: ['circulating_supply', 'lth_supply', 'sth_supply', 'lth_supply_percent'],
  }),
  dailyTool({
    name: 'get_holder_valuation',
    title: 'Valuation',
    description:
      'Cheap or expensive against its own history? mvrv, mvrv_z, realized_price (what coins cost when they last moved, USD), mayer_multiple, puell_multiple, reserve_risk and more. A high percentile says expensive against the past, not that the price will fall.',
    endpoint: 'holder/valuation',
    defaultFields: ['mvrv', 'mvrv_z', 'realized_price', 'mayer_multiple', 'puell_multiple', 'reserve_risk'],
  }),
  dailyTool({
    name: 'get_holder_profit',
    title: 'Profit and loss',
    description:
      'Are holders in profit, and do they take it? nupl, sopr (price at spending over cost; above 1 spent at a profit), realized_profit and realized_loss (USD), supply_in_profit (BTC), percent_supply_in_profit; also lth_ and sth_. Needs a key of tier pro or higher.',
    endpoint: 'holder/profit',
    defaultFields: ['nupl', 'sopr', 'realized_profit', 'realized_loss', 'percent_supply_in_profit'],
  }),
  dailyTool({
    name: 'get_coindays',
    title: 'Coin days',
    description:
      'Are old coins moving? coindays_destroyed, liveliness, dormancy (mean age of spent coins, days), transfer_volume (BTC), revived_supply_1y. Change outputs and moves between wallets of one owner count as spending.',
    endpoint: 'coindays',
    defaultFields: [
      ...['coindays_destroyed', 'supply_adjusted_cdd', 'binary_cdd', 'liveliness', 'vaultedness', 'dormancy'],
      ...['dormancy_flow', 'transfer_volume', 'transfer_volume_usd', 'revived_supply_1y', 'revived_supply_5y'],
    ],
  }),
  blockchain,
]
