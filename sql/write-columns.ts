import { writeFileSync } from 'node:fs'
import { constants, zstdCompressSync } from 'node:zlib'
import { freeMemory } from '#base/free-memory.ts'
import { diskFull } from './parquet.ts'
import { footerBytes, parquetMagic } from './parquet-footer.ts'
import { i32, i64, list, struct, structs, type ThriftStruct, text, thriftKinds, writeThrift } from './thrift.ts'

/** Without NULLs: INTEGER, UINTEGER or BIGINT by the type of array, or DATE in unix days. */
export interface IntegerColumn {
  readonly name: string
  readonly values: Int32Array | Uint32Array | BigInt64Array
  /** Makes an Int32Array a DATE. */
  readonly unit?: 'days'
}

/** VARCHAR without NULLs. */
export interface TextColumn {
  readonly name: string
  readonly values: readonly string[]
}

export type PlainColumn = IntegerColumn | TextColumn

/** DuckDB's own group size; it reads groups in parallel. */
const rowsPerGroup = 122_880

/** Codes of parquet.thrift. */
const physicalTypes = { int32: 1, int64: 2, byteArray: 6 } as const
const convertedTypes = { utf8: 0, date: 6, uint32: 13, int32: 17, int64: 18 } as const
const required = 0
const plain = 0
const runLength = 3
const uncompressed = 0
const zstd = 6
const dataPage = 0

/** Fast, and at most 10 % larger than better levels. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/**
 * Smaller data is not compressed: that takes longer, and its buffers trigger the garbage collector.
 */
const minCompressedBytes = 2000

/**
 * Writes a Parquet file without DuckDB, whose query planning takes far longer than writing a few
 * thousand rows.
 */
export function writeColumns(file: string, columns: readonly PlainColumn[]): void {
  try {
    const bytes = parquetBytes(columns)
    writeFileSync(file, bytes)
    freeMemory(bytes)
  } catch (cause) {
    throw diskFull(cause, file) ?? cause
  }
}

function parquetBytes(columns: readonly PlainColumn[]): Uint8Array {
  const rows = columns[0]?.values.length ?? 0
  if (columns.some(({ values }) => values.length !== rows)) throw new Error('columns differ in length')
  const pieces: Uint8Array[] = [parquetMagic]
  let offset = parquetMagic.length
  const groups: ThriftStruct[] = []
  for (let first = 0; first < rows; first += rowsPerGroup) {
    const count = Math.min(rowsPerGroup, rows - first)
    let groupBytes = 0
    const chunks = columns.map((column) => {
      const values = valueBytes(column, first, count)
      const codec = values.length < minCompressedBytes ? uncompressed : zstd
      const page = codec === zstd ? zstdCompressSync(values, compression) : values
      const header = pageHeader(count, values.length, page.length)
      pieces.push(header, page)
      const bytes = header.length + values.length
      const chunk = columnChunk(column, codec, count, offset, bytes, header.length + page.length)
      groupBytes += bytes
      offset += header.length + page.length
      return chunk
    })
    groups.push(struct([1, structs(chunks)], [2, i64(groupBytes)], [3, i64(count)]))
  }
  const schema = [
    struct([4, text('schema')], [5, i32(columns.length)]),
    ...columns.map((column) => {
      const [physical, converted] = typeCodes(column)
      return struct([1, i32(physical)], [3, i32(required)], [4, text(column.name)], [6, i32(converted)])
    }),
  ]
  const metadata = struct([1, i32(1)], [2, structs(schema)], [3, i64(rows)], [4, structs(groups)])
  return Buffer.concat([...pieces, footerBytes(metadata)])
}

function valueBytes(column: PlainColumn, first: number, count: number): Uint8Array {
  if (isText(column)) {
    const texts = column.values.slice(first, first + count).map((value) => Buffer.from(value))
    const sizes = new Uint8Array(Uint32Array.from(texts, ({ length }) => length).buffer)
    return Buffer.concat(texts.flatMap((text, i) => [sizes.subarray(4 * i, 4 * i + 4), text]))
  }
  const { buffer, byteOffset, BYTES_PER_ELEMENT: width } = column.values
  return new Uint8Array(buffer, byteOffset + first * width, count * width)
}

function pageHeader(rows: number, bytes: number, compressedBytes: number): Uint8Array {
  const dataPageHeader = struct([1, i32(rows)], [2, i32(plain)], [3, i32(runLength)], [4, i32(runLength)])
  return writeThrift(
    struct(
      [1, i32(dataPage)],
      [2, i32(bytes)],
      [3, i32(compressedBytes)],
      [5, { kind: thriftKinds.struct, value: dataPageHeader }],
    ),
  )
}

function columnChunk(
  column: PlainColumn,
  codec: number,
  rows: number,
  offset: number,
  bytes: number,
  compressedBytes: number,
): ThriftStruct {
  const metadata = struct(
    [1, i32(typeCodes(column)[0])],
    [2, list(thriftKinds.i32, [plain])],
    [3, list(thriftKinds.binary, [Buffer.from(column.name)])],
    [4, i32(codec)],
    [5, i64(rows)],
    [6, i64(bytes)],
    [7, i64(compressedBytes)],
    [9, i64(offset)],
  )
  return struct([2, i64(offset)], [3, { kind: thriftKinds.struct, value: metadata }])
}

const isText = (column: PlainColumn): column is TextColumn => Array.isArray(column.values)

function typeCodes(column: PlainColumn): readonly [physical: number, converted: number] {
  if (isText(column)) return [physicalTypes.byteArray, convertedTypes.utf8]
  const { values, unit } = column
  if (values instanceof BigInt64Array) return [physicalTypes.int64, convertedTypes.int64]
  if (values instanceof Uint32Array) return [physicalTypes.int32, convertedTypes.uint32]
  return [physicalTypes.int32, unit === 'days' ? convertedTypes.date : convertedTypes.int32]
}
