import { expect, test } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from '#api/openapi/document.ts'
import { endpoints } from '#contract/endpoints.ts'
import { eventData, eventNames } from '#contract/events.ts'
import { Documented } from './support/documented.ts'

const operationSchema = z.looseObject({
  operationId: z.string().optional(),
  summary: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  security: z.array(z.record(z.string(), z.unknown())).optional(),
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), z.looseObject({})).optional() })),
})
/** What is sent to an address of an account. */
const sentSchema = z.object({
  parameters: z.array(z.object({ name: z.string() })),
  requestBody: z.object({
    content: z.object({
      'application/json': z.object({ example: z.object({ type: z.string(), data: z.unknown() }) }),
    }),
  }),
})
const documentSchema = z.object({
  servers: z.array(z.object({ url: z.string() })).min(1),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  components: z.object({ securitySchemes: z.record(z.string(), z.unknown()) }),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
})
const methods = ['get', 'post', 'delete'] as const
const namedExamples = z.record(z.string(), z.object({ value: z.unknown() })).default({})
const examplesOf = (content: Readonly<Record<string, unknown>>): unknown[] => [
  ...('example' in content ? [content.example] : []),
  ...Object.values(namedExamples.parse(content.examples)).map(({ value }) => value),
]
const text = JSON.stringify(openApiDocument({ version: '1.2.3', publicUrl: undefined, basePath: '/api' }))
const document = documentSchema.parse(JSON.parse(text))
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
)

test('every operation has a name of its own, a tag that is described, texts and who may call it', () => {
  const tags = new Set(document.tags.map(({ name }) => name))
  const schemes = new Set(Object.keys(document.components.securitySchemes))
  const lacking = operations.filter(
    ({ operationId, summary, description, tags: own = [], security }) =>
      !/^[a-z][A-Za-z]+$/.test(operationId ?? '') ||
      !summary ||
      !description ||
      own.length !== 1 ||
      !tags.has(own[0] ?? '') ||
      !security?.every((one) => Object.keys(one).every((name) => schemes.has(name))),
  )
  expect(lacking.map(({ name }) => name)).toEqual([])
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  expect(operations.length).toBeGreaterThan(70)
})

test('every answer in JSON has examples, which its schema allows', () => {
  const documented = Documented.of(JSON.parse(text))
  const problems = methods.flatMap((method) =>
    [...documented.operations(method)].flatMap(([path, { responses }]) =>
      Object.entries(responses).flatMap(([status, { content }]) => {
        const json = content?.['application/json']
        if (!json) return []
        const examples = examplesOf(json)
        if (examples.length === 0) return [`${method} ${path} ${status} has no example`]
        return examples.flatMap((one) => documented.problem(method, path, Number(status), one) ?? [])
      }),
    ),
  )
  expect(problems).toEqual([])
})

test('every event that is sent to addresses of accounts is described with its signature and an example that its schema allows', () => {
  const { webhooks } = z
    .object({ webhooks: z.record(z.string(), z.object({ post: operationSchema })) })
    .parse(JSON.parse(text))
  expect(Object.keys(webhooks)).toEqual([...eventNames])
  for (const [event, { post }] of Object.entries(webhooks)) {
    const { parameters, requestBody } = sentSchema.parse(post)
    expect(parameters.map(({ name }) => name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    const { type, data } = requestBody.content['application/json'].example
    expect([type, eventData[eventNames.find((name) => name === event)!].safeParse(data).success]).toEqual([event, true])
  }
})

test('the document says where it is served, and keeps to what generators know', () => {
  expect(document.servers).toEqual([{ url: '/api' }])
  expect(text).not.toContain('"items":false')
  expect(text).not.toContain('prefixItems')
})

test('rows have the fields by which they are told apart', () => {
  const missing = Object.values(endpoints).flatMap(({ path, row, key }) =>
    key.filter((name) => !(name in row.shape)).map((name) => `${path} ${name}`),
  )
  expect(missing, 'declare their key in contract/endpoints').toEqual([])
})

test('bodies describe their defaults as text, because type generators require properties that have a default', () => {
  const { components, paths } = z
    .object({
      components: z.object({
        schemas: z.object({ ChartRequest: z.looseObject({ required: z.unknown().optional() }) }),
      }),
      paths: z.record(z.string(), z.record(z.string(), z.looseObject({ requestBody: z.unknown().optional() }))),
    })
    .parse(JSON.parse(text))
  const { ChartRequest: chart } = components.schemas
  const bodies = Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one.requestBody))
  expect(JSON.stringify([chart, bodies])).not.toContain('"default":')
  expect(chart.required).toBeUndefined()
  expect(chart.properties).toMatchObject({ width: { type: 'integer', description: 'Default: 1200' } })
  // Parameters keep theirs.
  expect(paths['/v1/chart/snapshot']?.get?.parameters).toContainEqual(
    expect.objectContaining({ name: 'theme', schema: expect.objectContaining({ default: 'light' }) }),
  )
})
