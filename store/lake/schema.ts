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

/** A schema of Iceberg, as its metadata have it. */
export type Schema = z.infer<typeof schemaSchema>
type Field = Schema['fields'][number]

/** Names and numbers of all columns that a table ever had, as its files know none. */
export type NameMapping = { readonly 'field-id': number; readonly names: string[]; readonly fields?: NameMapping }[]

/** All schemas of a table, and the last number of a column that was given. */
export interface Schemas {
  readonly schemas: readonly Schema[]
  readonly lastColumnId: number
}

/**
 * The schema of a file, of those that a table has or a new one: a column keeps its number for as long as its name and type stay.
 * `undefined` where a name has another type than before, which no reader could follow.
 */
export function schemaOf(
  columns: readonly ParquetColumn[],
  { schemas, lastColumnId }: Schemas,
): { readonly schema: Schema; readonly lastColumnId: number } | undefined {
  const known = new Map(schemas.flatMap(({ fields }) => fields.map((field) => [field.name, field] as const)))
  let last = lastColumnId
  const fields: Field[] = []
  for (const { name, type, description } of columns) {
    if (type === 'uint32') continue
    const before = known.get(name)
    const made = {
      id: before?.id ?? ++last,
      name,
      // Parquet files of ours have every column optional.
      required: false,
      type: icebergType(type, () => elementIdOf(before) ?? ++last),
      ...(description !== undefined && { doc: description }),
    }
    if (before && !isDeepStrictEqual(before.type, made.type)) return undefined
    fields.push(made)
  }
  const same = schemas.find((schema) => isDeepStrictEqual(schema.fields, fields))
  const id = 1 + Math.max(-1, ...schemas.map((schema) => schema['schema-id']))
  return { schema: same ?? { type: 'struct', 'schema-id': id, fields }, lastColumnId: last }
}

const elementIdOf = (field: Field | undefined): number | undefined =>
  typeof field?.type === 'object' ? field.type['element-id'] : undefined

/** Columns that no schema has: Iceberg knows no whole numbers without a sign, and its reader for Spark refuses what is stored as one. */
export const leftOutOf = (columns: readonly ParquetColumn[]): string[] =>
  columns.filter(({ type }) => type === 'uint32').map(({ name }) => name)

type SimpleType = Exclude<Extract<ParquetType, string>, 'uint32'>

function icebergType(type: Exclude<ParquetType, 'uint32'>, elementId: () => number): Field['type'] {
  if (typeof type === 'string') return simpleTypes[type]
  if ('precision' in type) return `decimal(${type.precision},${type.scale})`
  const element = type.listOf === 'uint32' ? undefined : icebergType(type.listOf, elementId)
  if (typeof element !== 'string') throw new Error('no published table has lists of such elements')
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
} as const satisfies Record<SimpleType, string>

/** Beyond those of any column of a table. */
const firstLeftOutId = 1_000_000

/** `leftOut` are columns of files that no schema has; PyIceberg refuses files whose columns have no number. */
export function nameMappingOf(schemas: readonly Schema[], leftOut: readonly string[]): NameMapping {
  const known = new Map(schemas.flatMap(({ fields }) => fields.map((field) => [field.name, field] as const)))
  return [
    ...Array.from(known.values(), ({ id, name, type }) => ({
      'field-id': id,
      names: [name],
      ...(typeof type === 'object' && { fields: [{ 'field-id': type['element-id'], names: ['element'] }] }),
    })),
    ...leftOut.map((name, place) => ({ 'field-id': firstLeftOutId + place, names: [name] })),
  ]
}
