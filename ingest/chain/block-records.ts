import { headerBytes } from './block.ts'
import { doubleSha256 } from './bytes.ts'
import { deobfuscate } from './obfuscation.ts'
import { walkRecords } from './records.ts'

/** The blocks of one file in columns, in file order; hashes in internal byte order. */
export interface BlockRecords {
  readonly offsets: Uint32Array
  readonly sizes: Uint32Array
  readonly hashes: Uint8Array
  readonly headers: Uint8Array
}

/** `readRaw` returns obfuscated bytes, valid until the next call; they may be overwritten. */
export function findBlocks(
  readRaw: (offset: number, length: number) => Uint8Array,
  fileBytes: number,
  magic: number,
  key: Uint8Array,
): BlockRecords {
  const read = (offset: number, length: number): Uint8Array => {
    const bytes = readRaw(offset, length)
    deobfuscate(bytes, key, offset)
    return bytes
  }
  const offsets: number[] = []
  const sizes: number[] = []
  const headers: Uint8Array[] = []
  for (const { offset, size } of walkRecords(read, fileBytes, magic, 0)) {
    if (size <= headerBytes) continue
    const header = Buffer.from(readRaw(offset, headerBytes))
    // Space that the node allocated ahead is filled with zeros.
    if (header.every((byte) => byte === 0)) continue
    deobfuscate(header, key, offset)
    offsets.push(offset)
    sizes.push(size)
    headers.push(header)
  }
  return {
    offsets: Uint32Array.from(offsets),
    sizes: Uint32Array.from(sizes),
    hashes: Buffer.concat(headers.map((header) => doubleSha256(header))),
    headers: Buffer.concat(headers),
  }
}
