import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { ParquetColumn, ParquetType } from '#sql/parquet-columns.ts'

const listSchema = z.object({
  type: z.literal('list'),
  'element-id': z.int(),
  element: z.string(),
  'element-required': z.boolean(),
})
const fieldSchema = z.object({
  id: z.int(),
  name: z.string(),
  required: z.boolean(),
  type: z.union([z.string(), listSchema]),
  doc: z.string().optional(),
})
export const schemaSchema = z.object({
  type: z.literal('struct'),
  'schema-id': z.int(),
  fields: z.array(fieldSchema),
})

export type Schema = z.infer<typeof schemaSchema>
type Field = Schema['fields'][number]

/** Column ids by name, because the Parquet files have no field ids. */
export type NameMapping = { readonly 'field-id': number; readonly names: string[]; readonly fields?: NameMapping }[]

/** All of a table, and its highest column id so far. */
export interface Schemas {
  readonly schemas: readonly Schema[]
  readonly lastColumnId: number
}

/**
 * Finds or creates a file's schema; columns keep their ids by name. `undefined` if a column changed
 * its type, which readers cannot follow.
 */
export function mergeSchema(
  columns: readonly ParquetColumn[],
  { schemas, lastColumnId }: Schemas,
): { readonly schema: Schema; readonly lastColumnId: number } | undefined {
  const known = new Map(schemas.flatMap(({ fields }) => fields.map((field) => [field.name, field] as const)))
  let last = lastColumnId
  const fields: Field[] = []
  for (const { name, type, description } of columns) {
    const before = known.get(name)
    const field = {
      id: before?.id ?? ++last,
      name,
      // All our Parquet columns are optional.
      required: false,
      type: icebergType(type, () => elementId(before) ?? ++last),
      ...(description !== undefined && { doc: description }),
    }
    if (before && !isDeepStrictEqual(before.type, field.type)) return undefined
    fields.push(field)
  }
  const same = schemas.find((schema) => isDeepStrictEqual(schema.fields, fields))
  const id = 1 + Math.max(-1, ...schemas.map((schema) => schema['schema-id']))
  return { schema: same ?? { type: 'struct', 'schema-id': id, fields }, lastColumnId: last }
}

const elementId = (field: Field | undefined): number | undefined =>
  typeof field?.type === 'object' ? field.type['element-id'] : undefined

function icebergType(type: ParquetType, elementId: () => number): Field['type'] {
  if (typeof type === 'string') return simpleTypes[type]
  if ('precision' in type) return `decimal(${type.precision},${type.scale})`
  const element = icebergType(type.listOf, elementId)
  if (typeof element !== 'string') throw new Error('no published table has lists of lists')
  return { type: 'list', 'element-id': elementId(), element, 'element-required': false }
}

const simpleTypes = {
  boolean: 'boolean',
  int32: 'int',
  int64: 'long',
  double: 'double',
  date: 'date',
  timestamp: 'timestamp',
  string: 'string',
} as const satisfies Record<Extract<ParquetType, string>, string>

export function createNameMapping(schemas: readonly Schema[]): NameMapping {
  const known = new Map(schemas.flatMap(({ fields }) => fields.map((field) => [field.name, field] as const)))
  return Array.from(known.values(), ({ id, name, type }) => ({
    'field-id': id,
    names: [name],
    ...(typeof type === 'object' && { fields: [{ 'field-id': type['element-id'], names: ['element'] }] }),
  }))
}
