import { uint32At } from './bytes.ts'

export interface FileRecord {
  readonly offset: number
  readonly size: number
}

const prefixBytes = 8
const searchBytes = 1 << 20

/**
 * Iterates over the records (magic, size, body, `trailerBytes` more) of a file; `read` returns
 * deobfuscated bytes. After unwritten space, or remains of crashes and of a -reindex, continues at
 * the next magic.
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
    const size = uint32At(prefix, 4)
    const offset = at + prefixBytes
    const end = offset + size + trailerBytes
    if (uint32At(prefix, 0) !== magic || end > fileBytes) at = nextMagic(read, at + 1, fileBytes, magic)
    else {
      yield { offset, size }
      at = end
    }
  }
}

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
