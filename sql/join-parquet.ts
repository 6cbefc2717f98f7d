import { closeSync, constants, copyFileSync, openSync, readSync, truncateSync, writeSync } from 'node:fs'
import type { PublishedTable } from './generation.ts'
import {
  footerBytes,
  joinMetadata,
  type ParquetFooter,
  parquetMagic,
  readFooter,
  rowCount,
  withKeyValues,
} from './parquet-footer.ts'
import { Sha256 } from './sha256.ts'
import type { ThriftStruct } from './thrift.ts'

/** The row groups of a Parquet file, all of them or the first: their metadata, and where the pages end. */
export interface RowGroups extends ParquetFooter {
  readonly file: string
}

/** Row groups with which a file begins, and the state of its SHA-256 where their pages end. */
export interface FirstRowGroups extends RowGroups {
  readonly hashState: string
}

/** A file and what stands in it up to the end of each of its parts. */
export interface JoinedParquet extends PublishedTable {
  readonly prefixes: readonly FirstRowGroups[]
}

const copyBufferBytes = 1 << 22

export const readRowGroups = (file: string): RowGroups => ({ file, ...readFooter(file) })

/**
 * Writes a Parquet file with the rows of several, one after the other, without decoding any: their pages are copied, and
 * their row groups listed anew. All must be of the same columns. What was known of the first parts of the result holds
 * good: its bytes up to the end of a part depend on no later part. So it can go on from such parts: they are copied by the
 * operating system, which on some file systems copies nothing, and are not hashed again. `notes` are what the file tells of itself.
 */
export function joinParquet(
  target: string,
  parts: readonly RowGroups[],
  first?: FirstRowGroups,
  notes: ReadonlyMap<string, string> = new Map(),
): JoinedParquet {
  const hash = new Sha256(first?.hashState)
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
      prefixes.push({ file: target, metadata: joinMetadata(placed), end: bytes, hashState: hash.state })
    }
    const { metadata } = prefixes.at(-1)!
    write(footerBytes(withKeyValues(metadata, notes)))
    return { rows: rowCount(metadata), bytes, sha256: hash.digest(), prefixes }
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
