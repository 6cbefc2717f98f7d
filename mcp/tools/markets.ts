import { z } from 'zod'
import { addressOf } from '#clients/typescript/address.ts'
import type { EndpointId } from '#contract/endpoints.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { answerDaily } from '../answers/answer-daily.ts'
import { parameters, timeParameters } from '../answers/parameters.ts'
import { seriesAnswer, seriesSchema } from '../answers/series-answer.ts'
import type { Range } from '../answers/window.ts'
import type { Call } from '../client/call.ts'
import { historyOf } from '../client/history.ts'
import { defineTool } from './tool.ts'

/** More than there are days; statistics need them all. */
const allDays = 10_000

/** Daily rows of one exchange, fund or entity. */
interface Keyed {
  readonly path: string
  readonly endpoint: EndpointId
  /** Checks an answer. */
  readonly schema: typeof etfTicker | typeof fundingExchange | typeof oiExchange | typeof datEntity
}

const etfTicker = successSchema(rows.etfTicker)
const fundingExchange = successSchema(rows.fundingExchange)
const oiExchange = successSchema(rows.oiExchange)
const datEntity = successSchema(rows.datEntity)

async function answerKeyed(call: Call, { path, endpoint, schema }: Keyed, range: Range) {
  const { rest, histories, catalogue, signal } = call
  const history = await rest.getCached(path, schema, historyOf, histories, signal)
  catalogue.saw(history.meta.generation)
  const metrics = (await catalogue.read(rest, signal)).servedBy(endpoint)
  const fields = [...history.columns.keys()].map((name) => ({
    ...{ name, column: name, metricId: null },
    unit: metrics.find(({ field }) => field === name)?.unit ?? null,
  }))
  return seriesAnswer(history, fields, { range })
}

const keyed = (name: string) =>
  z
    .string()
    .regex(/^[\w.-]{1,100}$/, `must be one ${name}`)
    .optional()

const etf = defineTool({
  name: 'get_etf',
  title: 'Spot ETFs',
  description:
    'Holdings (BTC), assets (USD), flows, share of supply and realized price of the spot bitcoin funds, together or of one fund. Funds report late: the newest days may be incomplete.',
  input: parameters({
    ticker: keyed('ticker').describe('One fund of list_etfs, such as IBIT; all together without it'),
    ...timeParameters,
  }),
  output: seriesSchema,
  run: async ({ ticker, ...range }, call) => {
    if (ticker === undefined) return { structured: await answerDaily(call, 'etf/aggregate', range) }
    const path = addressOf('/v1/etf/ticker', { ticker, limit: allDays })
    return { structured: await answerKeyed(call, { path, endpoint: 'etf/ticker', schema: etfTicker }, range) }
  },
})

const exchange = keyed('exchange').describe('One exchange of list_exchanges, such as binance; all together without it')

const funding = defineTool({
  name: 'get_funding',
  title: 'Funding rates',
  description:
    'Funding rate of perpetual futures per 8 hours (a fraction: 0.0001 is 0.01 percent; positive: longs pay shorts), weighted by open interest over the exchanges, and annualized; or of one exchange, which needs an API key of tier pro or higher.',
  input: parameters({ exchange, ...timeParameters }),
  output: seriesSchema,
  run: async ({ exchange: one, ...range }, call) => {
    if (one === undefined) return { structured: await answerDaily(call, 'funding/aggregate', range) }
    const path = addressOf('/v1/funding/exchange', { exchange: one, limit: allDays })
    return {
      structured: await answerKeyed(call, { path, endpoint: 'funding/exchange', schema: fundingExchange }, range),
    }
  },
})

const openInterest = defineTool({
  name: 'get_open_interest',
  title: 'Open interest',
  description:
    'Open interest of futures (USD and BTC) and its change, over the exchanges together, or of one exchange, which needs an API key of tier pro or higher.',
  input: parameters({ exchange, ...timeParameters }),
  output: seriesSchema,
  run: async ({ exchange: one, ...range }, call) => {
    if (one === undefined) return { structured: await answerDaily(call, 'futures/oi', range) }
    const path = addressOf('/v1/oi/exchange', { exchange: one, limit: allDays })
    return { structured: await answerKeyed(call, { path, endpoint: 'oi/exchange', schema: oiExchange }, range) }
  },
})

const treasuries = defineTool({
  name: 'get_treasuries',
  title: 'Bitcoin treasuries',
  description:
    'Bitcoin held by companies, governments, funds and protocols as they report it: total, change, share of supply, value (USD); together, or of one entity. Between two reports the last one holds.',
  input: parameters({
    entity_id: z.int().min(1).max(999_999_999).optional().describe('Id of list_treasuries; all together without it'),
    ...timeParameters,
  }),
  output: seriesSchema,
  run: async ({ entity_id, ...range }, call) => {
    if (entity_id === undefined) return { structured: await answerDaily(call, 'dat/aggregate', range) }
    const path = addressOf('/v1/dat/entity', { id: entity_id, limit: allDays })
    return { structured: await answerKeyed(call, { path, endpoint: 'dat/entity', schema: datEntity }, range) }
  },
})

export const marketTools = [etf, funding, openInterest, treasuries]
