import { z } from 'zod'
import type { CreateDocumentOptions } from 'zod-openapi'
import { failureSchema } from '#contract/envelope.ts'

type Schema = z.core.JSONSchema.JSONSchema

/**
 * The declared example, else one generated from types, without optional fields and with minimal
 * items.
 */
export function exampleOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): unknown {
  const written = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
    // Types as the document writes them.
    override: (context) => {
      const override = z.globalRegistry.get(context.zodSchema)?.override
      if (typeof override === 'object') Object.assign(context.jsonSchema, override)
      if (typeof override === 'function') override(context)
    },
  })
  return exampleIn(written, written)
}

const texts: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-02-01T00:30:00.000Z',
  uri: 'https://example.org/',
  email: 'you@example.org',
}

function exampleIn(schema: Schema | boolean, root: Schema): unknown {
  if (typeof schema === 'boolean') return {}
  if (schema.example !== undefined) return schema.example
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  if (schema.$ref !== undefined) return exampleIn(root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {}, root)
  const [alternative] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []
  if (alternative !== undefined) return exampleIn(alternative, root)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, field]) => [name, exampleIn(field, root)]),
      )
    case 'array':
      if (Array.isArray(schema.items) || schema.items === undefined) return []
      return new Array(Math.max(1, schema.minItems ?? 1)).fill(exampleIn(schema.items, root))
    case 'string':
      return texts[schema.format ?? ''] ?? 'text'
    case 'integer':
      return Math.max(1, schema.minimum ?? 1)
    case 'number':
      return Math.max(0.5, schema.minimum ?? 0.5)
    case 'boolean':
      return true
    default:
      return null
  }
}

/** As text: type generators require properties that have `default`. */
export const describeDefaults: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema, io }) => {
  if (io !== 'input' || jsonSchema.additionalProperties !== false) return
  for (const property of Object.values(jsonSchema.properties ?? {})) {
    if (typeof property === 'boolean' || property.default === undefined) continue
    const { default: value, description } = property
    delete property.default
    if (String(value)) property.description = `${description ? `${description}. ` : ''}Default: ${value}`
  }
}

export const binary = z.string().meta({ format: 'binary' })

export const byKey = [{ key: [] }, { keyHeader: [] }]

const commonFailures: Readonly<Record<number, string>> = {
  400: 'A parameter is not valid',
  401: 'The key is not valid, or a key is needed',
  403: "The caller's tier is too low",
  404: 'Unknown id, cohort, exchange or path',
  405: 'The path does not support this method',
  406: 'Accept names no format that is served',
  413: 'The body is too long',
  414: 'The address is too long',
  415: 'The body is not JSON',
  429: 'Too many requests, sign-in attempts or event connections, or a budget is used up (error.details.budget names it). Retry-After says when to try again',
  431: 'The headers are too long',
  500: 'An error in the service',
  503: 'No data is published yet, or the data are damaged; accounts, storage or mail cannot be reached; or too many callers are waiting. error.code says which',
  504: 'Drawing takes too long',
}
export const ofBodies = [413, 415]
export const ofDrawing = [504]

export const jsonContent = (schema: z.ZodType, io?: 'input') => ({
  'application/json': { schema, example: exampleOf(schema, io) },
})

export const failureContent = jsonContent(failureSchema)

export const failureResponses = new Map(
  Object.entries(commonFailures).map(([status, description]) => [
    Number(status),
    { id: `Failure${status}`, description, content: failureContent },
  ]),
)
const ofSome = new Set([...ofBodies, ...ofDrawing])
export const failures = (others: readonly number[] = []) =>
  Object.fromEntries([...failureResponses].filter(([status]) => !ofSome.has(status) || others.includes(status)))
