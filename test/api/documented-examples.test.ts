import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openAccountStores } from '#accounts/services.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { endpoints } from '#contract/endpoints.ts'
import { paths } from '#contract/paths.ts'
import { makeServedChain, type ServedChain } from './support/served-chain.ts'
import { serve, type TestServer, withoutLimits } from './support/test-server.ts'

/** Every example of the OpenAPI document, sent as a reader of it would. */

let chain: ServedChain
let server: TestServer
let document: z.infer<typeof documentSchema>

beforeAll(async () => {
  chain = await makeServedChain()
  server = await serve(chain.dataDir, { ...withoutLimits, ACCESS: 'open' })
  document = documentSchema.parse(await (await fetch(`${server.url}/docs`)).json())
})
afterAll(async () => {
  await server?.close()
  chain?.remove()
})

const operationSchema = z.object({
  tags: z.array(z.string()),
  parameters: z
    .array(
      z.object({
        in: z.string(),
        name: z.string(),
        required: z.boolean().default(false),
        schema: z.object({ example: z.unknown() }).partial(),
      }),
    )
    .default([]),
  requestBody: z
    .object({
      content: z.object({
        'application/json': z.object({ examples: z.record(z.string(), z.object({ value: z.unknown() })).default({}) }),
      }),
    })
    .optional(),
})
const objectSchema = z.record(z.string(), z.unknown())
const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.object({ ChartBody: z.unknown() }) }),
})

const operations = (method: 'get' | 'post') =>
  Object.entries(document.paths)
    .filter(([, methods]) => methods[method] !== undefined)
    .map(([path, methods]) => ({ path, ...operationSchema.parse(methods[method]) }))
    // Under open access there are no accounts.
    .filter(({ tags }) => !tags.includes('Account'))

const send = (path: string, body: unknown) =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Answers by what was asked, for a message that says all that failed. */
async function statusOf(asked: string, answer: Response): Promise<string> {
  return `${asked}: ${answer.status}${answer.ok ? '' : ` ${(await answer.json()).message}`}`
}

test('of parameters', async () => {
  const known = await fetch(`${server.url}/v1/chart/snapshot?metric=price`)
  const services = await openAccountStores({ DATA_DIR: chain.dataDir })
  const owner = await services.accounts.create('pictures@example.org', 'pro')
  const picture = await services.pictures.add(owner?.id ?? 0, 'price', { metrics: [{ id: 'price' }] })
  await services.close()
  // Only who drew a picture or created an alert knows its id, so the document's cannot exist.
  const sent = { metric: 'price', condition: { kind: 'above', value: 1 } }
  const { data } = z
    .object({ data: z.array(z.object({ id: z.string() })) })
    .parse(await (await send('/v1/alerts', sent)).json())
  const files: Record<string, string> = {
    [paths.render]: `${known.headers.get('x-render-id')}.png`,
    [paths.picture]: `${picture?.id}.png`,
    [accountActions.alertEvents.path]: data[0]?.id ?? '',
    [accountActions.oneAlert.path]: data[0]?.id ?? '',
  }
  const asked: string[] = []
  const answers: string[] = []
  for (const { path, parameters } of operations('get')) {
    const examples = parameters.filter(({ schema }) => schema.example !== undefined)
    const values = examples.map((one) => [one, encodeURIComponent(files[path] ?? String(one.schema.example))] as const)
    const filled = values
      .filter(([one]) => one.in === 'path')
      .reduce((address, [{ name }, value]) => address.replace(`{${name}}`, value), path)
    const inQuery = values.filter(([one]) => one.in === 'query')
    const isNeeded = ({ name, required }: { name: string; required: boolean }): boolean =>
      required || (path === endpoints.series.path && name === 'metrics')
    const needed = inQuery.filter(([one]) => isNeeded(one))
    const queries = inQuery.map((one) => [...new Set([...needed, one])].map(([{ name }, value]) => `${name}=${value}`))
    for (const query of new Set(['', ...queries.map((parts) => `?${parts.join('&')}`)])) {
      if (query === '' && (filled === path || needed.length > 0)) continue
      asked.push(filled + query)
      answers.push(await statusOf(filled + query, await fetch(server.url + filled + query)))
    }
  }
  expect(asked.length).toBeGreaterThan(8)
  expect(answers).toEqual(asked.map((one) => `${one}: 200`))
})

