import 'zod-openapi'
import { z } from 'zod'

type Schema = z.core.JSONSchema.JSONSchema

/**
 * A value valid for a schema: its declared example, else one generated from types, without optional fields and with as
 * few list items as allowed.
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
