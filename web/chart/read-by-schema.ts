import { msPerDay, parseDay } from '#base/days.ts'

/** The subset of JSON Schema in chart requests. */
export interface JsonSchema {
  readonly type?: string
  readonly anyOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly items?: JsonSchema
  readonly prefixItems?: readonly JsonSchema[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

export const invalid = Symbol('invalid')

/**
 * Adds defaults; dates become unix days, times ms since 1970. Returns `invalid` if the schema
 * refuses it.
 */
export function readBySchema(schema: JsonSchema, value: unknown): unknown {
  const { anyOf, enum: words, type } = schema
  if (anyOf) return anyOf.map((one) => readBySchema(one, value)).find((one) => one !== invalid) ?? invalid
  if ((words && !words.includes(value)) || ('const' in schema && schema.const !== value)) return invalid
  if (type === 'string') return typeof value === 'string' ? readText(schema, value) : invalid
  if (type === 'boolean') return typeof value === 'boolean' ? value : invalid
  if (type === 'array') return Array.isArray(value) ? readList(schema, value) : invalid
  if (type === 'object') return isRecord(value) ? readFields(schema, value) : invalid
  return typeof value === 'number' && isWithin(schema, value) ? value : invalid
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readText({ format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema, text: string) {
  if (text.length < minLength || text.length > maxLength) return invalid
  if (pattern !== undefined && !new RegExp(pattern, format === 'color' ? 'i' : '').test(text)) return invalid
  const day = parseDay(text)
  if (format === 'date') return day
  if (format === 'color') return (text.length === 4 ? text.replace(/[^#]/g, '$&$&') : text).toLowerCase()
  if (format !== 'date-time') return text
  // A date means its end.
  return Number.isNaN(day) ? invalid : /^[\d-]+$/.test(text) ? (day + 1) * msPerDay - 1 : Date.parse(text)
}

function readList({ items, prefixItems = [], ...schema }: JsonSchema, list: readonly unknown[]) {
  const { minItems = prefixItems.length, maxItems = prefixItems.length } = schema
  if (list.length < minItems || list.length > maxItems) return invalid
  const read = list.map((item, i) => readBySchema(prefixItems[i] ?? items ?? {}, item))
  return read.includes(invalid) ? invalid : read
}

function readFields({ properties = {}, required = [] }: JsonSchema, fields: object) {
  const given = new Map<string, unknown>(Object.entries(fields))
  const read = Object.entries(properties).flatMap(([name, schema]): (readonly [string, unknown])[] => {
    const field = given.has(name) ? given.get(name) : schema.default
    return field === undefined ? [] : [[name, readBySchema(schema, field)]]
  })
  const isKnown = [...given.keys()].every((name) => Object.hasOwn(properties, name))
  const isComplete = required.every((name) => given.has(name))
  return isKnown && isComplete && read.every(([, field]) => field !== invalid) ? Object.fromEntries(read) : invalid
}

const isWithin = ({ type, minimum, maximum, exclusiveMinimum }: JsonSchema, value: number): boolean =>
  (type !== 'integer' || Number.isInteger(value)) &&
  value >= (minimum ?? value) &&
  value <= (maximum ?? value) &&
  (exclusiveMinimum === undefined || value > exclusiveMinimum)