test('of bodies', async () => {
  const asked: string[] = []
  const answers: string[] = []
  for (const { path, requestBody } of operations('post')) {
    for (const [name, { value }] of Object.entries(requestBody?.content['application/json'].examples ?? {})) {
      asked.push(`${path} ${name}`)
      answers.push(await statusOf(`${path} ${name}`, await send(path, value)))
    }
  }
  expect(asked.length).toBeGreaterThanOrEqual(5)
  expect(answers).toEqual(asked.map((one) => `${one}: 200`))
})

test('of the fields of a chart', async () => {
  const found = examplesOf(document.components.schemas.ChartBody)
  const example = (path: string) => found.get(path)
  expect([...found.keys()].sort()).toEqual([
    'crossings.crosses',
    'crossings.line',
    'crossings.up',
    'formulas.color',
    'formulas.color_by',
    'formulas.dash',
    'formulas.expression',
    'formulas.negative_color',
    'heatmap.metric',
    'histogram.metric',
    'metrics.color',
    'metrics.color_by',
    'metrics.dash',
    'metrics.negative_color',
    'reference_areas.fill',
    'reference_lines.stroke',
    'reference_lines.stroke_dasharray',
  ])
  const body = {
    metrics: [
      {
        id: 'price',
        color_by: example('metrics.color_by'),
        color: example('metrics.color'),
        dash: example('metrics.dash'),
        negative_color: example('metrics.negative_color'),
      },
    ],
    formulas: [
      {
        expression: example('formulas.expression'),
        color: example('formulas.color'),
        dash: example('formulas.dash'),
        negative_color: example('formulas.negative_color'),
      },
    ],
    reference_lines: [
      {
        y: 1,
        stroke: example('reference_lines.stroke'),
        stroke_dasharray: example('reference_lines.stroke_dasharray'),
      },
    ],
    reference_areas: [{ y1: 1, y2: 2, fill: example('reference_areas.fill') }],
  }
  expect(await statusOf('fields', await send('/v1/chart/snapshot', body))).toBe('fields: 200')
  const crossings = [
    { line: example('crossings.line'), crosses: example('crossings.crosses'), up: example('crossings.up') },
  ]
  const crossed = { metrics: ['price', 'realized_price'], crossings }
  expect(await statusOf('crossings', await send('/v1/chart/snapshot', crossed))).toBe('crossings: 200')
  const histogram = { histogram: { metric: example('histogram.metric') } }
  expect(await statusOf('histogram', await send('/v1/chart/snapshot', histogram))).toBe('histogram: 200')
  const heatmap = { heatmap: { metric: example('heatmap.metric') } }
  expect(await statusOf('heatmap', await send('/v1/chart/snapshot', heatmap))).toBe('heatmap: 200')
})

/** Examples by the names of the fields that lead to them. */
function examplesOf(schema: unknown, path = ''): Map<string, unknown> {
  if (Array.isArray(schema)) return new Map(schema.flatMap((one) => [...examplesOf(one, path)]))
  const keywords = Object.entries(objectSchema.safeParse(schema).data ?? {})
  return new Map(
    keywords.flatMap(([keyword, value]): [string, unknown][] => {
      if (keyword === 'example') return [[path, value]]
      if (keyword !== 'properties') return [...examplesOf(value, path)]
      const fields = Object.entries(objectSchema.parse(value))
      return fields.flatMap(([name, field]) => [...examplesOf(field, path === '' ? name : `${path}.${name}`)])
    }),
  )
}
