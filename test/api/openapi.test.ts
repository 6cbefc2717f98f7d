import { expect, test } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from '#api/openapi/document.ts'
import { toOpenApi30 } from '#api/openapi/generators.ts'
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

const anyObject = z.record(z.string(), z.unknown())

/** Every object of the document but examples, with its place. */
function* objectsIn(node: unknown, place = ''): Generator<{ place: string; node: Record<string, unknown> }> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield { place, node: anyObject.parse(node) }
  for (const [name, one] of Object.entries(node)) {
    const isData = ['example', 'examples', 'enum', 'default'].includes(name) && !place.endsWith('/properties')
    if (!isData) yield* objectsIn(one, `${place}/${name}`)
  }
}
const schemas = [...objectsIn(JSON.parse(text))].filter(({ place }) => !place.endsWith('/properties'))
const findPlaces = (isWrong: (node: Record<string, unknown>) => boolean): string[] =>
  schemas.filter(({ node }) => isWrong(node)).map(({ place }) => place)
const includesType = ({ type }: Record<string, unknown>, name: string): boolean => [type].flat().includes(name)

test('every number has a format: without one, some languages read 32 bits', () => {
  expect(findPlaces((node) => includesType(node, 'number') && node.format !== 'double')).toEqual([])
  expect(findPlaces((node) => includesType(node, 'integer') && node.format !== 'int64')).toEqual([])
})

test('booleans have no constant, and dates no pattern', () => {
  expect(findPlaces(({ const: constant }) => typeof constant === 'boolean')).toEqual([])
  expect(findPlaces(({ format, pattern }) => /^date/.test(String(format)) && pattern !== undefined)).toEqual([])
})

test('no name is one of an operation or its parts and of a schema, in any case', () => {
  const { components } = z.object({ components: z.object({ schemas: anyObject }) }).parse(JSON.parse(text))
  const taken = operations.flatMap(({ operationId = '' }) =>
    ['', 'Request', 'Response', 'Params'].map((end) => `${operationId}${end}`.toLowerCase()),
  )
  expect(Object.keys(components.schemas).filter((name) => taken.includes(name.toLowerCase()))).toEqual([])
})

test('webhooks have a tag of their own, since generators make a class of each tag', () => {
  const { webhooks } = z
    .object({ webhooks: z.record(z.string(), z.object({ post: operationSchema })) })
    .parse(JSON.parse(text))
  const tags = Object.values(webhooks).map(({ post }) => post.tags)
  expect(new Set(tags.flat())).toEqual(new Set(['Webhooks']))
  expect(operations.filter((one) => one.tags?.includes('Webhooks'))).toEqual([])
})

test('the view in OpenAPI 3.0 has nothing that came with 3.1', () => {
  const view = toOpenApi30(JSON.parse(text))
  expect(view).toMatchObject({ openapi: '3.0.3', servers: [{ url: '/api' }], info: { license: { name: 'MIT' } } })
  expect(view).not.toHaveProperty('webhooks')
  const words = ['const', 'propertyNames', 'contentEncoding', 'prefixItems', 'identifier']
  const wrong = [...objectsIn(view)].filter(({ place, node }) => {
    if (place.endsWith('/properties')) return false
    const { type, exclusiveMinimum, examples, properties, additionalProperties: others } = node
    const isNullable = z.object({ nullable: z.literal(true) }).safeParse(others).success
    return (
      words.some((word) => word in node) ||
      type === 'null' ||
      Array.isArray(type) ||
      Array.isArray(examples) ||
      typeof exclusiveMinimum === 'number' ||
      (properties !== undefined && isNullable)
    )
  })
  expect(wrong.map(({ place }) => place)).toEqual([])
  // progenitor writes no client for operations with errors of two types.
  const answer = z.looseObject({ content: z.record(z.string(), z.looseObject({ schema: z.unknown() })).optional() })
  const { components } = z.object({ components: z.object({ responses: z.record(z.string(), answer) }) }).parse(view)
  const { paths } = documentSchema.parse(view)
  const mixed = Object.entries(paths).filter(([, methods]) =>
    Object.values(methods).some(({ responses }) => {
      const errors = Object.entries(responses).filter(([status]) => /^[45]/.test(status))
      const bodies = errors.map(([, { $ref, content }]) =>
        JSON.stringify(
          (typeof $ref === 'string' ? components.responses[$ref.split('/').at(-1)!]!.content : content)?.[
            'application/json'
          ]?.schema,
        ),
      )
      return new Set(bodies).size > 1
    }),
  )
  expect(mixed.map(([path]) => path)).toEqual([])
  const meta = z.looseObject({
    components: z.object({ schemas: z.object({ ServiceHealth: z.object({ properties: anyObject }) }) }),
  })
  expect(meta.parse(view).components.schemas.ServiceHealth.properties.last_update).toMatchObject({
    nullable: true,
    type: 'object',
  })
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
        schemas: z.object({ ChartBody: z.looseObject({ required: z.unknown().optional() }) }),
      }),
      paths: z.record(z.string(), z.record(z.string(), z.looseObject({ requestBody: z.unknown().optional() }))),
    })
    .parse(JSON.parse(text))
  const { ChartBody: chart } = components.schemas
  const bodies = Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one.requestBody))
  expect(JSON.stringify([chart, bodies])).not.toContain('"default":')
  expect(chart.required).toBeUndefined()
  expect(chart.properties).toMatchObject({ width: { type: 'integer', description: 'Default: 1200' } })
  // Parameters keep theirs.
  expect(paths['/v1/chart/snapshot']?.get?.parameters).toContainEqual(
    expect.objectContaining({ name: 'theme', schema: expect.objectContaining({ default: 'light' }) }),
  )
})
