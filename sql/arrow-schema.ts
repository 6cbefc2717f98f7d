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
  const { bytes } = join(Buffer.alloc(4), 0, [[0, table(metadataVersion, schemaHeader, schema)]])
  // IPC messages are padded to eight bytes.
  const message = Buffer.alloc(8 + bytes.length + (-bytes.length & 7))
  message.writeUInt32LE(0xffff_ffff, 0)
  message.writeUInt32LE(message.length - 8, 4)
  bytes.copy(message, 8)
  return message.toString('base64')
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

/** A FlatBuffers object with all referenced objects; references point to its byte `start`. */
interface Part {
  readonly bytes: Buffer
  readonly start: number
}

/** `undefined` is the default. Numbers take four bytes; readers use those of their type. */
function table(...fields: readonly (number | Part | undefined)[]): Part {
  const vtableBytes = 4 + 2 * fields.length
  const start = padded(vtableBytes)
  const bytes = Buffer.alloc(start + 4 + 4 * fields.length)
  bytes.writeUInt16LE(vtableBytes, 0)
  bytes.writeUInt16LE(4 + 4 * fields.length, 2)
  bytes.writeInt32LE(start, start)
  const references: [place: number, Part][] = []
  for (const [i, field] of fields.entries()) {
    const place = start + 4 + 4 * i
    if (field !== undefined) bytes.writeUInt16LE(place - start, 4 + 2 * i)
    if (typeof field === 'number') bytes.writeUInt32LE(field, place)
    else if (field) references.push([place, field])
  }
  return join(bytes, start, references)
}

function vector(parts: readonly Part[]): Part {
  const bytes = Buffer.alloc(4 + 4 * parts.length)
  bytes.writeUInt32LE(parts.length)
  return join(
    bytes,
    0,
    parts.map((part, i) => [4 + 4 * i, part]),
  )
}

function text(value: string): Part {
  const length = Buffer.byteLength(value)
  const bytes = Buffer.alloc(padded(4 + length + 1))
  bytes.writeUInt32LE(length)
  bytes.write(value, 4)
  return { bytes, start: 0 }
}

/** Writes offsets to the following referenced objects at their places. */
function join(bytes: Buffer, start: number, references: readonly (readonly [place: number, Part])[]): Part {
  let end = bytes.length
  for (const [place, part] of references) {
    bytes.writeUInt32LE(end + part.start - place, place)
    end += part.bytes.length
  }
  return { bytes: Buffer.concat([bytes, ...references.map(([, part]) => part.bytes)]), start }
}

const padded = (bytes: number): number => bytes + (-bytes & 3)
