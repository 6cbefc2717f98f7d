import { z } from 'zod'
import { readFooter, readInteger, readStructs, rowCount } from './parquet-footer.ts'
import type { ThriftField, ThriftStruct } from './thrift.ts'

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

/** A column with the statistics of the footer. */
export interface ParquetColumn {
  readonly name: string
  readonly type: ParquetType
  /** From the file's own key `coinstrata`. */
  readonly description: string | undefined
  /** Compressed. */
  readonly bytes: number
  /** For lists, the number of elements. */
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
  const columns = columnTypes(readStructs(metadata.get(fileFields.schema))).map(([name, type]) => {
    const chunks = chunksOf.get(name) ?? []
    const statistics = chunks.map(readStatistics)
    return {
      ...{ name, type, description: descriptions[name]?.description },
      bytes: sum(chunks.map((chunk) => readNumber(chunk.get(columnFields.bytes)))),
      values: sum(chunks.map((chunk) => readNumber(chunk.get(columnFields.values)))),
      nulls: countNulls(chunks),
      min: readExtreme(type, statistics, statisticsFields.least, (value, found) => value < found),
      max: readExtreme(type, statistics, statisticsFields.greatest, (value, found) => value > found),
    }
  })
  return { rows: rowCount(metadata), columns, rowGroups: groups.map(pageOffset) }
}

/**
 * Counts NULLs by column, if the metadata knows them. Lists are undefined, because their counts
 * include empty lists.
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

/** The first part of the path; the path of a list is longer. */
const columnName = (chunk: ThriftStruct): string => readPath(chunk)[0] ?? ''

function readStatistics(chunk: ThriftStruct): ThriftStruct | undefined {
  const statistics = chunk.get(columnFields.statistics)
  return statistics && readStruct(statistics)
}

const countNulls = (chunks: readonly ThriftStruct[]): number | undefined =>
  sumOfKnown(chunks.map((chunk) => readStatistics(chunk)?.get(statisticsFields.nulls)))

/** A list takes three elements of the schema. */
function columnTypes([, ...elements]: readonly ThriftStruct[]): [string, ParquetType][] {
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
  const converted = element.get(elementFields.converted)
  const code = `${readNumber(element.get(elementFields.type))}/${converted ? readNumber(converted) : ''}`
  if (code === decimal) {
    const [precision, scale] = [elementFields.precision, elementFields.scale].map((number) =>
      readNumber(element.get(number)),
    )
    return { precision: precision!, scale: scale! }
  }
  const type = knownTypes[code]
  if (type === undefined) throw new Error(`a column of type ${code} is not of a published table`)
  return type
}

const notesSchema = z.object({ columns: z.record(z.string(), z.object({ description: z.string().optional() })) })

/** Column notes of the key `coinstrata`, if present. */
function readDescriptions(metadata: ThriftStruct): z.infer<typeof notesSchema>['columns'] {
  if (!metadata.has(fileFields.keyValues)) return {}
  const notes = readStructs(metadata.get(fileFields.keyValues)).find((pair) => readText(pair.get(1)) === 'coinstrata')
  return notes ? notesSchema.parse(JSON.parse(readText(notes.get(2)))).columns : {}
}

/** Start of the pages: the dictionary page, if there is one. */
function pageOffset([first]: readonly ThriftStruct[]): number {
  const dictionary = first?.get(columnFields.dictionaryPage)
  return readNumber(dictionary ?? first?.get(columnFields.dataPage))
}

/** Min or max over all row groups; undefined unless each knows its own. */
function readExtreme(
  type: ParquetType,
  statistics: readonly (ThriftStruct | undefined)[],
  field: number,
  isBetter: (value: bigint, found: bigint) => boolean,
): Uint8Array | undefined {
  const width = type === 'int32' || type === 'date' ? 4 : type === 'int64' || type === 'timestamp' ? 8 : undefined
  if (width === undefined) return undefined
  let best: Buffer | undefined
  const read = (bytes: Buffer): bigint => (width === 4 ? BigInt(bytes.readInt32LE()) : bytes.readBigInt64LE())
  for (const of of statistics) {
    const value = of?.get(field)?.value
    if (!(value instanceof Uint8Array) || value.length !== width) return undefined
    const bytes = Buffer.from(value)
    if (best === undefined || isBetter(read(bytes), read(best))) best = bytes
  }
  return best
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
const sumOfKnown = (fields: readonly (ThriftField | undefined)[]): number | undefined =>
  fields.every((field) => field !== undefined) ? sum(fields.map(readNumber)) : undefined

const readNumber = (field: ThriftField | undefined): number => Number(readInteger(field))

function readPath(chunk: ThriftStruct): string[] {
  const path = chunk.get(columnFields.path)?.value
  if (typeof path !== 'object' || !('elements' in path)) throw new Error('a column without a path in Parquet metadata')
  return path.elements.map((name) => (name instanceof Uint8Array ? Buffer.from(name).toString() : ''))
}

function readStruct(field: ThriftField | undefined): ThriftStruct {
  if (!(field?.value instanceof Map)) throw new Error('a part is missing in Parquet metadata')
  return field.value
}

function readText(field: ThriftField | undefined): string {
  if (!(field?.value instanceof Uint8Array)) throw new Error('a text is missing in Parquet metadata')
  return Buffer.from(field.value).toString()
}
