import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import type { PublishedTable } from './generation.ts'
import { footerBytes, joinMetadata, type ParquetFooter, parquetMagic, readFooter, rowsIn } from './parquet-footer.ts'
import type { ThriftStruct } from './thrift.ts'

/** The row groups of a Parquet file, all of them or the first: their metadata, and where the pages end. */
export interface RowGroups {
  readonly file: string
  readonly metadata: ThriftStruct
  readonly end: number
}

/** A file and what stands in it up to the end of each of its parts. */
export interface JoinedParquet extends PublishedTable {
  readonly upTo: readonly (RowGroups & { readonly sha256: string })[]
}

const copiedAtOnce = 1 << 22

export function rowGroupsOf(file: string): RowGroups {
  const { metadata, start }: ParquetFooter = readFooter(file)
  return { file, metadata, end: start }
}

/**
 * Writes a Parquet file with the rows of several, one after the other, without decoding any: their pages are copied, and
 * their row groups listed anew. All must be of the same columns. What was known of the first parts of the result holds
 * good: its bytes up to the end of a part depend on no later part.
 */
export function joinParquet(target: string, parts: readonly RowGroups[]): JoinedParquet {
  const hash = createHash('sha256')
  const descriptor = openSync(target, 'w')
  let bytes = 0
  const write = (content: Uint8Array): void => {
    hash.update(content)
    for (let done = 0; done < content.length; ) done += writeSync(descriptor, content, done)
    bytes += content.length
  }
  try {
    write(parquetMagic)
    const placed: { metadata: ThriftStruct; shift: number }[] = []
    const upTo: (RowGroups & { sha256: string })[] = []
    for (const { file, metadata, end } of parts) {
      placed.push({ metadata, shift: bytes - parquetMagic.length })
      copyPages(file, end, write)
      upTo.push({ file: target, metadata: joinMetadata(placed), end: bytes, sha256: hash.copy().digest('hex') })
    }
    const { metadata } = upTo.at(-1)!
    write(footerBytes(metadata))
    return { rows: rowsIn(metadata), bytes, sha256: hash.digest('hex'), upTo }
  } finally {
    closeSync(descriptor)
  }
}

function copyPages(file: string, end: number, write: (content: Uint8Array) => void): void {
  const descriptor = openSync(file, 'r')
  try {
    const buffer = new Uint8Array(Math.min(copiedAtOnce, end))
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
