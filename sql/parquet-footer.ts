import { appendFileSync, closeSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs'
import {
  i64,
  readInteger,
  readStruct,
  readStructs,
  readText,
  readThrift,
  struct,
  structs,
  type ThriftStruct,
  text,
  thriftKinds,
  writeThrift,
} from './thrift.ts'

export const parquetMagic = Buffer.from('PAR1', 'latin1')
/** Length of the metadata, then the magic. */
const tailBytes = 4 + parquetMagic.length

/**
 * Field ids of `FileMetaData`, `KeyValue`, `RowGroup`, `ColumnChunk` and `ColumnMetaData`
 * (parquet.thrift).
 */
const fileFields = { rows: 3, rowGroups: 4, keyValues: 5, createdBy: 6 } as const
const keyValueFields = { key: 1, value: 2 } as const
const rowGroupFields = { columns: 1, rows: 3, offset: 5, ordinal: 7 } as const
const chunkFields = { offset: 2, metadata: 3, offsetIndex: 4, columnIndex: 6 } as const
const columnFields = { dataPage: 9, indexPage: 10, dictionaryPage: 11, bloomFilter: 14 } as const

export interface ParquetFooter {
  readonly metadata: ThriftStruct
  /** End of all pages. */
  readonly end: number
  /** Everything after the pages. */
  readonly bytes: Uint8Array
}

/** Throws `Error` if the file is not Parquet. */
export function readFooter(file: string): ParquetFooter {
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    const tail = Buffer.alloc(tailBytes)
    readSync(descriptor, tail, 0, tailBytes, size - tailBytes)
    const length = tail.readUInt32LE(0)
    const end = size - tailBytes - length
    if (!tail.subarray(4).equals(parquetMagic) || end < parquetMagic.length) throw new Error(`${file} is not Parquet`)
    const bytes = Buffer.alloc(length + tailBytes)
    readSync(descriptor, bytes, 0, bytes.length, end)
    return { metadata: readThrift(bytes), end, bytes }
  } finally {
    closeSync(descriptor)
  }
}

/** Rewrites a file's footer with these key-value pairs. */
export function writeKeyValues(
  file: string,
  { metadata, end }: Omit<ParquetFooter, 'bytes'>,
  notes: ReadonlyMap<string, string>,
): void {
  truncateSync(file, end)
  appendFileSync(file, footerBytes(withKeyValues(metadata, notes)))
}

/** Bytes after the pages: metadata, its length, magic. */
export function footerBytes(metadata: ThriftStruct): Uint8Array {
  const bytes = writeThrift(metadata)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([bytes, length, parquetMagic])
}

/** Replaces all key-value pairs. */
export function withKeyValues(metadata: ThriftStruct, notes: ReadonlyMap<string, string>): ThriftStruct {
  const pairs = Array.from(notes, ([key, value]) =>
    struct([keyValueFields.key, text(key)], [keyValueFields.value, text(value)]),
  )
  return new Map([...metadata, [fileFields.keyValues, structs(pairs)] as const].sort(([one], [other]) => one - other))
}

/** Whether footers differ at most in the property `file` of the notes under `coinstrata`. */
export function isSameButFile(one: ThriftStruct, other: ThriftStruct): boolean {
  const [described, known] = [one, other].map((metadata) => {
    const pairs = metadata.get(fileFields.keyValues)
    const notes = (pairs ? readStructs(pairs) : []).map((pair) => {
      const [key, value] = [keyValueFields.key, keyValueFields.value].map((field) => readText(pair.get(field)))
      if (key !== 'coinstrata') return [key, value]
      const { file: _, ...others } = JSON.parse(value!)
      return [key, others]
    })
    return JSON.stringify([Buffer.from(writeThrift(withoutNotes(metadata))).toString('latin1'), notes])
  })
  return described === known
}

export const rowCount = (metadata: ThriftStruct): number => readInteger(metadata.get(fileFields.rows))

/**
 * Metadata of concatenated files. Throws `Error` if their columns differ.
 * @param shift bytes by which the pages of each have moved
 */
export function joinMetadata(
  parts: readonly { readonly metadata: ThriftStruct; readonly shift: number }[],
): ThriftStruct {
  const [first] = parts
  if (!first) throw new Error('there is nothing to join')
  const described = serializeColumns(first.metadata)
  const groups = parts.flatMap(({ metadata, shift }) => {
    if (!serializeColumns(metadata).equals(described)) throw new Error('files with other columns cannot be joined')
    return readStructs(metadata.get(fileFields.rowGroups)).map((group) =>
      shift === 0 ? group : shiftRowGroup(group, shift),
    )
  })
  return withRowGroups(first.metadata, groups.map(numbered))
}

/** Metadata of the first row groups of a file, without key-value pairs. */
export const firstRowGroups = (metadata: ThriftStruct, count: number): ThriftStruct =>
  withRowGroups(metadata, readStructs(metadata.get(fileFields.rowGroups)).slice(0, count))

function withRowGroups(metadata: ThriftStruct, groups: readonly ThriftStruct[]): ThriftStruct {
  const rows = groups.reduce((sum, group) => sum + readInteger(group.get(rowGroupFields.rows)), 0)
  return new Map([...withoutNotes(metadata), [fileFields.rows, i64(rows)], [fileFields.rowGroups, structs(groups)]])
}

const withoutNotes = (metadata: ThriftStruct): ThriftStruct =>
  new Map([...metadata].filter(([number]) => number !== fileFields.keyValues))

export const countRowGroups = (metadata: ThriftStruct): number => readStructs(metadata.get(fileFields.rowGroups)).length

/** Metadata without rows, row groups, key-value pairs and the name of the program. */
function serializeColumns(metadata: ThriftStruct): Buffer {
  const own: readonly number[] = Object.values(fileFields)
  return Buffer.from(writeThrift(new Map([...metadata].filter(([number]) => !own.includes(number)))))
}

/** Updates the ordinal, which some writers omit. */
const numbered = (group: ThriftStruct, place: number): ThriftStruct =>
  group.has(rowGroupFields.ordinal)
    ? new Map([...group, [rowGroupFields.ordinal, { kind: thriftKinds.i16, value: place }]])
    : group

function shiftRowGroup(group: ThriftStruct, shift: number): ThriftStruct {
  const columns = readStructs(group.get(rowGroupFields.columns)).map((chunk) => {
    const shifted = shiftFields(readStruct(chunk.get(chunkFields.metadata)), shift, Object.values(columnFields))
    return shiftFields(
      new Map([...chunk, [chunkFields.metadata, { kind: thriftKinds.struct, value: shifted }]]),
      shift,
      [chunkFields.offset, chunkFields.offsetIndex, chunkFields.columnIndex],
    )
  })
  return shiftFields(new Map([...group, [rowGroupFields.columns, structs(columns)]]), shift, [rowGroupFields.offset])
}

/** Adds `shift` to offsets; 0 means unknown. */
function shiftFields(fields: ThriftStruct, shift: number, numbers: readonly number[]): ThriftStruct {
  return new Map(
    [...fields].map(([number, field]) => {
      if (!numbers.includes(number)) return [number, field]
      const offset = readInteger(field)
      return [number, offset === 0 ? field : { ...field, value: offset + shift }]
    }),
  )
}
