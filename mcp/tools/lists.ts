import { z } from 'zod'
import { addressOf } from '#clients/typescript/address.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { firstThatFit } from '../answers/bounded.ts'
import { metaNotes } from '../answers/notes.ts'
import { parameters } from '../answers/parameters.ts'
import type { Call } from '../client/call.ts'
import { defineTool } from './tool.ts'

const skipped = z.int().min(0).max(100_000).default(0).describe('How many to skip, to see those after the first')

const listOf = <Row extends z.ZodType>(row: Row) =>
  z.object({
    notes: z.array(z.string()),
    count: z.number().describe('Of all, with those that had no room here'),
    items: z.array(row),
    next_offset: z.number().nullable().describe('offset for those that had no room here; null at the end'),
  })

interface ListTool<Row extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly endpoint: Endpoint<z.ZodObject, z.ZodObject, Row>
}

const listTool = <Row extends z.ZodObject>({ name, title, description, endpoint }: ListTool<Row>) => {
  const schema = successSchema(endpoint.row)
  return defineTool({
    name,
    title,
    description,
    input: parameters({ offset: skipped }),
    output: listOf(endpoint.row),
    run: async ({ offset }, call) => {
      const { data, meta } = await call.rest.get(`${endpoint.path}?limit=10000`, schema, call.signal)
      return { structured: page(data, offset, metaNotes(meta)) }
    },
  })
}

/** Items from an offset, as many as there is room for. */
function page<Item>(all: readonly Item[], offset: number, notes: string[]) {
  const items = firstThatFit(all.slice(offset), { notes, count: all.length, next_offset: all.length, items: [] })
  const next = offset + items.length
  return { notes, count: all.length, items, next_offset: next < all.length ? next : null }
}

const exchange = rows.exchanges.extend({ kind: z.enum(['funding', 'open_interest']) })
const exchangesSchema = successSchema(rows.exchanges)

const listExchanges = defineTool({
  name: 'list_exchanges',
  title: 'Exchanges',
  description: 'The exchanges with funding rates and with open interest, and from which day to which.',
  input: parameters({ offset: skipped }),
  output: listOf(exchange),
  run: async ({ offset }, call) => {
    const [funding, interest] = await Promise.all([
      readExchanges(call, endpoints.fundingExchanges.path),
      readExchanges(call, endpoints.oiExchanges.path),
    ])
    const all = [
      ...funding.data.map((row) => ({ ...row, kind: 'funding' as const })),
      ...interest.data.map((row) => ({ ...row, kind: 'open_interest' as const })),
    ]
    return { structured: page(all, offset, metaNotes(funding.meta)) }
  },
})

const readExchanges = ({ rest, signal }: Call, path: string) => rest.get(`${path}?limit=10000`, exchangesSchema, signal)

const reportsSchema = successSchema(rows.datHoldings)

const treasuryReports = defineTool({
  name: 'get_treasury_reports',
  title: 'Reports of one treasury',
  description: 'What one company or other entity has reported to hold (BTC), when, and where it says so; newest first.',
  input: parameters({
    entity_id: z.int().min(1).max(999_999_999).describe('Id of list_treasuries'),
    offset: skipped,
  }),
  output: listOf(rows.datHoldings),
  run: async ({ entity_id, offset }, { rest, signal }) => {
    const path = addressOf('/v1/dat/company/{id}/holdings', { id: entity_id, limit: 10_000 })
    const { data, meta } = await rest.get(path, reportsSchema, signal)
    return { structured: page(data, offset, metaNotes(meta)) }
  },
})

export const listTools = [
  listTool({
    name: 'list_etfs',
    title: 'List of spot ETFs',
    description: 'The spot bitcoin funds: ticker, name, issuer, country, launch date, fee (percent a year), status.',
    endpoint: endpoints.etfRegistry,
  }),
  listExchanges,
  listTool({
    name: 'list_treasuries',
    title: 'List of treasuries',
    description:
      'Companies, governments, funds and protocols that hold bitcoin, with the ids by which get_treasuries knows them.',
    endpoint: endpoints.datRegistry,
  }),
  treasuryReports,
  listTool({
    name: 'get_treasury_stats',
    title: 'Treasuries by kind',
    description:
      'Newest totals of bitcoin treasuries by kind of entity: BTC, value (USD), change in 30 days, share, the largest of each.',
    endpoint: endpoints.datStats,
  }),
]
