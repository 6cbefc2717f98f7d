import { z } from 'zod'
import { findNearest } from '#base/suggestions.ts'
import type { Query } from '#clients/typescript/address.ts'
import type { EndpointId } from '#contract/endpoints.ts'
import { rows } from '#contract/rows.ts'
import * as published from '#contract/tables/market.ts'
import type { Table } from '#contract/tables/table.ts'
import { answerDaily, type FieldsRequest } from '../answers/answer-fields.ts'
import { pageThatFits } from '../answers/bounded.ts'
import { seriesNotes, withNotes } from '../answers/notes.ts'
import { parameters, timeParameters } from '../answers/parameters.ts'
import { significant, significantOrNull } from '../answers/rows.ts'
import { seriesAnswer, seriesSchema } from '../answers/series-answer.ts'
import { findSpoken } from '../answers/spoken-names.ts'
import type { Call } from '../client/call.ts'
import type { DailyRow } from '../client/history.ts'
import { readEntities, readFunds, readRows } from '../client/read-rows.ts'
import { allDays, readHistory } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'

/** Endpoints of single members; tables name units of fields that are no metrics. */
const members = {
  'etf/ticker': { table: published.etf, row: rows.etfTicker },
  'funding/exchange': { table: published.funding, row: rows.fundingExchange },
  'oi/exchange': { table: published.openInterest, row: rows.oiExchange },
  'dat/entity': { table: published.treasuries, row: rows.datEntity },
} as const
type MemberEndpoint = keyof typeof members

async function answerMember<E extends MemberEndpoint>(
  call: Call,
  endpoint: E,
  query: Query<`/v1/${E}`>,
  { rows: shown, ...range }: FieldsRequest,
) {
  const { row, table }: { row: z.ZodType<DailyRow>; table: Table } = members[endpoint]
  const history = await readHistory(call, `/v1/${endpoint}`, query, row)
  const metrics = (await call.catalogue.read(call)).servedBy(endpoint)
  const fields = [...history.columns.keys()].map((name) => {
    const { unit = table.columns[name]?.unit ?? null, kind = 'level' } =
      metrics.find(({ field }) => field === name) ?? {}
    return { name, column: name, metricId: null, unit, kind }
  })
  return seriesAnswer(history, fields, { range, rows: shown })
}

const memberName = z.string().trim().min(1).max(100).optional()

const fundSchema = rows.etfRegistry.partial()
const etfFields = [
  ...['total_btc_holdings', 'net_flow_btc', 'net_flow_usd', 'total_aum_usd', 'dominance', 'realized_price'],
  ...['premium_average', 'etf_count'],
]

const etf = defineTool({
  name: 'get_etf',
  title: 'Spot ETFs',
  description:
    'Spot bitcoin funds: holdings, flows (BTC and USD), assets, share of supply, together or of one fund with its issuer and fee. Funds report late. get_ranking compares them.',
  input: parameters({
    ticker: memberName.describe('One fund, such as IBIT'),
    ...timeParameters,
  }),
  output: seriesSchema.extend({ fund: fundSchema.optional() }),
  run: async ({ ticker: requested, ...request }, call) => {
    if (requested === undefined) return await answerDaily(call, 'etf/aggregate', request, etfFields)
    const funds = await readFunds(call)
    const fund = findSpoken(requested, funds, (one) => [one.ticker, one.name, one.issuer])
    if (!fund) throw unknownFund(requested.toUpperCase(), funds)
    const { ticker } = fund
    return { ...(await answerMember(call, 'etf/ticker', { ticker, limit: allDays }, request)), fund }
  },
})

function unknownFund(requested: string, funds: Awaited<ReturnType<typeof readFunds>>): ToolError {
  const named = funds.filter(({ name, issuer }) => `${name} ${issuer}`.toUpperCase().includes(requested))
  const tickers = funds.map(({ ticker }) => ticker)
  const similar = findNearest(requested, tickers, 3).flatMap((one) => funds.find(({ ticker }) => ticker === one) ?? [])
  const close = (named.length > 0 ? named.slice(0, 3) : similar).map(({ ticker, name }) => `${ticker} (${name})`)
  return new ToolError(
    `there is no fund '${requested}' [not_found]`,
    `use a ticker such as ${close.join(', ')}; get_ranking of funds has all`,
    { code: 'not_found' },
  )
}

const exchange = memberName.describe('One exchange, such as binance (tier pro)')

interface ExchangeTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly total: { readonly endpoint: EndpointId; readonly fields: readonly string[] }
  readonly single: 'funding/exchange' | 'oi/exchange'
}

const exchangeTool = ({ total, single, ...about }: ExchangeTool) =>
  defineTool({
    ...about,
    input: parameters({ exchange, ...timeParameters }),
    output: seriesSchema,
    run: async ({ exchange: requested, ...request }, call) => {
      if (requested === undefined) return answerDaily(call, total.endpoint, request, total.fields)
      const list = single === 'oi/exchange' ? '/v1/oi/exchanges' : '/v1/funding/exchanges'
      const listed = await readRows(call, list, {}, rows.exchanges)
      const found = findSpoken(requested, listed.data, ({ exchange: id, name }) => [id, name])
      // The API refuses unknown names, and says which there are.
      const { exchange: id = requested.toLowerCase() } = found ?? {}
      return answerMember(call, single, { exchange: id, limit: allDays }, request)
    },
  })

const funding = exchangeTool({
  name: 'get_funding',
  title: 'Funding rates',
  description:
    'Funding rate of perpetual futures per 8 hours (a fraction: 0.0001 is 0.01 percent; positive: longs pay shorts), weighted by open interest over exchanges, and annualized. get_ranking compares exchanges.',
  total: {
    endpoint: 'funding/aggregate',
    fields: ['avg_funding_rate', 'annualized', 'spread', 'exchange_count'],
  },
  single: 'funding/exchange',
})

