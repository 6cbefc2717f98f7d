import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { accountActions } from '#contract/accounts/actions.ts'
import { endpoints } from '#contract/endpoints.ts'
import { paths } from '#contract/paths.ts'
import { accountOperation } from './account.ts'
import { chartOperations, pictureOperation, renderOperation } from './charts.ts'
import { describeDefaults } from './common.ts'
import { dataOperation, tableOperation } from './data.ts'
import { forGenerators, toOpenApi30 } from './generators.ts'
import {
  changelogOperation,
  eventsOperation,
  guideOperation,
  guidesOperation,
  healthOperation,
  probeOperation,
  statusOperation,
  webhookOperations,
  widgetOperation,
} from './service.ts'

const tags: Readonly<Record<string, string>> = {
  Market: 'Price, metrics of the price, and the open day',
  Holders: 'Supply, cost, profit and loss of coins by their age',
  'Coin days': 'Age of spent coins',
  Blockchain: 'Blocks, fees, issuance, mining',
  Cycles: 'Halvings, tops and lows, and prices since then',
  ETFs: 'Exchange-traded funds',
  Derivatives: 'Funding rates and open interest of futures',
  Treasuries: 'Bitcoin of companies, states and others',
  Definitions: 'Definitions of metrics and their newest values',
  Series: 'Any metrics, formulas over them, and distributions',
  Tables: 'Published tables as files',
  Charts: 'Charts as pictures',
  Alerts: 'Messages when a metric or formula meets a condition',
  Account: 'Accounts, for the pages of this service',
  Webhooks: 'Requests that this service sends to addresses of accounts',
  Service: 'State of the service, and changes',
}

export interface Served {
  readonly version: string
  /** As users reach the API; undefined if it depends on the request. */
  readonly publicUrl: string | undefined
  /** Empty at the root. */
  readonly basePath: string
  /** Version of OpenAPI; default: 3.1. */
  readonly view?: '3.0' | '3.1'
}

/**
 * Describes everything served, from the schemas that check requests. `/v1/udf` is left out: its
 * protocol is TradingView's, clients bring their own code for it, and it has no other data.
 */
export function openApiDocument({ version, publicUrl, basePath, view }: Served): object {
  const document: Parameters<typeof createDocument>[0] = {
    openapi: '3.1.1',
    info: {
      title: 'Coinstrata',
      version,
      description:
        'Bitcoin on-chain analytics. Rows are newest first. Without a key the newest 60 days of basic metrics are served; fields above the tier of the caller are left out and listed in meta.withheld. Unknown values are null.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this service' },
    },
    servers: [{ url: publicUrl ?? (basePath || '/') }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key' },
        keyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same key' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'coinstrata_session',
          description: 'Over https its name begins with __Host-, or with __Secure- if the service is below a path',
        },
      },
    },
    paths: mergePaths([
      ...Object.entries(endpoints).map(
        ([name, endpoint]) => [endpoint.path, 'get', dataOperation(name, endpoint)] as const,
      ),
      ...Object.entries(accountActions).map(
        ([name, action]) => [action.path, action.method, accountOperation(name, action)] as const,
      ),
      [paths.chart, 'get', chartOperations.get],
      [paths.chart, 'post', chartOperations.post],
      [paths.render, 'get', renderOperation],
      [paths.picture, 'get', pictureOperation],
      [paths.table, 'get', tableOperation],
      [paths.events, 'get', eventsOperation],
      [paths.changelog, 'get', changelogOperation],
      [paths.guides, 'get', guidesOperation],
      [paths.guide, 'get', guideOperation],
      [paths.status, 'get', statusOperation],
      [paths.health, 'get', healthOperation],
      [paths.live, 'get', probeOperation('live', 'Whether the process answers', 'The process answers')],
      [paths.ready, 'get', probeOperation('ready', 'Whether data can be served', 'Data can be served')],
      [paths.widget, 'get', widgetOperation],
    ]),
    webhooks: webhookOperations,
  }
  const described = forGenerators(createDocument(document, { override: describeDefaults }))
  return view === '3.0' ? toOpenApi30(described) : described
}

function mergePaths(
  operations: readonly (readonly [path: string, method: 'get' | 'post' | 'delete', ZodOpenApiOperationObject])[],
): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const [path, method, operation] of operations) paths[path] = { ...paths[path], [method]: operation }
  return paths
}
