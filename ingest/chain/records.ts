import { uint32At } from './bytes.ts'

/** Where the body of one record of a block or undo file stands. */
export interface FileRecord {
  /** Offset of the body in its file. */
  readonly offset: number
  /** Bytes of the body, as the record says. */
  readonly size: number
}

const prefixBytes = 8
const searchBytes = 1 << 20

/**
 * Walks the records (magic, size, body, then `trailerBytes` more) of a file of `fileBytes` bytes, whose de-obfuscated
 * content `read` returns. Between records may lie unwritten space and leftovers of crashes or of an earlier -reindex:
 * the walk then goes on at the next magic. A record that reaches beyond the file is left out.
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

/** Offset of the next magic at or after `from`, or the end of the file. */
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
