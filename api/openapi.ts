import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { type AccountAction, accountActions } from '#contract/accounts/actions.ts'
import { accountSuccessSchema } from '#contract/accounts/rows.ts'
import { chartMetadata, composedChart } from '#contract/chart-metadata.ts'
import { chartBody, chartQuery } from '#contract/charts.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { failureSchema, successSchema, value } from '#contract/envelope.ts'
import { healthSchema, probeSchema } from '#contract/health.ts'
import { pointInTime } from '#contract/parameters.ts'
import { paths } from '#contract/paths.ts'
import { statusSchema } from '#contract/status.ts'
import { chartExamples } from './charts/examples.ts'
import { holdsAny } from './fields.ts'
import { exampleOf } from './openapi-examples.ts'

const usualFailures: Readonly<Record<number, string>> = {
  400: 'A parameter cannot be used',
  401: 'The key does not hold, or one is needed',
  403: "The caller's tier is too low",
  404: 'Unknown id, cohort, exchange or path',
  405: 'The path is not served by this method',
  406: 'Accept names nothing that is served',
  413: 'The body is too long',
  414: 'The address is too long',
  415: 'The body is not JSON',
  429: 'Limit of the minute, quota of the day or a budget of work exceeded, which error.details.budget names; Retry-After tells when to come back',
  431: 'The headers are too long',
  500: 'A defect of the service',
  503: 'No data are published yet, or too many wait before this caller',
  504: 'Drawing takes too long',
}
const ofBodies = [413, 415]
const ofDrawing = [504]

const tags: Readonly<Record<string, string>> = {
  Market: 'Price and what follows from it alone, and the day that is not closed yet',
  Holders: 'Supply, cost, profit and loss of coins by their age',
  'Coin days': 'How much was spent of which age',
  Blockchain: 'Blocks, fees, issuance, mining',
  Cycles: 'Halvings, tops and lows, and prices since then',
  ETFs: 'Exchange-traded funds',
  Derivatives: 'Funding rates and open interest of futures',
  Treasuries: 'Bitcoin of companies, states and others',
  Definitions: 'What each metric is, and its newest value',
  Series: 'Any metrics, formulas over them, and distributions',
  Tables: 'Whole published tables, as files',
  Charts: 'Pictures',
  Account: 'What people do with their accounts, from pages of this service',
  Service: 'How the service is, and what changed',
}

interface Served {
  readonly version: string
  /** Address of the API as the world reaches it; undefined where only each request tells. */
  readonly publicUrl: string | undefined
  /** The path below which it is served, empty at the root. */
  readonly basePath: string
}

/** The OpenAPI 3.1 document of everything that is served, made from the schemas that requests are checked with. */
export function openApiDocument({ version, publicUrl, basePath }: Served): object {
  return createDocument({
    openapi: '3.1.1',
    info: {
      title: 'Coinstrata',
      version,
      description:
        'Bitcoin on-chain analytics. Rows are newest first. Without a key the newest 60 days of basic metrics are served; fields above the tier of the caller are left out and named in meta.withheld. Values that are not known are null.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Who runs this service' },
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
          description: 'Over https its name begins with __Host-, or with __Secure- below a path of the host',
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
      [paths.chart, 'get', chartOperation('chart', { requestParams: { query: chartQuery } })],
      [paths.chart, 'post', chartOperation('drawChart', { requestBody: chartRequestBody }, ofBodies)],
      [paths.render, 'get', renderOperation],
      [paths.picture, 'get', pictureOperation],
      [paths.table, 'get', tableOperation],
      [paths.events, 'get', eventsOperation],
      [paths.changelog, 'get', changelogOperation],
      [paths.status, 'get', statusOperation],
      [paths.health, 'get', healthOperation],
      [paths.live, 'get', probeOperation('live', 'Whether the process answers', 'It does')],
      [paths.ready, 'get', probeOperation('ready', 'Whether there is something to serve', 'There is')],
    ]),
  })
}

function mergePaths(
  operations: readonly (readonly [path: string, method: 'get' | 'post' | 'delete', ZodOpenApiOperationObject])[],
): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const [path, method, operation] of operations) paths[path] = { ...paths[path], [method]: operation }
  return paths
}

const byKey = [{ key: [] }, { keyHeader: [] }]

function dataOperation(name: string, endpoint: Endpoint) {
  const { tag, summary, access, pathParameters, query } = endpoint
  const schema = answerSchemas.get(endpoint)!
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: describe(endpoint),
    security: access === 'pro' ? byKey : [{}, ...byKey],
    requestParams: { path: pathParameters, query },
    responses: {
      200: {
        description: 'Rows, also as CSV or Parquet',
        content: {
          'application/json': { schema, example: exampleOf(schema) },
          'text/csv': { schema: z.string() },
          'application/vnd.apache.parquet': { schema: binary },
        },
      },
      304: { description: 'The client has these rows already' },
      ...failures(),
    },
  } satisfies ZodOpenApiOperationObject
}

