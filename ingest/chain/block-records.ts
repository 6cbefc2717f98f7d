import { headerBytes } from './block.ts'
import { doubleSha256 } from './bytes.ts'
import { deobfuscate } from './obfuscation.ts'
import { walkRecords } from './records.ts'

/** The block records of one block file in columns, in the order in which they stand there. */
export interface BlockRecords {
  /** Offset of each block in its file. */
  readonly offsets: Uint32Array
  /** Bytes of each block. */
  readonly sizes: Uint32Array
  /** 32 bytes a block, in the byte order of the block files. */
  readonly hashes: Uint8Array
  /** 80 bytes a block. */
  readonly headers: Uint8Array
}

/**
 * Finds the blocks of a block file of `fileBytes` bytes. `readRaw` returns its bytes as they stand there, in memory that
 * may be written to and holds good until the next call.
 */
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
    // Zeros on disk are space that the node has reserved for a block which it is about to write.
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
