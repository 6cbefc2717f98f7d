import { writeFileSync } from 'node:fs'
import { constants, zstdCompressSync } from 'node:zlib'
import { freeMemory } from '#base/free-memory.ts'
import { version } from '#base/version.ts'
import { type ColumnChunk, encodeChunk, type WrittenColumn } from './column-chunk.ts'
import { footerBytes, parquetMagic } from './parquet-footer.ts'
import {
  binary,
  i32,
  i64,
  list,
  struct,
  structField,
  structs,
  type ThriftStruct,
  text,
  thriftKinds,
  writeThrift,
} from './thrift.ts'

/** DuckDB's own group size; it reads groups in parallel. */
const defaultRowsPerGroup = 122_880

/** Physical and converted type of values, by parquet.thrift, as are the codes below. */
const typeCodes = {
  BOOLEAN: [0, undefined],
  'DECIMAL(38,0)': [7, 5],
  INTEGER: [1, 17],
  UINTEGER: [1, 13],
  BIGINT: [2, 18],
  DOUBLE: [5, undefined],
  DATE: [1, 6],
  VARCHAR: [6, 0],
  'VARCHAR[]': [6, 0],
} as const
const listType = 3
const repetitions = { required: 0, optional: 1, repeated: 2 } as const
const encodings = { plain: 0, dictionary: 2, runs: 3 } as const
const [uncompressed, zstd] = [0, 6]
const dataPage = { type: 0, header: 5 } as const
const dictionaryPage = { type: 2, header: 7 } as const
const orderByType = struct([1, structField(struct())])

/** Fast, and at most 10 % larger than better levels. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/**
 * Smaller data is not compressed: that takes longer, and its buffers trigger the garbage collector.
 */
const minCompressedBytes = 2000

/**
 * Writes a Parquet file without DuckDB, whose query planning takes far longer than writing a few
 * thousand rows.
 * @param required no value is NULL
 */
export function writeColumns(file: string, columns: readonly WrittenColumn[], required = true): void {
  const pieces: Uint8Array[] = [parquetMagic]
  const metadata = writeRowGroups(columns, (pages) => pieces.push(pages), { required })
  const bytes = Buffer.concat([...pieces, footerBytes(metadata)])
  writeFileSync(file, bytes)
  freeMemory(bytes)
}

interface RowGroupOptions {
  readonly first?: number
  readonly end?: number
  readonly rowsPerGroup?: number | undefined
  /** No value is NULL. */
  readonly required?: boolean
}

/**
 * Encodes rows from `first` up to `end` as the row groups of a Parquet file, and returns its
 * metadata. The same rows give the same bytes.
 * @param write takes the pages of each row group; those of the first follow `PAR1`
 */
export function writeRowGroups(
  columns: readonly WrittenColumn[],
  write: (pages: Uint8Array) => void,
  { first = 0, end, rowsPerGroup = defaultRowsPerGroup, required = false }: RowGroupOptions = {},
): ThriftStruct {
  const length = columns[0]?.values.length ?? 0
  if (columns.some(({ values }) => values.length !== length)) throw new Error('columns differ in length')
  const last = end ?? length
  const groups: ThriftStruct[] = []
  let offset = parquetMagic.length
  for (let start = first; start < last; start += rowsPerGroup) {
    const next = Math.min(start + rowsPerGroup, last)
    const pages = new Pages(offset)
    const chunks = columns.map((column) => {
      const chunk = addChunk(pages, column, encodeChunk(column, start, next, required))
      return struct([2, i64(0)], [3, structField(chunk)])
    })
    write(Buffer.concat(pages.pieces))
    offset = pages.end
    groups.push(struct([1, structs(chunks)], [2, i64(pages.bytes)], [3, i64(next - start)]))
  }
  const elements = columns.flatMap((column) =>
    schemaElements(column, required ? repetitions.required : repetitions.optional),
  )
  // DuckDB's name of the root: row groups of both can be joined.
  const root = struct([3, i32(repetitions.required)], [4, text('duckdb_schema')], [5, i32(columns.length)])
  return struct(
    [1, i32(1)],
    [2, structs([root, ...elements])],
    [3, i64(last - first)],
    [4, structs(groups)],
    [6, text(`Coinstrata version ${version}`)],
    [7, structs(columns.map(() => orderByType))],
  )
}

