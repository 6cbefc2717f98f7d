import { createHash, hash } from 'node:crypto'

/** Key of unobfuscated bytes. */
export const noKey = new Uint8Array(8)

/**
 * A position in a buffer that advances as it is read, through the key. Reading past `end` throws
 * `RangeError`.
 */
export class ByteReader {
  bytes: Uint8Array
  view: DataView
  /** `bytes[at]` is XORed with `key[at & 7]`. */
  key: Uint8Array
  /** Key for little-endian words: the four bytes from `at` are XORed with `keyWords[at & 7]`. */
  readonly keyWords = new Int32Array(8)
  position: number
  end: number

  constructor(bytes: Uint8Array, position = 0, end = bytes.length) {
    this.bytes = bytes
    this.view = createView(bytes)
    this.key = noKey
    this.position = position
    this.end = end
  }

  reset(bytes: Uint8Array, position: number, end: number, key: Uint8Array = noKey): void {
    if (bytes !== this.bytes) this.view = createView(bytes)
    this.bytes = bytes
    this.key = key
    for (let i = 0; i < 8; i++) {
      this.keyWords[i] = key[i]! | (key[(i + 1) & 7]! << 8) | (key[(i + 2) & 7]! << 16) | (key[(i + 3) & 7]! << 24)
    }
    this.position = position
    this.end = end
  }

  skip(count: number): void {
    const next = this.position + count
    if (next > this.end) throw new RangeError(`needs ${next - this.end} more bytes at offset ${this.position}`)
    this.position = next
  }

  uint8(): number {
    const at = this.position
    if (at >= this.end) throw new RangeError(`needs 1 more byte at offset ${at}`)
    this.position = at + 1
    return this.bytes[at]! ^ this.key[at & 7]!
  }

  uint32(): number {
    const at = this.position
    this.skip(4)
    return this.#wordAt(at)
  }

  /** A 64-bit amount; inexact above 2^53, far more than any valid amount. */
  uint64(): number {
    const at = this.position
    this.skip(8)
    return this.#wordAt(at) + this.#wordAt(at + 4) * 0x1_0000_0000
  }

  /** Bitcoin's CompactSize: 1, 3, 5 or 9 bytes; only the shortest form is valid. */
  compactSize(): number {
    const first = this.uint8()
    if (first < 0xfd) return first
    const size = first === 0xfd ? this.#uint16() : first === 0xfe ? this.uint32() : this.uint64()
    const minSize = first === 0xfd ? 0xfd : first === 0xfe ? 0x1_0000 : 0x1_0000_0000
    if (size < minSize) throw new RangeError(`a count of ${size} has needless bytes at offset ${this.position}`)
    return size
  }

  #uint16(): number {
    const at = this.position
    this.skip(2)
    return (this.bytes[at]! ^ this.key[at & 7]!) | ((this.bytes[at + 1]! ^ this.key[(at + 1) & 7]!) << 8)
  }

  #wordAt(at: number): number {
    return (this.view.getUint32(at, true) ^ this.keyWords[at & 7]!) >>> 0
  }
}

/** Returns `undefined` past `end`. */
export function tryCompactSize(bytes: Uint8Array, from: number, end: number): number | undefined {
  try {
    return new ByteReader(bytes, from, end).compactSize()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

export const createView = ({ buffer, byteOffset, length }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, length)

export const uint32At = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0

const innerHash = Buffer.alloc(32)

export function doubleSha256(...parts: readonly [Uint8Array, ...Uint8Array[]]): Uint8Array {
  if (parts.length > 1) {
    const inner = createHash('sha256')
    for (const part of parts) inner.update(part)
    return hash('sha256', inner.digest(), 'buffer')
  }
  const outer = Buffer.allocUnsafe(32)
  outer.write(doubleSha256Text(parts[0]), 'binary')
  return outer
}

/** Hash as a string of one character per byte: twice as fast in Node as a buffer. */
export function doubleSha256Text(bytes: Uint8Array): string {
  innerHash.write(hash('sha256', bytes, 'binary'), 'binary')
  return hash('sha256', innerHash, 'binary')
}

/** In display order (reversed), as in RPC results and explorers. */
export const displayHash = (hashBytes: Uint8Array): string => Buffer.from(hashBytes).reverse().toString('hex')

/** In internal byte order, as in the block files. */
export const internalHash = (hashText: string): Uint8Array => Buffer.from(hashText, 'hex').reverse()

export const isSameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

export function copyInto<T extends Uint8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float64Array>(
  larger: T,
  values: T,
): T {
  larger.set(values)
  return larger
}

/** Shares the memory. */
export const asBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)
