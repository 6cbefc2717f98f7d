import { z } from 'zod'
import { rowsOf } from './published.ts'

const told = z.strictObject({
  title: z.string().optional(),
  description: z.string().optional(),
  unit: z.string().optional(),
  kind: z.string().optional(),
  formula: z.string().optional(),
  variant: z.string().optional(),
  definition_version: z.string().optional(),
  source: z.string().optional(),
  version: z.string(),
})
const notesSchema = z.strictObject({
  table: z.string(),
  description: z.string(),
  version: z.string(),
  file: z
    .strictObject({
      generation: z.string(),
      network: z.string(),
      simulated: z.boolean(),
      tip_height: z.int(),
      tip_hash: z.string(),
      pricing: z.string(),
      price_sources: z.array(z.string()),
    })
    .optional(),
  columns: z.record(z.string(), told),
})

/** Metadata of a Parquet file, as read by Parquet readers and by those of Arrow. */
export async function notesIn(file: string) {
  const pairs = await rowsOf(`SELECT decode(key), decode(value) FROM parquet_kv_metadata('${file}')`)
  const values = new Map(pairs.map(([key, value]) => [key, value ?? '']))
  return {
    notes: notesSchema.parse(JSON.parse(values.get('coinstrata') ?? '')),
    fields: arrowFields(Buffer.from(values.get('ARROW:schema') ?? '', 'base64')),
  }
}

export interface FieldOfArrow {
  readonly name: string
  readonly nullable: boolean
  /** Number of the type in Arrow's union `Type`, and the first fields of its table. */
  readonly type: number
  readonly of: readonly number[]
  readonly children: readonly FieldOfArrow[]
  readonly metadata: Readonly<Record<string, string>>
}

/** Reads a schema message by the rules of FlatBuffers, in any layout. */
function arrowFields(message: Buffer): FieldOfArrow[] {
  if (message.readUInt32LE(0) !== 0xffff_ffff || message.length !== 8 + message.readUInt32LE(4)) {
    throw new Error('this is no encapsulated message')
  }
  const bytes = message.subarray(8)
  const follow = (place: number): number => place + bytes.readUInt32LE(place)
  /** Position of a field in a table; undefined for its default. */
  const place = (table: number, field: number): number | undefined => {
    const vtable = table - bytes.readInt32LE(table)
    const entry = 4 + 2 * field
    const offset = entry < bytes.readUInt16LE(vtable) ? bytes.readUInt16LE(vtable + entry) : 0
    return offset === 0 ? undefined : table + offset
  }
  const byteOf = (table: number, field: number): number => {
    const at = place(table, field)
    return at === undefined ? 0 : bytes.readUInt8(at)
  }
  const target = (table: number, field: number): number | undefined => {
    const at = place(table, field)
    return at === undefined ? undefined : follow(at)
  }
  const textOf = (table: number, field: number): string => {
    const at = target(table, field)
    if (at === undefined) return ''
    const end = at + 4 + bytes.readUInt32LE(at)
    if (bytes[end] !== 0) throw new Error('a text has no end')
    return bytes.toString('utf8', at + 4, end)
  }
  const tablesOf = (table: number, field: number): number[] => {
    const at = target(table, field)
    if (at === undefined) return []
    return Array.from({ length: bytes.readUInt32LE(at) }, (_, i) => follow(at + 4 + 4 * i))
  }
  const read = (field: number): FieldOfArrow => {
    const type = target(field, 3)
    return {
      name: textOf(field, 0),
      nullable: byteOf(field, 1) === 1,
      type: byteOf(field, 2),
      of: type === undefined ? [] : [byteOf(type, 0), byteOf(type, 1), byteOf(type, 2)],
      children: tablesOf(field, 5).map(read),
      metadata: Object.fromEntries(tablesOf(field, 6).map((pair) => [textOf(pair, 0), textOf(pair, 1)])),
    }
  }
  const root = follow(0)
  const schema = target(root, 2)
  if (byteOf(root, 1) !== 1 || schema === undefined) throw new Error('the message holds no schema')
  return tablesOf(schema, 1).map(read)
}