const openInterest = exchangeTool({
  name: 'get_open_interest',
  title: 'Open interest',
  description: 'Open interest of futures (USD, BTC) and its change, over exchanges together or of one exchange.',
  total: {
    endpoint: 'futures/oi',
    fields: ['total_oi_usd', 'total_oi_btc', 'oi_delta_usd', 'oi_to_market_cap', 'exchange_count'],
  },
  single: 'oi/exchange',
})

const amounts = {
  entities: z.number(),
  btc: z.number().nullable(),
  usd: z.number().nullable(),
  change_30d_btc: z.number().nullable(),
  percent_of_supply: z.number().nullable(),
}

/** On the newest day. Coins reported by two entities count once. */
const treasuryKindsSchema = z.object({
  date: z.string().nullable(),
  total_btc: z.number(),
  kinds: z.array(z.object({ type: z.string(), ...amounts, largest: z.string().nullable() })),
})

async function readTreasuryKinds(call: Call): Promise<z.infer<typeof treasuryKindsSchema>> {
  const { data } = await readRows(call, '/v1/dat/stats', { limit: 100 }, rows.datStats)
  return {
    date: data[0]?.date ?? null,
    total_btc: significant(data.reduce((sum, { btc_amount }) => sum + (btc_amount ?? 0), 0)),
    kinds: data.map((row) => ({
      type: row.type,
      entities: row.entities,
      btc: significantOrNull(row.btc_amount),
      usd: significantOrNull(row.total_current_value_usd),
      change_30d_btc: significantOrNull(row.net_flow_btc_30d),
      percent_of_supply: significantOrNull(row.percentage_of_total_supply),
      largest: row.largest_entity,
    })),
  }
}

const treasuryFields = ['total_btc', 'total_companies', 'net_change_btc', 'total_value_usd', 'public_company_btc']

const treasuries = defineTool({
  name: 'get_treasuries',
  title: 'Bitcoin treasuries',
  description:
    'Bitcoin that companies, governments, funds and protocols report to hold. Together: the series total_btc is of companies alone, and all_kinds has every kind with its newest holdings. Or one entity. get_ranking compares entities.',
  input: parameters({
    entity: memberName.describe('One entity by name or ticker, such as Strategy or MSTR'),
    entity_id: z.int().min(1).max(999_999_999).optional(),
    ...timeParameters,
  }),
  output: seriesSchema.extend({
    entity: rows.datRegistry.partial().optional(),
    all_kinds: treasuryKindsSchema.optional(),
  }),
  run: async ({ entity: named, entity_id, ...request }, call) => {
    if (named === undefined && entity_id === undefined) {
      const [answer, all_kinds] = await Promise.all([
        answerDaily(call, 'dat/aggregate', request, treasuryFields),
        readTreasuryKinds(call),
      ])
      return { ...answer, all_kinds }
    }
    const entities = await readEntities(call)
    const entity = entities.find(({ id }) => id === entity_id) ?? findEntity(entities, named)
    const id = entity_id ?? requireEntity(entities, named).id
    const answer = await answerMember(call, 'dat/entity', { id, limit: allDays }, request)
    return { ...answer, ...(entity && { entity }) }
  },
})

type Entity = Awaited<ReturnType<typeof readEntities>>[number]

/** By ticker, name or part of it: MicroStrategy finds Strategy. */
function findEntity(entities: readonly Entity[], named: string | undefined): Entity | undefined {
  if (named === undefined) return undefined
  const wanted = named.toLowerCase()
  return (
    entities.find(({ ticker }) => ticker?.toLowerCase().split('.')[0] === wanted || ticker?.toLowerCase() === wanted) ??
    findSpoken(named, entities, ({ name, ticker }) => [name, ticker]) ??
    entities.find(({ name }) => name.toLowerCase().startsWith(wanted) || wanted.endsWith(name.toLowerCase()))
  )
}

function requireEntity(entities: readonly Entity[], named: string | undefined): Entity {
  const entity = findEntity(entities, named)
  if (entity) return entity
  const problem = named === undefined ? 'no entity is given' : `there is no entity '${named}'`
  throw new ToolError(problem, 'use a name, ticker or id from get_ranking of treasuries')
}

export const treasuryReports = defineTool({
  name: 'get_treasury_reports',
  title: 'Reports of one treasury',
  description: 'What one company or other entity has reported to hold (BTC), when, and the source; newest first.',
  input: parameters({
    entity: memberName.describe('Name or ticker'),
    entity_id: z.int().min(1).max(999_999_999).optional(),
    limit: z.int().min(1).max(1_000).default(5),
    offset: z.int().min(0).max(100_000).default(0),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    count: z.number(),
    items: z.array(rows.datHoldings),
    next_offset: z.number().nullable().describe('offset of the next page; null at the end'),
  }),
  run: async ({ entity, entity_id, limit, offset }, call) => {
    const query = { id: entity_id ?? requireEntity(await readEntities(call), entity).id, limit: 10_000 }
    const { data, meta } = await readRows(call, '/v1/dat/company/{id}/holdings', query, rows.datHoldings)
    const reports = data.map(({ btc_amount, net_flow_btc, ...row }) => ({
      ...row,
      btc_amount: significantOrNull(btc_amount),
      net_flow_btc: significantOrNull(net_flow_btc),
    }))
    const notes = seriesNotes(meta, true)
    const { page: items, next_offset } = pageThatFits(reports, offset, limit, notes)
    return { ...withNotes(notes), count: data.length, items, next_offset }
  },
})

export const marketTools = [etf, funding, openInterest, treasuries]
