import type { ColumnType } from '#contract/tables/column.ts'

/** A column with metadata that readers of Arrow show. */
export interface ArrowField {
  readonly name: string
  readonly type: ColumnType
  readonly nullable: boolean
  readonly notes: Readonly<Record<string, string>>
}

/**
 * The value of the key `ARROW:schema` in a Parquet file: a base64 IPC message of metadata version 5
 * (Arrow's Message.fbs and Schema.fbs). Types are those that readers derive from files of DuckDB.
 */
export function arrowSchema(fields: readonly ArrowField[]): string {
  const schema: FlatTable = [{ short: littleEndian }, { tables: fields.map(fieldTable) }]
  const message = flatBuffer([{ short: metadataVersion }, { byte: schemaHeader }, { table: schema }])
  const head = Buffer.alloc(8)
  head.writeUInt32LE(0xffff_ffff, 0)
  head.writeUInt32LE(message.length, 4)
  return Buffer.concat([head, message]).toString('base64')
}

/** `MetadataVersion.V5`, `MessageHeader.Schema`, `Endianness.Little` */
const [metadataVersion, schemaHeader, littleEndian] = [4, 1, 0]

const fieldTable = ({ name, type, nullable, notes }: ArrowField): FlatTable => {
  const { kind, of, items } = arrowTypes[type]
  const children = items === undefined ? [] : [fieldTable({ name: 'element', type: items, nullable: true, notes: {} })]
  const entries = Object.entries(notes).map(([key, value]): FlatTable => [{ text: key }, { text: value }])
  return [
    { text: name },
    { byte: nullable ? 1 : 0 },
    { byte: kind },
    { table: of },
    undefined,
    { tables: children },
    ...(entries.length > 0 ? [{ tables: entries }] : []),
  ]
}

interface ArrowType {
  readonly kind: number
  readonly of: FlatTable
  readonly items?: ColumnType
}

const signed = { byte: 1 }
const integer = (bits: number): ArrowType => ({ kind: 2, of: [{ int: bits }, signed] })
const [doublePrecision, days, microseconds] = [2, 0, 2]

const arrowTypes: Readonly<Record<ColumnType, ArrowType>> = {
  INTEGER: integer(32),
  BIGINT: integer(64),
  DOUBLE: { kind: 3, of: [{ short: doublePrecision }] },
  VARCHAR: { kind: 5, of: [] },
  BOOLEAN: { kind: 6, of: [] },
  'DECIMAL(38,0)': { kind: 7, of: [{ int: 38 }, { int: 0 }, { int: 128 }] },
  DATE: { kind: 8, of: [{ short: days }] },
  TIMESTAMP: { kind: 10, of: [{ short: microseconds }] },
  'VARCHAR[]': { kind: 12, of: [], items: 'VARCHAR' },
}

/** Fields of a FlatBuffers table by number; `undefined` means the default. */
type FlatTable = readonly (FlatValue | undefined)[]
type FlatValue =
  | { readonly byte: number }
  | { readonly short: number }
  | { readonly int: number }
  | { readonly text: string }
  | { readonly table: FlatTable }
  | { readonly tables: readonly FlatTable[] }

/**
 * Tables precede the objects that they reference; each field takes four bytes, enough for all types
 * of `FlatValue`.
 */
function flatBuffer(root: FlatTable): Buffer {
  const writer = new FlatWriter()
  const place = writer.reserve(4)
  writer.refer(place, () => writer.table(root))
  return writer.bytes()
}

class FlatWriter {
  #bytes = Buffer.alloc(1 << 16)
  #length = 0

  /** Padded to eight bytes, as IPC messages require. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.reserve(-this.#length & 7) + (-this.#length & 7))
  }

  reserve(count: number): number {
    const begin = this.#length
    if (begin + count > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length + count)])
    }
    this.#length += count
    return begin
  }

  /** Writes an aligned object, and its offset relative to `place` there. */
  refer(place: number, write: () => number): void {
    this.reserve(-this.#length & 3)
    const target = write()
    this.#bytes.writeUInt32LE(target - place, place)
  }

  table(fields: FlatTable): number {
    const vtable = this.reserve(4 + 2 * fields.length)
    this.reserve(-this.#length & 3)
    const table = this.reserve(4 + 4 * fields.length)
    this.#bytes.writeUInt16LE(4 + 2 * fields.length, vtable)
    this.#bytes.writeUInt16LE(4 + 4 * fields.length, vtable + 2)
    this.#bytes.writeInt32LE(table - vtable, table)
    fields.forEach((field, i) => {
      if (field === undefined) return
      this.#bytes.writeUInt16LE(4 + 4 * i, vtable + 4 + 2 * i)
      this.#field(field, table + 4 + 4 * i)
    })
    return table
  }

  #field(field: FlatValue, place: number): void {
    if ('byte' in field) this.#bytes.writeUInt8(field.byte, place)
    else if ('short' in field) this.#bytes.writeInt16LE(field.short, place)
    else if ('int' in field) this.#bytes.writeInt32LE(field.int, place)
    else if ('text' in field) this.refer(place, () => this.#text(field.text))
    else if ('table' in field) this.refer(place, () => this.table(field.table))
    else this.refer(place, () => this.#tables(field.tables))
  }

  #text(text: string): number {
    const begin = this.reserve(4 + 3 * text.length + 1)
    const length = this.#bytes.write(text, begin + 4)
    this.#bytes.writeUInt32LE(length, begin)
    this.#length = begin + 4 + length + 1
    return begin
  }

  #tables(tables: readonly FlatTable[]): number {
    const begin = this.reserve(4 + 4 * tables.length)
    this.#bytes.writeUInt32LE(tables.length, begin)
    tables.forEach((table, i) => {
      this.refer(begin + 4 + 4 * i, () => this.table(table))
    })
    return begin
  }
}
