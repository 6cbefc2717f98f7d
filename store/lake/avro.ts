import { createHash } from 'node:crypto'

/**
 * An Avro type with its schema. Fields carry the field ids of Iceberg, which Avro packages do not
 * write.
 */
export interface Avro<Value> {
  readonly schema: unknown
  readonly write: (to: AvroBytes, value: Value) => void
}

export class AvroBytes {
  readonly #pieces: Uint8Array[] = []

  /** Zigzag varint. */
  long(value: number): void {
    const bytes: number[] = []
    let left = BigInt(value) >= 0n ? BigInt(value) << 1n : (-BigInt(value) << 1n) - 1n
    for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128)
    this.#pieces.push(Uint8Array.from([...bytes, Number(left)]))
  }

  raw(bytes: Uint8Array): void {
    this.#pieces.push(bytes)
  }

  bytes(value: Uint8Array): void {
    this.long(value.length)
    this.raw(value)
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.#pieces)
  }
}

export const int: Avro<number> = { schema: 'int', write: (to, value) => to.long(value) }
export const long: Avro<number> = { schema: 'long', write: (to, value) => to.long(value) }
export const bytes: Avro<Uint8Array> = { schema: 'bytes', write: (to, value) => to.bytes(value) }
export const string: Avro<string> = { schema: 'string', write: (to, value) => to.bytes(Buffer.from(value)) }

export const optional = <Value>({ schema, write }: Avro<Value>): Avro<Value | undefined> => ({
  schema: ['null', schema],
  write(to, value) {
    to.long(value === undefined ? 0 : 1)
    if (value !== undefined) write(to, value)
  },
})

/** `id` is Iceberg's element-id. */
export const list = <Value>(id: number, { schema, write }: Avro<Value>): Avro<readonly Value[]> => ({
  schema: { type: 'array', items: schema, 'element-id': id },
  write(to, values) {
    writeBlock(to, values, write)
  },
})

/** An Iceberg map with integer keys, which Avro's maps lack: an array of key-value records. */
export const map = <Value>(keyId: number, valueId: number, value: Avro<Value>): Avro<ReadonlyMap<number, Value>> => {
  const pair = record<readonly [number, Value]>(`k${keyId}_v${valueId}`, [
    field(keyId, 'key', int, ([key]) => key),
    field(valueId, 'value', value, ([, of]) => of),
  ])
  return {
    schema: { type: 'array', logicalType: 'map', items: pair.schema },
    write(to, values) {
      writeBlock(to, [...values], pair.write)
    },
  }
}

export interface AvroField<Of> {
  readonly schema: unknown
  readonly write: (to: AvroBytes, of: Of) => void
}

export const field = <Of, Value>(
  id: number,
  name: string,
  { schema, write }: Avro<Value>,
  of: (row: Of) => Value,
): AvroField<Of> => ({
  schema: { name, type: schema, 'field-id': id, ...(Array.isArray(schema) && { default: null }) },
  write: (to, row) => write(to, of(row)),
})

export const record = <Of>(name: string, fields: readonly AvroField<Of>[]): Avro<Of> => ({
  schema: { type: 'record', name, fields: fields.map(({ schema }) => schema) },
  write(to, value) {
    for (const { write } of fields) write(to, value)
  },
})

function writeBlock<Value>(
  to: AvroBytes,
  values: readonly Value[],
  write: (to: AvroBytes, value: Value) => void,
): void {
  if (values.length > 0) to.long(values.length)
  for (const value of values) write(to, value)
  to.long(0)
}

/** An Avro file with `notes` as metadata. The same input gives the same bytes. */
export function avroFile<Of>(
  { schema, write }: Avro<Of>,
  records: readonly Of[],
  notes: Record<string, string>,
): Buffer {
  const rows = new AvroBytes()
  for (const value of records) write(rows, value)
  const block = rows.toBuffer()
  const file = new AvroBytes()
  file.raw(Buffer.from('Obj\x01', 'latin1'))
  const header = { 'avro.schema': JSON.stringify(schema), 'avro.codec': 'null', ...notes }
  writeBlock(file, Object.entries(header), (to, [key, value]) => {
    string.write(to, key)
    string.write(to, value)
  })
  const sync = createHash('sha256').update(JSON.stringify(header)).update(block).digest().subarray(0, 16)
  file.raw(sync)
  file.long(records.length)
  file.bytes(block)
  file.raw(sync)
  return file.toBuffer()
}
