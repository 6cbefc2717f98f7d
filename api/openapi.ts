import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { type AccountAction, accountActions } from '#contract/accounts/actions.ts'
import { accountSuccessSchema } from '#contract/accounts/rows.ts'
import { chartMetadata, composedChart } from '#contract/chart-metadata.ts'
import { chartBody, chartQuery } from '#contract/charts.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { failureSchema, successSchema } from '#contract/envelope.ts'
import { healthSchema, probeSchema } from '#contract/health.ts'
import { pointInTime } from '#contract/parameters.ts'
import { paths } from '#contract/paths.ts'
import { statusSchema } from '#contract/status.ts'
import { chartExamples } from './charts/examples.ts'

const usualFailures: Readonly<Record<number, string>> = {
  400: 'A parameter cannot be used',
  401: 'The key does not hold, or one is needed',
  403: "The caller's tier is too low",
  404: 'Unknown id, cohort, exchange or path',
  405: 'The path is not served by this method',
  406: 'Accept names nothing that is served',
  414: 'The address is too long',
  429: 'Limit of the minute or quota of the day exceeded; Retry-After tells when to come back',
  431: 'The headers are too long',
  500: 'A defect of the service',
  503: 'No data are published yet',
}

/**
 * The OpenAPI 3.1 document of everything that is served, made from the schemas that requests are checked with;
 * `basePath` is the path below which that is, empty at the root.
 */
export function openApiDocument(version: string, basePath: string): object {
  return createDocument({
    openapi: '3.1.1',
    info: {
      title: 'Coinstrata',
      version,
      description:
        'Bitcoin on-chain analytics. Rows are newest first. Without a key the newest 60 days of basic metrics are served; fields above the tier of the caller are left out and named in meta.withheld. Values that are not known are null.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    ...(basePath !== '' && { servers: [{ url: basePath }] }),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'coinstrata_session',
          description: 'Over https its name begins with __Host-, or with __Secure- below a path of the host',
        },
      },
    },
    paths: mergePaths([
      ...Object.values(endpoints).map((endpoint) => [endpoint.path, 'get', dataOperation(endpoint)] as const),
      ...Object.values(accountActions).map((action) => [action.path, action.method, accountOperation(action)] as const),
      [paths.chart, 'get', chartOperation({ requestParams: { query: chartQuery } })],
      [paths.chart, 'post', chartOperation({ requestBody: chartRequestBody })],
      [paths.render, 'get', renderOperation],
      [paths.picture, 'get', pictureOperation],
      [paths.table, 'get', tableOperation],
      [paths.events, 'get', eventsOperation],
      [paths.changelog, 'get', changelogOperation],
      [paths.status, 'get', statusOperation],
      [paths.health, 'get', healthOperation],
      [paths.live, 'get', probeOperation('Whether the process answers', 'It does')],
      [paths.ready, 'get', probeOperation('Whether there is something to serve', 'There is')],
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

function dataOperation(endpoint: Endpoint) {
  const { tag, summary, access, pathParameters, query, row } = endpoint
  const description = describe(endpoint)
  return {
    tags: [tag],
    summary,
    ...(description && { description }),
    security: access === 'pro' ? [{ key: [] }] : [{}, { key: [] }],
    requestParams: { path: pathParameters, query },
    responses: {
      200: {
        description: 'Rows, also as CSV or Parquet',
        content: {
          'application/json': { schema: successSchema(row) },
          'text/csv': { schema: z.string() },
          'application/vnd.apache.parquet': { schema: z.string().meta({ format: 'binary' }) },
        },
      },
      304: { description: 'The client has these rows already' },
      ...failures(),
    },
  } satisfies ZodOpenApiOperationObject
}

/** What an endpoint says of itself, and where it departs from what holds for all. */
function describe({ description, history, undated }: Endpoint): string {
  const sentences = [
    description,
    history && 'all' in history && `All of it for every tier, because ${history.all}.`,
    history &&
      'computedFromAll' in history &&
      `Rows stay within the history of the tier, but are computed from all days, because ${history.computedFromAll}.`,
    undated && `Of limit, start_date and end_date only limit has an effect, because ${undated}.`,
  ]
  return sentences.filter((sentence) => sentence).join(' ')
}

function accountOperation({ path, summary, pathParameters, body, row, status }: AccountAction) {
  return {
    tags: ['Account'],
    summary,
    security: [{}, { session: [] }, ...(path === accountActions.usage.path ? [{ key: [] }] : [])],
    requestParams: { path: pathParameters },
    ...(!(body instanceof z.ZodUndefined) && {
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
    }),
    responses: {
      [status]: {
        description: 'Done',
        content: { 'application/json': { schema: accountSuccessSchema(row) } },
      },
      413: { description: 'The body is too long', content: failureContent },
      415: { description: 'The body is not JSON', content: failureContent },
      ...failures(),
    },
  } satisfies ZodOpenApiOperationObject
}

const failureContent = { 'application/json': { schema: failureSchema } }

const failures = () =>
  Object.fromEntries(
    Object.entries(usualFailures).map(([status, description]) => [status, { description, content: failureContent }]),
  )

const changelogOperation: ZodOpenApiOperationObject = {
  tags: ['Service'],
  summary: 'What changed, by version',
  responses: {
    200: { description: 'The changelog', content: { 'text/markdown': { schema: z.string() } } },
    ...failures(),
  },
}

const parquetFile = { 'application/vnd.apache.parquet': { schema: z.string().meta({ format: 'binary' }) } }

const tableOperation = {
  tags: ['Tables'],
  summary: 'A whole published table as a Parquet file, or a part of it (Range)',
  description:
    'For DuckDB, pandas, Polars and whatever else reads Parquet by its address. /v1/tables tells which tier may have which table: one whose history or columns are limited does not get the whole.',
  security: [{}, { key: [] }],
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
          schema: z.string(),
          examples: {
            generation: {
              value:
                'id: 20260101T003000000Z-930000-0123abcd..\nevent: generation\ndata: {"generation":"20260101T003000000Z-930000-0123abcd","published_at":"2026-01-01T00:30:00.000Z","last_date":"2025-12-31","tip_height":930000,"tip_hash":"…","fetch":"/v1/status"}\n\n',
            },
          },
        },
      },
    },
    ...failures(),
  },
}