/** Compressed pages of a row group. */
class Pages {
  readonly pieces: Uint8Array[] = []
  /** Uncompressed. */
  bytes = 0
  end: number

  /** @param start offset in the file */
  constructor(start: number) {
    this.end = start
  }

  add(kind: typeof dataPage | typeof dictionaryPage, content: Uint8Array, codec: number, header: ThriftStruct): void {
    const stored = codec === zstd ? zstdCompressSync(content, compression) : content
    const sizes = [[2, i32(content.length)] as const, [3, i32(stored.length)] as const]
    const head = writeThrift(struct([1, i32(kind.type)], ...sizes, [kind.header, structField(header)]))
    this.pieces.push(head, stored)
    this.bytes += head.length + content.length
    this.end += head.length + stored.length
  }
}

/** Returns the metadata of the column chunk. */
function addChunk(pages: Pages, column: WrittenColumn, chunk: ColumnChunk): ThriftStruct {
  const { page, entries, nulls, bounds, dictionary } = chunk
  const codec = page.length + (dictionary?.page.length ?? 0) < minCompressedBytes ? uncompressed : zstd
  const encoding = i32(dictionary ? encodings.dictionary : encodings.plain)
  const { end: start, bytes } = pages
  if (dictionary) pages.add(dictionaryPage, dictionary.page, codec, struct([1, i32(dictionary.texts)], [2, encoding]))
  const dataStart = pages.end
  const runs = i32(encodings.runs)
  pages.add(dataPage, page, codec, struct([1, i32(entries)], [2, encoding], [3, runs], [4, runs]))
  // Required values are those of the caller.
  if (codec === zstd && nulls !== undefined) freeMemory(page)
  const names = column.type === 'VARCHAR[]' ? [column.name, 'list', 'element'] : [column.name]
  const path = names.map((name) => Buffer.from(name))
  const [min, max] = bounds ?? []
  const statistics = [
    ...(nulls === undefined ? [] : [[3, i64(nulls)] as const]),
    ...(min && max ? [[5, binary(max)] as const, [6, binary(min)] as const] : []),
  ]
  return struct(
    [1, i32(typeCodes[column.type][0])],
    [2, list(thriftKinds.i32, [dictionary ? encodings.dictionary : encodings.plain])],
    [3, list(thriftKinds.binary, path)],
    [4, i32(codec)],
    [5, i64(entries)],
    [6, i64(pages.bytes - bytes)],
    [7, i64(pages.end - start)],
    [9, i64(dataStart)],
    ...(dictionary ? [[11, i64(start)] as const] : []),
    ...(statistics.length > 0 ? [[12, structField(struct(...statistics))] as const] : []),
  )
}

function schemaElements({ name, type }: WrittenColumn, repetition: number): ThriftStruct[] {
  const [physical, converted] = typeCodes[type]
  const createLeaf = (name: string, repetition: number): ThriftStruct =>
    struct(
      [1, i32(physical)],
      ...(type === 'DECIMAL(38,0)' ? [[2, i32(16)] as const] : []),
      [3, i32(repetition)],
      [4, text(name)],
      ...(converted === undefined ? [] : [[6, i32(converted)] as const]),
      ...(type === 'DECIMAL(38,0)' ? [[7, i32(0)] as const, [8, i32(38)] as const] : []),
    )
  if (type !== 'VARCHAR[]') return [createLeaf(name, repetition)]
  return [
    struct([3, i32(repetition)], [4, text(name)], [5, i32(1)], [6, i32(listType)]),
    struct([3, i32(repetitions.repeated)], [4, text('list')], [5, i32(1)]),
    createLeaf('element', repetitions.optional),
  ]
}