/** A row whatever `fields` asks for. */
function anyRow({ row, more, key }: Endpoint): z.ZodObject {
  const always = Object.entries(row.shape).filter(([name]) => key.includes(name))
  const shape = { ...row.partial().shape, ...Object.fromEntries(always), ...more.partial().shape }
  return holdsAny(row) || holdsAny(more) ? z.object(shape).catchall(value) : z.object(shape)
}

/** Made once, as the names of schemas must be. */
const answerSchemas = new Map<Endpoint, z.ZodObject>(
  Object.entries(endpoints).map(([name, endpoint]: [string, Endpoint]) => {
    const id = `${name[0]!.toUpperCase()}${name.slice(1)}`
    return [endpoint, successSchema(anyRow(endpoint).meta({ id: `${id}Row` })).meta({ id: `${id}Answer` })]
  }),
)

/** What an endpoint says of itself, and where it departs from what holds for all. */
function describe({ description, key, history, undated }: Endpoint): string {
  const sentences = [
    description,
    `Rows are told apart by ${key.join(' and ')}.`,
    history && 'all' in history && `All of it for every tier, because ${history.all}.`,
    history &&
      'computedFromAll' in history &&
      `Rows stay within the history of the tier, but are computed from all days, because ${history.computedFromAll}.`,
    undated && `Of limit, start_date and end_date only limit has an effect, because ${undated}.`,
  ]
  return sentences.filter((sentence) => sentence).join(' ')
}

function accountOperation(name: string, { path, summary, pathParameters, body, row, status }: AccountAction) {
  const schema = accountSuccessSchema(row)
  const hasBody = !(body instanceof z.ZodUndefined)
  return {
    operationId: name,
    tags: ['Account'],
    summary,
    description:
      'For pages of this service: a browser tells by its session cookie who is signed in. Keys open data alone.',
    security: [{}, { session: [] }, ...(path === accountActions.usage.path ? byKey : [])],
    requestParams: { path: pathParameters },
    ...(hasBody && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: body, example: exampleOf(body, 'input') } },
      },
    }),
    responses: {
      [status]: {
        description: 'Done',
        content: { 'application/json': { schema, example: exampleOf(schema) } },
      },
      ...failures(hasBody ? ofBodies : []),
    },
  } satisfies ZodOpenApiOperationObject
}

const binary = z.string().meta({ format: 'binary' })
const failureContent = { 'application/json': { schema: failureSchema, example: exampleOf(failureSchema) } }

/** Each stands once among the components. */
const failureResponses = new Map(
  Object.entries(usualFailures).map(([status, description]) => [
    Number(status),
    { id: `Failure${status}`, description, content: failureContent },
  ]),
)
const ofSome = new Set([...ofBodies, ...ofDrawing])
/** The failures of all operations, and of some. */
const failures = (others: readonly number[] = []) =>
  Object.fromEntries([...failureResponses].filter(([status]) => !ofSome.has(status) || others.includes(status)))

const changelogOperation: ZodOpenApiOperationObject = {
  operationId: 'changelog',
  description: 'In Markdown, by version of the program (info.version), newest first; it says what clients must do.',
  security: [],
  tags: ['Service'],
  summary: 'What changed, by version',
  responses: {
    200: { description: 'The changelog', content: { 'text/markdown': { schema: z.string(), example: '# Changelog' } } },
    ...failures(),
  },
}

// Some generators know neither Parquet nor pictures, and take their bytes from what they know.
const parquetFile = {
  'application/vnd.apache.parquet': { schema: binary },
  'application/octet-stream': { schema: binary },
}

const tableOperation = {
  operationId: 'table',
  tags: ['Tables'],
  summary: 'A whole published table as a Parquet file, or a part of it (Range)',
  description:
    'For DuckDB, pandas, Polars and whatever else reads Parquet by its address. /v1/tables tells which tier may have which table: one whose history or columns are limited does not get the whole.',
  security: [{}, ...byKey],
  requestParams: {
    path: z.object({ file: z.string().meta({ example: 'prices.parquet' }) }),
    query: z.strictObject(pointInTime),
  },
  responses: {
    200: { description: 'The file', content: parquetFile },
    206: { description: 'The part that Range asks for', content: parquetFile },
    304: { description: 'The client has this file already' },
    412: { description: 'The file is not the one that If-Match names', content: failureContent },
    416: { description: 'Range asks for what lies behind the end', content: failureContent },
    ...failures(),
  },
} satisfies ZodOpenApiOperationObject

