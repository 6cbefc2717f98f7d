import { z } from 'zod'
import { findNearest } from '#base/suggestions.ts'
import { errorText, RequestError } from '#clients/typescript/request.ts'
import { ToolError } from './tool-error.ts'

const details = z.object({
  needed: z.string().optional(),
  first_date: z.string().optional(),
  retry_after: z.number().optional(),
  parameter: z.string().optional(),
  allowed: z.array(z.string()).optional(),
})

/** `error` is that of a request to `address`. */
export function toToolError(error: unknown, address: string): ToolError {
  if (!(error instanceof RequestError) || error.status === 0) {
    const reason = errorText(error instanceof RequestError ? error.cause : error)
    const cure = 'check that the server runs, and that COINSTRATA_URL is its address'
    return new ToolError(`the API at ${address} cannot be reached: ${reason}`, cure, { cause: error })
  }
  const { code, message, status } = error
  if (code === 'unknown') {
    const cure =
      status >= 500 ? 'try again in a minute' : 'check that COINSTRATA_URL is the address of a Coinstrata API'
    return new ToolError(`the API answered with status ${status} and nothing that explains it`, cure)
  }
  const { retry_after, needed, first_date, parameter, allowed } = details.safeParse(error.details).data ?? {}
  if (code === 'not_found' && parameter === 'template' && allowed) return unknownTemplate(message, allowed)
  // A mounted server refuses such keys before any tool runs; over stdio, the address may be another
  // service's.
  const where = code === 'invalid_api_key' ? ` (asked at ${address})` : ''
  const cure = first_date === undefined ? suggestCure(code, retry_after, needed) : `ask for days from ${first_date} on`
  return new ToolError(`${replacePaths(message)}${where} [${code}]`, cure, { code })
}

/** A list of all would fill the answer. */
function unknownTemplate(message: string, allowed: readonly string[]): ToolError {
  const [first = message, name = ''] = /^there is no template '([^']*)'/.exec(message) ?? []
  const close = findNearest(name, allowed, 3).join(', ')
  const cure = `use one such as ${close}, or name metrics; ${allowed.length} templates are described on the service's page /docs/charts`
  return new ToolError(`${first} [not_found]`, cure, { code: 'not_found' })
}

/** Tools by endpoints in the API's messages; longer paths first. */
const toolsByPath: readonly (readonly [path: string, tool: string])[] = [
  ['/v1/metrics/categories', 'get_categories'],
  ['/v1/metrics', 'list_metrics'],
  ['/v1/cost-basis', 'get_cost_basis'],
  ['/v1/alerts', 'manage_alerts'],
  ['/v1/etf/registry', 'get_ranking of funds'],
  ['/v1/dat/registry', 'get_ranking of treasuries'],
  ['/v1/funding/exchanges', 'get_ranking of exchanges'],
  ['/v1/oi/exchanges', 'get_ranking of exchanges'],
  ['/v1/chart/snapshot', 'render_chart'],
  ['/v1/funding/exchange', 'get_funding of one exchange'],
  ['/v1/oi/exchange', 'get_open_interest of one exchange'],
  ['/v1/holder/profit', 'get_holder_profit'],
]

/** Assistants cannot call paths. */
function replacePaths(message: string): string {
  const text = toolsByPath.reduce((result, [path, tool]) => result.replaceAll(path, tool), message)
  // The formula of find_days is its condition.
  return text.replaceAll(/\/v1\/[\w/{}-]+/g, 'this').replace("parameter 'formula': ", '')
}

const keyPlace =
  "the key belongs in the connection's header 'Authorization: Bearer <key>', or in COINSTRATA_API_KEY for a server that runs on this machine; assistants that take no key connect to /mcp/account and sign in"

const tierOrHigher = (tier: string): string => `tier ${tier}${tier === 'enterprise' ? '' : ' or higher'}`

function suggestCure(code: string, seconds?: number, needed = 'pro'): string | undefined {
  switch (code) {
    case 'missing_api_key':
      return `use data that need no key, or connect with an API key of ${tierOrHigher(needed)}; ${keyPlace}`
    case 'insufficient_tier':
      return `use data of the tier that this connection has; only the operator of the service can give its account ${tierOrHigher(needed)}`
    case 'invalid_credentials':
      return `connect with an account; ${keyPlace}`
    case 'invalid_api_key':
      return `check that COINSTRATA_URL is the address of the service that made the key; connect with a valid key, or without one for demo data; ${keyPlace}`
    case 'rate_limited':
      return `wait ${seconds ?? 60} seconds, then ask again; fewer calls with more fields each stay within the limit`
    case 'quota_exceeded':
      return `wait until the quota of the day is new${seconds === undefined ? '' : ` (in ${seconds} seconds)`}, or ask the operator of the service for a higher tier`
    case 'budget_exceeded':
      return `wait ${seconds ?? 60} seconds, then ask for less at a time: fewer days, fields or charts`
    case 'not_found':
      return 'find the right id with search_metrics, or with get_ranking for exchanges, funds and treasuries'
    case 'data_not_ready':
      return 'ask again when the first update has finished; get_status shows its state'
    case 'internal':
      return 'try again; if it persists, the log of the API has the reason'
    default:
      return undefined
  }
}
