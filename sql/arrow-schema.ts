import type { ColumnType } from '#contract/tables/column.ts'

export interface ArrowField {
  readonly name: string
  readonly type: ColumnType
  readonly nullable: boolean
  readonly notes: Readonly<Record<string, string>>
}

/**
 * Value of the key `ARROW:schema` in a Parquet file: a base64 IPC message, metadata version 5
 * (Arrow's Message.fbs and Schema.fbs). Types are those that readers derive from DuckDB's files.
 */
export function arrowSchema(fields: readonly ArrowField[]): string {
  const schema = table(littleEndian, vector(fields.map(fieldTable)))
  const message = new MessageBytes()
  const root = message.append(12)
  message.refer(root + 8, table(metadataVersion, schemaHeader, schema))
  // IPC messages are padded to eight bytes.
  message.append(-message.length & 7)
  const { bytes, length } = message
  bytes.writeUInt32LE(0xffff_ffff, root)
  bytes.writeUInt32LE(length - 8, root + 4)
  return bytes.toString('base64', 0, length)
}

/** `MetadataVersion.V5`, `MessageHeader.Schema`, `Endianness.Little` */
const [metadataVersion, schemaHeader, littleEndian] = [4, 1, 0]

function fieldTable({ name, type, nullable, notes }: ArrowField): Part {
  const { kind, of, items } = arrowTypes[type]
  const children = items === undefined ? [] : [fieldTable({ name: 'element', type: items, nullable: true, notes: {} })]
  const entries = Object.entries(notes).map(([key, value]) => table(text(key), text(value)))
  const metadata = entries.length > 0 ? vector(entries) : undefined
  return table(text(name), nullable ? 1 : 0, kind, table(...of), undefined, vector(children), metadata)
}

interface ArrowType {
  readonly kind: number
  readonly of: readonly number[]
  readonly items?: ColumnType
}

const signed = 1
const integer = (bits: number): ArrowType => ({ kind: 2, of: [bits, signed] })
const [doublePrecision, days, microseconds] = [2, 0, 2]

const arrowTypes: Readonly<Record<ColumnType, ArrowType>> = {
  INTEGER: integer(32),
  BIGINT: integer(64),
  DOUBLE: { kind: 3, of: [doublePrecision] },
  VARCHAR: { kind: 5, of: [] },
  BOOLEAN: { kind: 6, of: [] },
  'DECIMAL(38,0)': { kind: 7, of: [38, 0, 128] },
  DATE: { kind: 8, of: [days] },
  TIMESTAMP: { kind: 10, of: [microseconds] },
  'VARCHAR[]': { kind: 12, of: [], items: 'VARCHAR' },
}

/** Appends a FlatBuffers object and those that it references, and returns its offset. */
type Part = (message: MessageBytes) => number

/** All bytes are zero until they are written. */
class MessageBytes {
  bytes = Buffer.alloc(65_536)
  length = 0

  /** Returns the offset of `count` more bytes. */
  append(count: number): number {
    const start = this.length
    this.length += count
    if (this.length > this.bytes.length) this.bytes = Buffer.concat([this.bytes], 2 * this.length)
    return start
  }

  /** Appends a referenced object, with its distance at `place`. */
  refer(place: number, part: Part): void {
    const target = part(this)
    this.bytes.writeUInt32LE(target - place, place)
  }
}

/** `undefined` is the default. Numbers take four bytes; readers use those of their type. */
function table(...fields: readonly (number | Part | undefined)[]): Part {
  const vtableBytes = 4 + 2 * fields.length
  const bodyBytes = 4 + 4 * fields.length
  return (message) => {
    const vtable = message.append(padded(vtableBytes) + bodyBytes)
    const start = vtable + padded(vtableBytes)
    const { bytes } = message
    bytes.writeUInt16LE(vtableBytes, vtable)
    bytes.writeUInt16LE(bodyBytes, vtable + 2)
    bytes.writeInt32LE(start - vtable, start)
    for (const [i, field] of fields.entries()) {
      const offset = 4 + 4 * i
      if (field !== undefined) message.bytes.writeUInt16LE(offset, vtable + 4 + 2 * i)
      if (typeof field === 'number') message.bytes.writeUInt32LE(field, start + offset)
      else if (field) message.refer(start + offset, field)
    }
    return start
  }
}

function vector(parts: readonly Part[]): Part {
  return (message) => {
    const start = message.append(4 + 4 * parts.length)
    message.bytes.writeUInt32LE(parts.length, start)
    for (const [i, part] of parts.entries()) message.refer(start + 4 + 4 * i, part)
    return start
  }
}

function text(value: string): Part {
  return (message) => {
    const length = Buffer.byteLength(value)
    const start = message.append(padded(4 + length + 1))
    message.bytes.writeUInt32LE(length, start)
    message.bytes.write(value, start + 4)
    return start
  }
}

const padded = (bytes: number): number => bytes + (-bytes & 3)
