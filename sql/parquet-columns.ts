import { z } from 'zod'
import { readFooter, rowCount } from './parquet-footer.ts'
import { readInteger, readStruct, readStructs, readText, type ThriftField, type ThriftStruct } from './thrift.ts'

export type ParquetType =
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'double'
  | 'date'
  | 'timestamp'
  | 'string'
  | { readonly precision: number; readonly scale: number }
  | { readonly listOf: ParquetType }

export interface ParquetColumn {
  readonly name: string
  readonly type: ParquetType
  /** From the file's own key `coinstrata`. */
  readonly description: string | undefined
  readonly unit: string | undefined
  /** Compressed. */
  readonly bytes: number
  /** Elements, for lists. */
  readonly values: number
  readonly nulls: number | undefined
  /** In Parquet's PLAIN encoding (little-endian); only for whole numbers, dates and times. */
  readonly min: Uint8Array | undefined
  readonly max: Uint8Array | undefined
}

export interface ParquetDescription {
  readonly rows: number
  readonly columns: readonly ParquetColumn[]
  readonly rowGroups: readonly number[]
}

/**
 * Field ids of `FileMetaData`, `SchemaElement`, `RowGroup`, `ColumnMetaData` and `Statistics`
 * (parquet.thrift).
 */
const fileFields = { schema: 2, rowGroups: 4, keyValues: 5 } as const
const elementFields = { type: 1, name: 4, children: 5, converted: 6, scale: 7, precision: 8 } as const
const groupColumns = 1
const chunkMetadata = 3
const columnFields = { path: 3, values: 5, bytes: 7, dataPage: 9, dictionaryPage: 11, statistics: 12 } as const
const statisticsFields = { nulls: 3, greatest: 5, least: 6 } as const

/** Reads only the footer. Throws `Error` if the file is not Parquet. */
export function describeParquet(file: string): ParquetDescription {
  const { metadata } = readFooter(file)
  const groups = readChunks(metadata)
  const chunksOf = Map.groupBy(groups.flat(), columnName)
  const descriptions = readDescriptions(metadata)
  const columns = readColumnTypes(metadata).map(([name, type]) => {
    const chunks = chunksOf.get(name) ?? []
    return {
      name,
      type,
      description: descriptions[name]?.description,
      unit: descriptions[name]?.unit,
      bytes: sum(chunks.map((chunk) => readInteger(chunk.get(columnFields.bytes)))),
      values: sum(chunks.map((chunk) => readInteger(chunk.get(columnFields.values)))),
      nulls: countNulls(chunks),
      min: readBounds(type, chunks, statisticsFields.least)[0],
      max: readBounds(type, chunks, statisticsFields.greatest).at(-1),
    }
  })
  return { rows: rowCount(metadata), columns, rowGroups: groups.map(pageOffset) }
}

/**
 * Counts NULLs by column, if the metadata knows them. Undefined for lists, whose counts include
 * empty lists.
 */
export function nullCounter(metadata: ThriftStruct): (column: string) => number | undefined {
  const chunksOf = Map.groupBy(readChunks(metadata).flat(), columnName)
  return (column) => {
    const chunks = chunksOf.get(column) ?? []
    return chunks.some((chunk) => readPath(chunk).length > 1) ? undefined : countNulls(chunks)
  }
}

const readChunks = (metadata: ThriftStruct): ThriftStruct[][] =>
  readStructs(metadata.get(fileFields.rowGroups)).map((group) =>
    readStructs(group.get(groupColumns)).map((chunk) => readStruct(chunk.get(chunkMetadata))),
  )

/** First part of the path, which is longer for lists. */
const columnName = (chunk: ThriftStruct): string => readPath(chunk)[0] ?? ''

function readStatistics(chunk: ThriftStruct): ThriftStruct | undefined {
  const statistics = chunk.get(columnFields.statistics)
  return statistics && readStruct(statistics)
}

