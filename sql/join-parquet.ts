import { createHash, type Hash } from 'node:crypto'
import { closeSync, constants, copyFileSync, openSync, readSync, truncateSync, writeSync } from 'node:fs'
import type { PublishedTable } from './generation.ts'
import {
  firstRowGroups,
  footerBytes,
  joinMetadata,
  type ParquetFooter,
  parquetMagic,
  readFooter,
  rowCount,
  withKeyValues,
} from './parquet-footer.ts'
import { type ThriftStruct, writeThrift } from './thrift.ts'

/** Row groups at the start of a Parquet file: their metadata, and the end of their pages. */
export interface RowGroups extends ParquetFooter {
  readonly file: string
}

/** Leading row groups of a file with the SHA-256 of all bytes before the end of their pages. */
export interface FirstRowGroups extends RowGroups {
  readonly hash: Hash
}

/** A joined file with its prefixes up to the end of each part. */
export interface JoinedParquet extends PublishedTable {
  readonly prefixes: readonly FirstRowGroups[]
}

const copyBufferBytes = 1 << 22

export const readRowGroups = (file: string): RowGroups => ({ file, ...readFooter(file) })

/** Reads and hashes the first row groups, whose pages end at `end`. */
export function openFirstRowGroups(file: string, groups: number, end: number): FirstRowGroups {
  const hash = createHash('sha256').update(parquetMagic)
  copyPages(file, end, (bytes) => hash.update(bytes))
  return { file, metadata: firstRowGroups(readFooter(file).metadata, groups), end, hash }
}

/** SHA-256 of the pages and metadata of row groups. */
export const digestRowGroups = ({ metadata, hash }: FirstRowGroups): string =>
  hash.copy().update(writeThrift(metadata)).digest('hex')

/**
 * Concatenates Parquet files of the same columns without decoding: pages are copied, and the footer
 * lists all row groups. The bytes up to the end of a part depend on no later part, so a later call
 * can continue from a prefix (`first`): the operating system copies it, as a reflink if the file
 * system has them, and it is not hashed again. `keyValues` go into the footer.
 */
export function joinParquet(
  target: string,
  parts: readonly RowGroups[],
  first?: FirstRowGroups,
  keyValues: ReadonlyMap<string, string> = new Map(),
): JoinedParquet {
  const hash = first?.hash.copy() ?? createHash('sha256')
  if (first) copyFileSync(first.file, target, constants.COPYFILE_FICLONE)
  if (first) truncateSync(target, first.end)
  const descriptor = openSync(target, first ? 'a' : 'w')
  let bytes = first?.end ?? 0
  const write = (content: Uint8Array): void => {
    hash.update(content)
    for (let done = 0; done < content.length; ) done += writeSync(descriptor, content, done)
    bytes += content.length
  }
  try {
    if (!first) write(parquetMagic)
    const placed: { metadata: ThriftStruct; shift: number }[] = first ? [{ metadata: first.metadata, shift: 0 }] : []
    const prefixes: FirstRowGroups[] = first ? [{ ...first, file: target }] : []
    for (const { file, metadata, end } of parts) {
      placed.push({ metadata, shift: bytes - parquetMagic.length })
      copyPages(file, end, write)
      prefixes.push({ file: target, metadata: joinMetadata(placed), end: bytes, hash: hash.copy() })
    }
    const { metadata } = prefixes.at(-1)!
    write(footerBytes(withKeyValues(metadata, keyValues)))
    return { rows: rowCount(metadata), bytes, sha256: hash.digest('hex'), prefixes }
  } finally {
    closeSync(descriptor)
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
