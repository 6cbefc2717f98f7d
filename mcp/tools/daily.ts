import { z } from 'zod'
import type { EndpointId } from '#contract/endpoints.ts'
import { answerDaily } from '../answers/answer-daily.ts'
import { mostFields, parameters, timeParameters } from '../answers/parameters.ts'
import { seriesSchema } from '../answers/series-answer.ts'
import { defineTool } from './tool.ts'

const fields = (headline: readonly string[]) =>
  z
    .array(z.string().max(100))
    .min(1)
    .max(mostFields)
    .optional()
    .describe(`Fields to answer, up to ${mostFields}; without it ${headline.join(', ')}`)

interface DailyTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly endpoint: EndpointId
  readonly headline: readonly string[]
}

const dailyTool = ({ name, title, description, endpoint, headline }: DailyTool) =>
  defineTool({
    name,
    title,
    description: `${description} Daily, days end at midnight UTC; each field with statistics and its percentile in history.`,
    input: parameters({ ...timeParameters, fields: fields(headline) }),
    output: seriesSchema,
    run: async (request, call) => ({ structured: await answerDaily(call, endpoint, request, headline) }),
  })

const priceFields = [
  ...['open', 'high', 'low', 'close', 'volume', 'market_cap', 'drawdown'],
  ...['realized_vol_1w', 'realized_vol_2w', 'realized_vol_1m', 'realized_vol_3m', 'realized_vol_6m', 'realized_vol_1y'],
]

const prices = defineTool({
  name: 'get_prices',
  title: 'Bitcoin price',
  description:
    'Price of bitcoin: open, high, low, close and volume in USD, market cap (USD), drawdown from the highest close (a fraction: -0.5 is half of it), annualized realized volatility (percent), and by fields also returns, moving averages, RSI and more. Daily closes at midnight UTC, not the price of this moment.',
  input: parameters({
    symbol: z.literal('BTC', { error: 'must be BTC: only Bitcoin is served' }).default('BTC'),
    ...timeParameters,
    fields: fields(priceFields),
  }),
  output: seriesSchema,
  run: async (request, call) => ({ structured: await answerDaily(call, 'prices', request, priceFields) }),
})

const blockchainFields = [
  ...[
    'block_height',
    'blocks_mined',
    'block_interval',
    'tx_count',
    'fees',
    'fees_percent',
    'fee_rate_mean',
    'issuance',
  ],
  ...['miner_revenue_usd', 'difficulty', 'hash_rate_7d', 'hash_rate_30d', 'hash_price'],
]

const blockchain = defineTool({
  name: 'get_blockchain',
  title: 'Blockchain and mining',
  description:
    'Blocks, transactions, fees (BTC), issuance (BTC), miner revenue (USD), difficulty and hash rate (H/s, estimated from work) by day. metric answers one field alone, such as block_height or blocks_mined.',
  input: parameters({
    metric: z
      .string()
      .max(100)
      .optional()
      .describe('One field alone: block_height, blocks_mined, or another field of this tool'),
    ...timeParameters,
    fields: fields(blockchainFields),
  }),
  output: seriesSchema,
  run: async ({ metric, ...request }, call) => ({
    structured: await answerDaily(
      call,
      'blockchain',
      metric === undefined ? request : { ...request, fields: [metric] },
      blockchainFields,
    ),
  }),
})

export const dailyTools = [
  prices,
  dailyTool({
    name: 'get_holder_supply',
    title: 'Supply of holders',
    description:
      'Supply in BTC: circulating, of long-term holders (coins unmoved for 155 days or more) and short-term holders, and by age of coins in twelve bands (HODL waves).',
    endpoint: 'holder/supply',
    headline: [
      ...['circulating_supply', 'lth_supply', 'sth_supply', 'supply_24h', 'supply_1d_1w', 'supply_1w_1m'],
      ...['supply_1m_3m', 'supply_3m_6m', 'supply_6m_12m', 'supply_1y_2y', 'supply_2y_3y', 'supply_3y_5y'],
      ...['supply_5y_7y', 'supply_7y_10y', 'supply_10y_plus'],
    ],
  }),
  dailyTool({
    name: 'get_holder_valuation',
    title: 'Valuation',
    description:
      'Is Bitcoin cheap or dear? Realized cap and price (what the coins cost when they last moved, USD), MVRV (market value over it), thermo, average, delta and investor cap, balanced price, Mayer multiple, and costs of long-term and short-term holders. A high percentile says dear against the past, not that the price will fall.',
    endpoint: 'holder/valuation',
    headline: [
      ...['realized_cap', 'realized_price', 'mvrv', 'mvrv_z', 'thermo_cap', 'mc_tc_ratio', 'average_cap', 'delta_cap'],
      ...['balanced_price', 'investor_cap', 'mayer_multiple', 'lth_realized_price', 'sth_realized_price', 'lth_mvrv'],
      ...['sth_mvrv', 'puell_multiple', 'reserve_risk'],
    ],
  }),
  dailyTool({
    name: 'get_holder_profit',
    title: 'Profit and loss',
    description:
      'Are holders in profit, and do they take it? NUPL, unrealized and realized profit and loss (USD), SOPR (price at spending over cost; above 1 means spent at a profit), supply in profit (BTC and percent). Needs an API key of tier pro or higher.',
    endpoint: 'holder/profit',
    headline: [
      ...['nupl', 'lth_nupl', 'sth_nupl', 'unrealized_pl', 'unrealized_profit', 'unrealized_loss', 'realized_pl'],
      ...['realized_profit', 'realized_loss', 'sopr', 'asopr', 'lth_sopr', 'sth_sopr', 'supply_in_profit'],
      ...['supply_in_loss', 'percent_supply_in_profit'],
    ],
  }),
  dailyTool({
    name: 'get_coindays',
    title: 'Coin days',
    description:
      'Are old coins moving? Coin days destroyed, liveliness and vaultedness (0 to 1), dormancy (mean age of spent coins, days), dormancy flow, volume of spent coins in BTC. Change outputs and moves between wallets of one owner count as spending.',
    endpoint: 'coindays',
    headline: [
      ...['coindays_destroyed', 'supply_adjusted_cdd', 'binary_cdd', 'liveliness', 'vaultedness', 'dormancy'],
      ...['dormancy_flow', 'net_coindays', 'coindays_accumulated', 'transfer_volume', 'transfer_volume_usd'],
      ...['revived_supply_1y', 'revived_supply_5y'],
    ],
  }),
  blockchain,
]