const eventsOperation: ZodOpenApiOperationObject = {
  operationId: 'events',
  security: [],
  tags: ['Service'],
  summary: 'What is new, told as it is published (server-sent events)',
  description:
    'generation: another generation is current. today: the open day has changed. market: a snapshot of the markets was taken. What is the case is told at once; with Last-Event-ID only what differs from what that event told, also by another server or after a restart.',
  requestParams: {
    header: z.object({ 'Last-Event-ID': z.string().optional().meta({ description: 'Of the last event that came' }) }),
  },
  responses: {
    200: {
      description: 'Events, until either side ends the connection',
      content: {
        'text/event-stream': {
          schema: z.object({ id: z.string().optional(), event: z.string().optional(), data: z.string() }),
          examples: {
            generation: {
              value: {
                id: '20260101T003000000Z-930000-0123abcd..',
                event: 'generation',
                data: '{"generation":"20260101T003000000Z-930000-0123abcd","published_at":"2026-01-01T00:30:00.000Z","last_date":"2025-12-31","tip_height":930000,"tip_hash":"…","fetch":"/v1/status"}',
              },
            },
          },
        },
      },
    },
    ...failures(),
  },
}

const healthOperation: ZodOpenApiOperationObject = {
  operationId: 'health',
  description: 'For monitoring: 200 while data are served, 503 until the first publication.',
  security: [],
  tags: ['Service'],
  summary: 'Which data are served; needs no key and has no limits',
  responses: {
    200: {
      description: 'Data are served',
      content: { 'application/json': { schema: healthSchema, example: exampleOf(healthSchema) } },
    },
    503: {
      description: 'No data are published yet',
      content: { 'application/json': { schema: healthSchema, example: exampleOf(healthSchema) } },
    },
    405: failureResponses.get(405)!,
  },
}

const probeOperation = (operationId: string, summary: string, description: string): ZodOpenApiOperationObject => ({
  operationId,
  tags: ['Service'],
  summary,
  description: 'For what starts and stops the process; it needs no key and has no limits.',
  security: [],
  responses: {
    200: { description, content: { 'application/json': { schema: probeSchema, example: exampleOf(probeSchema) } } },
    405: failureResponses.get(405)!,
    503: {
      description: 'Nothing can be served',
      content: { 'application/json': { schema: probeSchema, example: exampleOf(probeSchema) } },
    },
  },
})

const statusOperation: ZodOpenApiOperationObject = {
  operationId: 'status',
  description: 'What `coinstrata status` tells on the machine itself.',
  security: [],
  tags: ['Service'],
  summary: 'What is published and kept, which runs there were, and how far market data reach; needs no key',
  responses: {
    200: {
      description: 'The state of the service',
      content: { 'application/json': { schema: statusSchema, example: exampleOf(statusSchema) } },
    },
    ...failures(),
  },
}

const pictures = {
  'image/png': { schema: binary },
  'image/svg+xml': { schema: z.string() },
  'application/octet-stream': { schema: binary },
}

const chartRequestBody = {
  required: true,
  content: { 'application/json': { schema: chartBody, examples: chartExamples } },
} as const

function chartOperation(
  operationId: string,
  request: Pick<ZodOpenApiOperationObject, 'requestParams' | 'requestBody'>,
  others: readonly number[] = [],
) {
  return {
    operationId,
    tags: ['Charts'],
    summary: 'Draw a chart',
    description:
      'As PNG, SVG or JSON metadata: format wins, then what Accept likes best (q), of equals the first of SVG, PNG and JSON; format spec answers the chart with its columns, for pages that draw it themselves. X-Render-Id tells under which id the picture can be fetched for an hour. Needs tier pro or higher.',
    security: byKey,
    ...request,
    responses: {
      200: {
        description: 'The picture, or what it shows',
        headers: z.object({ 'X-Render-Id': z.string().optional() }),
        content: {
          ...pictures,
          'application/json': { schema: z.union([chartMetadata, composedChart]), example: exampleOf(chartMetadata) },
        },
      },
      304: { description: 'The client has this picture already' },
      ...failures([...ofDrawing, ...others]),
    },
  } satisfies ZodOpenApiOperationObject
}

const pictureResponses = {
  200: { description: 'The picture', content: pictures },
  304: { description: 'The client has this picture already' },
  ...failures(ofDrawing),
}

const pictureOperation = {
  operationId: 'picture',
  description: 'An image for pages elsewhere, drawn anew once for each publication.',
  security: [],
  tags: ['Charts'],
  summary:
    'A chart with an address of its own, as of now; needs no key, as it has the rights and limits of whose it is',
  requestParams: { path: z.object({ file: z.string().meta({ example: 'AbCdEfGhIjKlMnOpQrStUvWx.png' }) }) },
  responses: pictureResponses,
} satisfies ZodOpenApiOperationObject

const renderOperation = {
  operationId: 'render',
  description: 'The other format of a chart is drawn when it is first asked for.',
  security: [],
  tags: ['Charts'],
  summary: 'Fetch a chart that was drawn within the last hour; needs no key but its id',
  requestParams: {
    path: z.object({ file: z.string().meta({ example: '0123456789abcdef0123456789abcdef.png' }) }),
  },
  responses: pictureResponses,
} satisfies ZodOpenApiOperationObject
