import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { successSchema, value } from '#contract/envelope.ts'
import { pointInTime } from '#contract/parameters.ts'
import { allowsAnyField } from '#query/fields.ts'
import { binary, byKey, failureContent, failures, jsonContent } from './common.ts'

export function dataOperation(name: string, endpoint: Endpoint) {
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
          ...jsonContent(schema),
          'text/csv': { schema: z.string() },
          'application/vnd.apache.parquet': { schema: binary },
        },
      },
      304: { description: 'The client has these rows already' },
      ...failures(),
    },
  } satisfies ZodOpenApiOperationObject
}

function anyRow({ row, more, key }: Endpoint): z.ZodObject {
  const always = Object.entries(row.shape).filter(([name]) => key.includes(name))
  const shape = { ...row.partial().shape, ...Object.fromEntries(always), ...more.partial().shape }
  return allowsAnyField(row) || allowsAnyField(more) ? z.object(shape).catchall(value) : z.object(shape)
}

/** Created once: schema names must be unique. */
const answerSchemas = new Map<Endpoint, z.ZodObject>(
  Object.entries(endpoints).map(([name, endpoint]: [string, Endpoint]) => {
    const id = `${name[0]!.toUpperCase()}${name.slice(1)}`
    return [endpoint, successSchema(anyRow(endpoint).meta({ id: `${id}Row` })).meta({ id: `${id}Answer` })]
  }),
)

/** With its exceptions from general rules. */
function describe({ description, key, history, undated, query }: Endpoint): string {
  const sentences = [
    description,
    `Rows are identified by ${key.join(' and ')}.`,
    history && 'all' in history && `Every tier gets all days, because ${history.all}.`,
    history &&
      'computedFromAll' in history &&
      `Rows stay within the history of the tier, but are computed from all days, because ${history.computedFromAll}.`,
    undated &&
      `start_date and end_date ${'start_date' in query.shape ? 'have no effect' : 'are not accepted'}, because ${undated}.`,
  ]
  return sentences.filter((sentence) => sentence).join(' ')
}

// Some client generators know no Parquet or image type; they read bytes if the schema says so.
const parquetFile = {
  'application/vnd.apache.parquet': { schema: binary },
  'application/octet-stream': { schema: binary },
}

export const tableOperation = {
  operationId: 'table',
  tags: ['Tables'],
  summary: 'A published table as a Parquet file, whole or in ranges, or as compressed CSV',
  description:
    'For DuckDB, pandas, Polars and other programs that read Parquet from a URL. /v1/tables lists the tier that each table needs: a tier whose history or columns are limited does not get the whole table. With the ending csv.gz, every tier gets the rows and columns that it sees as compressed CSV, unless the table has more than 600,000 rows.',
  security: [{}, ...byKey],
  requestParams: {
    path: z.object({ file: z.string().meta({ example: 'prices.parquet' }) }),
    query: z.strictObject(pointInTime),
  },
  responses: {
    200: { description: 'The file', content: { ...parquetFile, 'application/gzip': { schema: binary } } },
    206: { description: 'The requested range', content: parquetFile },
    304: { description: 'The client has this file already' },
    412: { description: 'The file is not the one that If-Match names', content: failureContent },
    416: { description: 'The range begins after the end of the file', content: failureContent },
    ...failures(),
  },
} satisfies ZodOpenApiOperationObject
