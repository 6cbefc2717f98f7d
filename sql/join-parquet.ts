import { createHash, type Hash } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  constants,
  copyFileSync,
  openSync,
  readSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import type { PublishedTable } from './generation.ts'
import {
  footerBytes,
  isSameButFile,
  joinMetadata,
  type ParquetFooter,
  parquetMagic,
  readFooter,
  rowCount,
  withKeyValues,
} from './parquet-footer.ts'
import { type ThriftStruct, writeThrift } from './thrift.ts'

/** Leading row groups of a Parquet file: their metadata, and the end of their pages. */
export interface RowGroups extends Omit<ParquetFooter, 'bytes'> {
  readonly file: string
}

/** Leading row groups with the SHA-256 of all bytes before the end of their pages. */
export interface FirstRowGroups extends RowGroups {
  readonly hash: Hash
}

/** Writes the pages of row groups that follow `PAR1`, and returns their metadata. */
export type RowGroupWriter = (write: (pages: Uint8Array) => void) => ThriftStruct

const copyBufferBytes = 1 << 22

export function readRowGroups(file: string): RowGroups {
  const { metadata, end } = readFooter(file)
  return { file, metadata, end }
}

/** Reads the pages of leading row groups. */
export function hashRowGroups({ file, metadata, end }: RowGroups): FirstRowGroups {
  const hash = createHash('sha256').update(parquetMagic)
  copyPages(file, end, (bytes) => hash.update(bytes))
  return { file, metadata, end, hash }
}

/** SHA-256 of the pages and metadata of row groups. */
export const digestRowGroups = ({ metadata, hash }: FirstRowGroups): string =>
  hash.copy().update(writeThrift(metadata)).digest('hex')

/**
 * Concatenates pages of Parquet files with the same columns without decoding, or writes new ones,
 * and returns the file up to the end of each part, without a footer. These bytes depend on no later
 * part, so a later call can continue from a prefix (`first`): the operating system copies it, as a
 * reflink if possible, and it is not hashed again.
 */
export function joinParquet(
  target: string,
  parts: readonly (RowGroups | RowGroupWriter)[],
  first?: FirstRowGroups,
): FirstRowGroups[] {
  const hash = first?.hash.copy() ?? createHash('sha256')
  if (first) copyFileSync(first.file, target, constants.COPYFILE_FICLONE)
  if (first) truncateSync(target, first.end)
  const descriptor = openSync(target, first ? 'a' : 'w')
  let bytes = first?.end ?? 0
  const write = (content: Uint8Array): void => {
    hash.update(content)
    writeFileSync(descriptor, content)
    bytes += content.length
  }
  try {
    if (!first) write(parquetMagic)
    const placed: { metadata: ThriftStruct; shift: number }[] = first ? [{ metadata: first.metadata, shift: 0 }] : []
    const prefixes: FirstRowGroups[] = first ? [{ ...first, file: target }] : []
    for (const part of parts) {
      const shift = bytes - parquetMagic.length
      const metadata = typeof part === 'function' ? part(write) : part.metadata
      if (typeof part !== 'function') copyPages(part.file, part.end, write)
      placed.push({ metadata, shift })
      prefixes.push({ file: target, metadata: joinMetadata(placed), end: bytes, hash: hash.copy() })
    }
    return prefixes
  } finally {
    closeSync(descriptor)
  }
}

/** A published file of the same table. */
export interface FileBefore {
  readonly file: string
  readonly table: PublishedTable
}

/**
 * Adds the footer. If pages and notes equal those of a file before, except the note on the file,
 * reuses its footer.
 */
export function finishParquet(
  { file, metadata, end, hash }: FirstRowGroups,
  notes: ReadonlyMap<string, string>,
  before?: FileBefore,
): PublishedTable {
  const described = withKeyValues(metadata, notes)
  const digest = (footer: Uint8Array): string => hash.copy().update(footer).digest('hex')
  const known = before && tryFooter(before.file)
  const isSame = known && digest(known.bytes) === before.table.sha256 && isSameButFile(known.metadata, described)
  const footer = isSame ? known.bytes : footerBytes(described)
  truncateSync(file, end)
  appendFileSync(file, footer)
  return { rows: rowCount(metadata), bytes: end + footer.length, sha256: digest(footer) }
}

/** Undefined if the file is missing or damaged. */
function tryFooter(file: string): ParquetFooter | undefined {
  try {
    return readFooter(file)
  } catch {
    return undefined
  }
}

function copyPages(file: string, end: number, write: (content: Uint8Array) => void): void {
  const descriptor = openSync(file, 'r')
  try {
    const buffer = new Uint8Array(Math.min(copyBufferBytes, end))
    for (let at = parquetMagic.length; at < end; ) {
      const read = readSync(descriptor, buffer, 0, Math.min(buffer.length, end - at), at)
      if (read === 0) throw new Error(`${file} ends before its pages do`)
      write(buffer.subarray(0, read))
      at += read
    }
  } finally {
    closeSync(descriptor)
  }
}