const healthOperation: ZodOpenApiOperationObject = {
  tags: ['Service'],
  summary: 'Which data are served; needs no key and has no limits',
  responses: {
    200: { description: 'Data are served', content: { 'application/json': { schema: healthSchema } } },
    503: { description: 'No data are published yet', content: { 'application/json': { schema: healthSchema } } },
  },
}

const probeOperation = (summary: string, description: string): ZodOpenApiOperationObject => ({
  tags: ['service'],
  summary,
  security: [],
  responses: {
    200: { description, content: { 'application/json': { schema: probeSchema } } },
    503: { description: 'Nothing can be served', content: { 'application/json': { schema: probeSchema } } },
  },
})

const statusOperation: ZodOpenApiOperationObject = {
  tags: ['Service'],
  summary: 'What is published and kept, which runs there were, and how far market data reach; needs no key',
  responses: {
    200: { description: 'The state of the service', content: { 'application/json': { schema: statusSchema } } },
    ...failures(),
  },
}

const pictures = {
  'image/png': { schema: z.string().meta({ format: 'binary' }) },
  'image/svg+xml': { schema: z.string() },
}

const chartRequestBody = {
  required: true,
  content: { 'application/json': { schema: chartBody, examples: chartExamples } },
} as const

function chartOperation(request: Pick<ZodOpenApiOperationObject, 'requestParams' | 'requestBody'>) {
  return {
    tags: ['Charts'],
    summary: 'Draw a chart',
    description:
      'As PNG, SVG or JSON metadata: format wins, then what Accept likes best (q), of equals the first of SVG, PNG and JSON; format spec answers the chart with its columns, for pages that draw it themselves. X-Render-Id tells under which id the picture can be fetched for an hour. Needs tier pro or higher.',
    security: [{ key: [] }],
    ...request,
    responses: {
      200: {
        description: 'The picture, or what it shows',
        headers: z.object({ 'X-Render-Id': z.string().optional() }),
        content: { ...pictures, 'application/json': { schema: z.union([chartMetadata, composedChart]) } },
      },
      304: { description: 'The client has this picture already' },
      413: { description: 'The body is too long', content: failureContent },
      415: { description: 'The body is not JSON', content: failureContent },
      504: { description: 'Drawing takes too long', content: failureContent },
      ...failures(),
    },
  } satisfies ZodOpenApiOperationObject
}

const pictureResponses = {
  200: { description: 'The picture', content: pictures },
  304: { description: 'The client has this picture already' },
  504: { description: 'Drawing takes too long', content: failureContent },
  ...failures(),
}

const pictureOperation = {
  tags: ['Charts'],
  summary:
    'A chart with an address of its own, as of now; needs no key, as it has the rights and limits of whose it is',
  requestParams: { path: z.object({ file: z.string().meta({ example: 'AbCdEfGhIjKlMnOpQrStUvWx.png' }) }) },
  responses: pictureResponses,
} satisfies ZodOpenApiOperationObject

const renderOperation = {
  tags: ['Charts'],
  summary: 'Fetch a chart that was drawn within the last hour; needs no key but its id',
  requestParams: {
    path: z.object({ file: z.string().meta({ example: '0123456789abcdef0123456789abcdef.png' }) }),
  },
  responses: pictureResponses,
} satisfies ZodOpenApiOperationObject
