import { uint32At } from './bytes.ts'

/** The body of a record in a block or undo file. */
export interface FileRecord {
  readonly offset: number
  /** Size of the body in bytes, from the record's prefix. */
  readonly size: number
}

const prefixBytes = 8
const searchBytes = 1 << 20

/**
 * Iterates over the records (magic, size, body, then `trailerBytes` more) of a file of `fileBytes` bytes; `read`
 * returns deobfuscated bytes. Unwritten space and remains of crashes or of a -reindex may lie between records: the
 * search continues at the next magic. A record that extends past the end of the file is skipped.
 */
export function* walkRecords(
  read: (offset: number, length: number) => Uint8Array,
  fileBytes: number,
  magic: number,
  trailerBytes: number,
): Generator<FileRecord> {
  let at = 0
  while (at + prefixBytes <= fileBytes) {
    const prefix = read(at, prefixBytes)
    if (uint32At(prefix, 0) !== magic) {
      at = nextMagic(read, at + 1, fileBytes, magic)
      continue
    }
    const size = uint32At(prefix, 4)
    const offset = at + prefixBytes
    if (offset + size + trailerBytes > fileBytes) {
      at = nextMagic(read, at + 1, fileBytes, magic)
      continue
    }
    yield { offset, size }
    at = offset + size + trailerBytes
  }
}

/** Offset of the next magic from `from` on, or the end of the file. */
function nextMagic(
  read: (offset: number, length: number) => Uint8Array,
  from: number,
  fileBytes: number,
  magic: number,
): number {
  const wanted = Buffer.alloc(4)
  wanted.writeUInt32LE(magic)
  for (let at = from; at + wanted.length <= fileBytes; at += searchBytes - wanted.length + 1) {
    const bytes = read(at, Math.min(searchBytes, fileBytes - at))
    const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(wanted)
    if (found >= 0) return at + found
  }
  return fileBytes
}
