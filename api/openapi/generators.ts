/* What generators of clients need beyond a valid document. */

interface Schema {
  readonly [keyword: string]: unknown
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** They hold data, not schemas. */
const dataKeywords: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const', 'required'])

/** Applies `change` to every object of a document but data, innermost first. */
function mapSchemas(node: unknown, change: (schema: Schema) => Schema, isMap = false): unknown {
  if (Array.isArray(node)) return node.map((one) => mapSchemas(one, change))
  if (!isObject(node)) return node
  const mapped = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      !isMap && dataKeywords.has(key) ? value : mapSchemas(value, change, !isMap && key === 'properties'),
    ]),
  )
  return isMap ? mapped : change(mapped)
}

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null'

function numberFormat({ type, format }: Schema): string | undefined {
  if (format !== undefined) return undefined
  const types = Array.isArray(type) ? type : [type]
  return types.includes('number') ? 'double' : types.includes('integer') ? 'int64' : undefined
}

/**
 * Every number has a format, without which some languages choose 32 bits; booleans have no
 * constant; dates, which languages parse, have no pattern.
 */
export const forGenerators = (document: object): object =>
  Object(
    mapSchemas(document, (schema) => {
      const { pattern, const: constant, minimum, maximum, ...rest } = schema
      const format = numberFormat(schema)
      const isDate = schema.format === 'date' || schema.format === 'date-time'
      return {
        ...rest,
        ...(pattern !== undefined && !isDate && { pattern }),
        ...(constant !== undefined && typeof constant !== 'boolean' && { const: constant }),
        ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
        ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
        ...(format !== undefined && { format }),
      }
    }),
  )

/** The document in OpenAPI 3.0.3, for generators that do not read 3.1. */
export function toOpenApi30(document: object): object {
  const converted = mapSchemas(document, (schema) => {
    const {
      const: constant,
      examples,
      propertyNames: _,
      contentEncoding: __,
      exclusiveMinimum,
      exclusiveMaximum,
      ...rest
    } = schema
    const kept: Schema = {
      ...rest,
      ...(constant !== undefined && { enum: [constant] }),
      ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
      ...(exclusiveMaximum !== undefined && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
      // Lists of examples are of schemas, maps of bodies.
      ...(examples !== undefined && (Array.isArray(examples) ? { example: examples[0] } : { examples })),
    }
    // progenitor takes one type of errors from an operation: its own.
    const { 405: ____, ...ownErrors } = kept
    if (isObject(kept[503]) && !('$ref' in kept[503])) return ownErrors
    const { additionalProperties: others } = rest
    // oapi-codegen writes code that does not compile for null among them.
    const isNullable = rest.properties !== undefined && isObject(others) && others.nullable === true
    return withNullable(isNullable ? { ...kept, additionalProperties: {} } : kept)
  })
  const { webhooks: _, openapi: __, ...parts } = Object(converted)
  const { identifier: ___, ...license } = parts.info.license
  return { openapi: '3.0.3', ...parts, info: { ...parts.info, license } }
}

function withNullable(schema: Schema): Schema {
  const { type, anyOf, ...rest } = schema
  if (Array.isArray(type)) {
    const [first, ...others] = type.filter((one) => one !== 'null')
    const nullable = type.includes('null') && { nullable: true }
    if (others.length === 0) return { ...rest, type: first, ...nullable }
    return { ...rest, anyOf: [first, ...others].map((one) => ({ type: one })), ...nullable }
  }
  if (!Array.isArray(anyOf) || !anyOf.some(isNull)) return schema
  const alternatives = anyOf.filter((one) => !isNull(one))
  const [only] = alternatives
  if (alternatives.length > 1 || !isObject(only)) return { ...rest, anyOf: alternatives, nullable: true }
  return '$ref' in only ? { ...rest, allOf: [only], nullable: true } : { ...only, ...rest, nullable: true }
}
