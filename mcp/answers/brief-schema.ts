import { z } from 'zod'

interface JsonSchema {
  readonly [keyword: string]: unknown
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Keeps names, types, allowed words and descriptions (or `descriptions`): assistants read all
 * tools' schemas before their first question. Uses only what Gemini and OpenAI's strict mode
 * accept and their SDKs convert: no lists of types, constants, defaults, `additionalProperties`, or
 * arrays and objects without contents.
 */
export function briefInput(
  schema: z.ZodObject,
  descriptions?: Readonly<Record<string, string>>,
): { type: 'object'; [keyword: string]: unknown } {
  const whole: unknown = z.toJSONSchema(schema, { io: 'input' })
  if (!isSchema(whole)) throw new Error('the schema of an object is an object')
  const definitions = isSchema(whole.$defs) ? whole.$defs : {}
  const { properties, ...rest } = shorten(whole, definitions, 0)
  return { ...rest, type: 'object', properties: replaceDescriptions(properties, descriptions) }
}

function replaceDescriptions(
  properties: unknown,
  descriptions: Readonly<Record<string, string>> | undefined,
): JsonSchema {
  if (!isSchema(properties)) return {}
  if (descriptions === undefined) return properties
  const entries = Object.entries(properties).map(([name, one]) => {
    const { description: _, ...rest } = isSchema(one) ? one : {}
    const description = descriptions[name]
    return [name, description === undefined ? rest : { ...rest, description }]
  })
  return Object.fromEntries(entries)
}

const copiedKeywords = ['type', 'enum', 'required']
/** Parameters are at depth 1. */
const maxDescribedDepth = 1

function shorten(schema: JsonSchema, definitions: JsonSchema, depth: number): JsonSchema {
  const named = typeof schema.$ref === 'string' ? definitions[schema.$ref.split('/').at(-1) ?? ''] : undefined
  if (isSchema(named)) return shorten({ ...named, ...(schema.description !== undefined && schema) }, definitions, depth)
  const { properties, items, anyOf, const: constant, default: defaultValue } = schema
  const texts = [schema.description, defaultValue === undefined ? '' : `Default: ${defaultValue}`]
  const description = texts.filter((text) => text).join('. ')
  const alternatives = Array.isArray(anyOf)
    ? anyOf.filter(isSchema).map((one) => shorten(one, definitions, depth + 1))
    : []
  return {
    ...Object.fromEntries(
      Object.entries(schema).filter(([keyword]) => copiedKeywords.includes(keyword) || keyword.startsWith('x-')),
    ),
    ...(constant !== undefined && { enum: [constant] }),
    ...(alternatives.length > 0 && { anyOf: alternatives }),
    ...(isSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).flatMap(([name, one]) =>
          isSchema(one) ? [[name, shorten(one, definitions, depth + 1)]] : [],
        ),
      ),
    }),
    ...(isSchema(items) && { items: shorten(items, definitions, depth + 1) }),
    ...(depth <= maxDescribedDepth && description && { description }),
  }
}
