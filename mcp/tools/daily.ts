import { z } from 'zod'
import type { EndpointId } from '#contract/endpoints.ts'
import { answerDaily } from '../answers/answer-fields.ts'
import { fields, normalizeName, parameters, timeParameters } from '../answers/parameters.ts'
import { seriesSchema } from '../answers/series-answer.ts'
import { defineTool } from './tool.ts'

interface DailyTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly endpoint: EndpointId
  readonly defaultFields: readonly string[]
}

const describeDefaults = (defaultFields: readonly string[]): string => `Default fields: ${defaultFields.join(', ')}.`

const dailyTool = ({ name, title, description, endpoint, defaultFields }: DailyTool) =>
  defineTool({
    name,
    title,
    description,
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
  output: seriesSchema,
  run: async ({ symbol: _, ...request }, call) => answerDaily(call, 'prices', request, priceFields),
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
