import { createHash, hash } from 'node:crypto'

/** A position in some bytes that moves on as they are read. Reading past `end` throws a RangeError. */
export class ByteReader {
  bytes: Uint8Array
  position: number
  end: number

  constructor(bytes: Uint8Array, position = 0, end = bytes.length) {
    this.bytes = bytes
    this.position = position
    this.end = end
  }

  /** Moves to another stretch of bytes, so that one reader serves a whole file. */
  reset(bytes: Uint8Array, position: number, end: number): void {
    this.bytes = bytes
    this.position = position
    this.end = end
  }

  skip(count: number): void {
    const next = this.position + count
    if (next > this.end) throw new RangeError(`needs ${next - this.end} more bytes at offset ${this.position}`)
    this.position = next
  }

  uint8(): number {
    if (this.position >= this.end) throw new RangeError(`needs 1 more byte at offset ${this.position}`)
    return this.bytes[this.position++]!
  }

  uint32(): number {
    const at = this.position
    this.skip(4)
    return uint32At(this.bytes, at)
  }

  /** A 64-bit amount; above 2^53 it is no longer exact, and far above any amount that may exist. */
  uint64(): number {
    const at = this.position
    this.skip(8)
    return uint32At(this.bytes, at) + uint32At(this.bytes, at + 4) * 0x1_0000_0000
  }

  /** Bitcoin's variable-length count (CompactSize): 1, 3, 5 or 9 bytes, the fewest that hold it. */
  compactSize(): number {
    const first = this.uint8()
    if (first < 0xfd) return first
    const size = first === 0xfd ? this.#uint16() : first === 0xfe ? this.uint32() : this.uint64()
    const least = first === 0xfd ? 0xfd : first === 0xfe ? 0x1_0000 : 0x1_0000_0000
    if (size < least) throw new RangeError(`a count of ${size} has needless bytes at offset ${this.position}`)
    return size
  }

  #uint16(): number {
    const at = this.position
    this.skip(2)
    return this.bytes[at]! | (this.bytes[at + 1]! << 8)
  }
}

export function uint32At(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}

const innerHash = Buffer.alloc(32)

/** SHA-256 applied twice, Bitcoin's hash of blocks and transactions. */
export function doubleSha256(...parts: readonly [Uint8Array, ...Uint8Array[]]): Uint8Array {
  if (parts.length > 1) {
    const inner = createHash('sha256')
    for (const part of parts) inner.update(part)
    return hash('sha256', inner.digest(), 'buffer')
  }
  // A hash as a string takes Node less than half the time of one as a new buffer.
  innerHash.write(hash('sha256', parts[0], 'binary'), 'binary')
  const outer = Buffer.allocUnsafe(32)
  outer.write(hash('sha256', innerHash, 'binary'), 'binary')
  return outer
}

/** A hash in the order in which people read it: the last byte first. */
export function displayHash(hashBytes: Uint8Array): string {
  return Buffer.from(hashBytes).reverse().toString('hex')
}