const countNulls = (chunks: readonly ThriftStruct[]): number | undefined =>
  sumOfKnown(chunks.map((chunk) => readStatistics(chunk)?.get(statisticsFields.nulls)))

/** Throws `Error` for types that no published table has. A list takes three schema elements. */
export function readColumnTypes(metadata: ThriftStruct): [name: string, type: ParquetType][] {
  const [, ...elements] = readStructs(metadata.get(fileFields.schema))
  const types: [string, ParquetType][] = []
  for (let at = 0; at < elements.length; ) {
    const element = elements[at]!
    const isList = element.has(elementFields.children)
    const type = readType(isList ? elements[at + 2]! : element)
    types.push([readText(element.get(elementFields.name)), isList ? { listOf: type } : type])
    at += isList ? 3 : 1
  }
  return types
}

/** By `Type` and `ConvertedType` of parquet.thrift. */
const knownTypes: Readonly<Record<string, ParquetType>> = {
  '0/': 'boolean',
  '1/': 'int32',
  '1/17': 'int32',
  '1/6': 'date',
  '2/': 'int64',
  '2/18': 'int64',
  '2/10': 'timestamp',
  '5/': 'double',
  '6/0': 'string',
}
const decimal = '7/5'

function readType(element: ThriftStruct): ParquetType {
  const read = (field: number): number => readInteger(element.get(field))
  const converted = element.has(elementFields.converted) ? read(elementFields.converted) : ''
  const code = `${read(elementFields.type)}/${converted}`
  if (code === decimal) return { precision: read(elementFields.precision), scale: read(elementFields.scale) }
  const type = knownTypes[code]
  if (type === undefined) throw new Error(`a column of type ${code} is not of a published table`)
  return type
}

const notesSchema = z.object({
  columns: z.record(z.string(), z.object({ description: z.string().optional(), unit: z.string().optional() })),
})

/** Column notes of the key `coinstrata`, if present. */
function readDescriptions(metadata: ThriftStruct): z.infer<typeof notesSchema>['columns'] {
  if (!metadata.has(fileFields.keyValues)) return {}
  const notes = readStructs(metadata.get(fileFields.keyValues)).find((pair) => readText(pair.get(1)) === 'coinstrata')
  return notes ? notesSchema.parse(JSON.parse(readText(notes.get(2)))).columns : {}
}

/** Start of the pages: the dictionary page, if there is one. */
function pageOffset([first]: readonly ThriftStruct[]): number {
  const dictionary = first?.get(columnFields.dictionaryPage)
  return readInteger(dictionary ?? first?.get(columnFields.dataPage))
}

/** Minima or maxima of all row groups, ascending; none unless each knows its own. */
function readBounds(type: ParquetType, chunks: readonly ThriftStruct[], field: number): Buffer[] {
  const isShort = type === 'int32' || type === 'date'
  if (!isShort && type !== 'int64' && type !== 'timestamp') return []
  const read = (bytes: Buffer): bigint => (isShort ? BigInt(bytes.readInt32LE()) : bytes.readBigInt64LE())
  const known = chunks.flatMap((chunk) => {
    const value = readStatistics(chunk)?.get(field)?.value
    return value instanceof Uint8Array && value.length === (isShort ? 4 : 8) ? [Buffer.from(value)] : []
  })
  return known.length < chunks.length ? [] : known.sort((a, b) => Number(read(a) - read(b)))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
const sumOfKnown = (fields: readonly (ThriftField | undefined)[]): number | undefined =>
  fields.every((field) => field !== undefined) ? sum(fields.map(readInteger)) : undefined

function readPath(chunk: ThriftStruct): string[] {
  const path = chunk.get(columnFields.path)?.value
  if (typeof path !== 'object' || !('elements' in path)) throw new Error('a column without a path in Parquet metadata')
  return path.elements.map((name) => (name instanceof Uint8Array ? Buffer.from(name).toString() : ''))
}
