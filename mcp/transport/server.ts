import { McpServer } from '@modelcontextprotocol/server'
import type { Log } from '#base/log.ts'
import { version } from '#base/version.ts'
import type { Connection } from '../client/call.ts'
import { CatalogueReader } from '../client/catalogue.ts'
import { AnswerCache, type Caller, RestClient } from '../client/rest.ts'
import { listedTools, tools } from '../tools/all.ts'
import { registerPrompts } from '../tools/prompts.ts'
import { registerResources } from '../tools/resources.ts'

/** Shared by all callers; shows none what only another may see. */
export type Shared = Pick<Connection, 'histories' | 'catalogue' | 'log'>

export const createShared = (log: Log): Shared => ({
  histories: new AnswerCache(),
  catalogue: new CatalogueReader(),
  log,
})

interface ToolServerOptions extends Caller {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** As callers reach the API, for links. */
  readonly publicUrl: string
  readonly shared: Shared
}

const instructions = `Bitcoin on-chain analytics: price, supply by age, valuation, profit and loss, coin days, mining, cycles, futures, ETFs and treasuries, by day (UTC).
Begin with search_metrics unless a tool clearly fits the question; it also says what is not tracked.
Each series comes with statistics over all days of its range, so long ranges need no rows; use rows for more than the newest few. A percentile ranks last, never a sum or mean, in all history since the day given with it; if it is null, state none.
find_days answers when and how often a condition was true, top_days records, get_ranking who is largest, compare_cycles the same day of each cycle.
Without an API key you see 60 days of basic metrics; values with only_since cover only the days you can see.
Each field has its unit; a ratio is a fraction or a multiple, not a percentage. Numbers have six significant digits.
Read notes: they report made-up data, cut history and omitted fields. Daily values end with the last full day; they are not live, and nothing here is investment advice.
Full schemas of a tool, and the formula language: resource coinstrata://tools/{name}.`

/** For one HTTP request, or a process on stdio. */
export function createToolServer(options: ToolServerOptions): McpServer {
  const { baseUrl, publicUrl, shared, ...caller } = options
  const connection = { ...shared, publicUrl, rest: new RestClient(baseUrl, caller) }
  const unchanging = { listChanged: false }
  const server = new McpServer(
    { name: 'coinstrata', title: 'Coinstrata', version },
    { instructions, capabilities: { tools: unchanging, resources: unchanging, prompts: unchanging } },
  )
  for (const tool of tools) tool.register(server, connection)
  server.server.setRequestHandler('tools/list', () => ({ tools: listedTools }))
  registerResources(server, connection, tools)
  registerPrompts(server)
  return server
}
