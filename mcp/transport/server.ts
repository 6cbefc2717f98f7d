import { McpServer } from '@modelcontextprotocol/server'
import type { Log } from '#base/log.ts'
import { version } from '#base/version.ts'
import { AnswerCache } from '../client/answer-cache.ts'
import { CatalogueReader } from '../client/catalogue.ts'
import type { History } from '../client/history.ts'
import { type Caller, RestClient } from '../client/rest.ts'
import { listedTools, tools } from '../tools/all.ts'
import { registerPrompts } from '../tools/prompts.ts'
import { registerResources } from '../tools/resources.ts'

/** What all callers of a process share; nothing of it shows one caller what only another may see. */
export interface Shared {
  readonly histories: AnswerCache<History>
  readonly catalogue: CatalogueReader
  readonly log: Log
}

export const createShared = (log: Log): Shared => ({
  histories: new AnswerCache<History>(),
  catalogue: new CatalogueReader(),
  log,
})

export interface ToolServerOptions extends Caller {
  /** Of the REST API, without a slash at the end. */
  readonly baseUrl: string
  /** Of the REST API as callers reach it, for links. */
  readonly publicUrl: string
  readonly shared: Shared
}

const instructions = `Bitcoin on-chain analytics: price, supply by age, valuation, profit and loss, coin days, mining, cycles, futures, ETFs and treasuries, by day (UTC).
Begin with search_metrics unless a tool fits the question at once; it says what is not tracked.
Each series comes with statistics over all days of its range, so long ranges need no rows; ask with rows for more than the newest few. A percentile is of all history since the day that stands with it; where it is null, state none.
find_days answers when and how often something was so, top_days records, get_ranking who is largest, compare_cycles the same day of each cycle.
Without an API key there are 60 days of basic metrics; what carries only_since covers only the days you can see.
Units stand with each field; a ratio is a fraction or a multiple, not a percentage. Numbers have six digits.
Read notes: they tell of made-up data, cut history and fields left out. Daily values end with the last full day; they are not live, and nothing here is investment advice.
Whole schemas of a tool, and the formula language: resource coinstrata://tools/{name}.`

/** The tool server of one caller: of one HTTP request, or of one process that speaks over its standard input. */
export function createToolServer(options: ToolServerOptions): McpServer {
  const { baseUrl, publicUrl, shared, ...caller } = options
  const connection = { ...shared, publicUrl, rest: new RestClient(baseUrl, caller) }
  const unchanging = { listChanged: false }
  const server = new McpServer(
    { name: 'coinstrata', title: 'Coinstrata', version },
    { instructions, capabilities: { tools: unchanging, resources: unchanging, prompts: unchanging } },
  )
  for (const tool of tools) tool.register(server, connection)
  // Of itself the server would list those that are retired, too.
  server.server.setRequestHandler('tools/list', () => ({ tools: listedTools }))
  registerResources(server, connection, tools)
  registerPrompts(server)
  return server
}
