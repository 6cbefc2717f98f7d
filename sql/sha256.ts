/**
 * Constants of FIPS 180-4: the first 32 fractional bits of the cube and square roots of the first
 * primes.
 */
const roundConstants = Int32Array.from([...primes(64)].map((prime) => fractionBits(Math.cbrt(prime))))
const firstWords = Int32Array.from([...primes(8)].map((prime) => fractionBits(Math.sqrt(prime))))

function* primes(count: number): Generator<number> {
  for (let found = 0, number = 2; found < count; number++) {
    let divisor = 2
    while (number % divisor !== 0) divisor++
    if (divisor < number) continue
    found++
    yield number
  }
}

function fractionBits(root: number): number {
  return Math.floor((root % 1) * 2 ** 32)
}

const blockBytes = 64

/**
 * SHA-256 whose state can be saved and resumed, unlike that of Node.js: a file that grew is hashed
 * from its previous end. Several times slower than Node.js.
 */
export class Sha256 {
  readonly #words: Int32Array
  /** Input that does not fill a block yet. */
  readonly #rest = new Uint8Array(blockBytes)
  #restBytes = 0
  #bytes = 0
  readonly #schedule = new Int32Array(blockBytes)

  constructor(state?: string) {
    this.#words = firstWords.slice()
    if (state === undefined) return
    const bytes = Buffer.from(state, 'base64')
    for (let i = 0; i < 8; i++) this.#words[i] = bytes.readInt32BE(4 * i)
    this.#bytes = bytes.readDoubleBE(32)
    this.#restBytes = bytes.length - 40
    this.#rest.set(bytes.subarray(40))
  }

  /** Base64 of words, length and the incomplete block. */
  get state(): string {
    const bytes = Buffer.alloc(40 + this.#restBytes)
    for (let i = 0; i < 8; i++) bytes.writeInt32BE(this.#words[i]!, 4 * i)
    bytes.writeDoubleBE(this.#bytes, 32)
    bytes.set(this.#rest.subarray(0, this.#restBytes), 40)
    return bytes.toString('base64')
  }

  update(content: Uint8Array): this {
    this.#bytes += content.length
    let at = 0
    if (this.#restBytes > 0) {
      at = Math.min(blockBytes - this.#restBytes, content.length)
      this.#rest.set(content.subarray(0, at), this.#restBytes)
      this.#restBytes += at
      if (this.#restBytes < blockBytes) return this
      this.#addBlock(this.#rest, 0)
    }
    for (; at + blockBytes <= content.length; at += blockBytes) this.#addBlock(content, at)
    this.#rest.set(content.subarray(at))
    this.#restBytes = content.length - at
    return this
  }

  /** The hash so far, in hexadecimal; `update` may follow. */
  digest(): string {
    const end = new Sha256(this.state)
    const padding = Buffer.alloc(blockBytes + 8 - ((this.#bytes + 8) % blockBytes))
    padding[0] = 0x80
    padding.writeBigUInt64BE(8n * BigInt(this.#bytes), padding.length - 8)
    end.update(padding)
    return [...end.#words].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  #addBlock(bytes: Uint8Array, at: number): void {
    const schedule = this.#schedule
    for (let i = 0; i < 16; i++) {
      const from = at + 4 * i
      schedule[i] = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!
    }
    for (let i = 16; i < 64; i++) {
      const x = schedule[i - 15]!
      const y = schedule[i - 2]!
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
      schedule[i] = (schedule[i - 16]! + s0 + schedule[i - 7]! + s1) | 0
    }
    const words = this.#words
    let a = words[0]!
    let b = words[1]!
    let c = words[2]!
    let d = words[3]!
    let e = words[4]!
    let f = words[5]!
    let g = words[6]!
    let h = words[7]!
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const chosen = g ^ (e & (f ^ g))
      const one = (h + s1 + chosen + roundConstants[i]! + schedule[i]!) | 0
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const majority = (a & b) | (c & (a | b))
      h = g
      g = f
      f = e
      e = (d + one) | 0
      d = c
      c = b
      b = a
      a = (one + s0 + majority) | 0
    }
    words[0] = (words[0]! + a) | 0
    words[1] = (words[1]! + b) | 0
    words[2] = (words[2]! + c) | 0
    words[3] = (words[3]! + d) | 0
    words[4] = (words[4]! + e) | 0
    words[5] = (words[5]! + f) | 0
    words[6] = (words[6]! + g) | 0
    words[7] = (words[7]! + h) | 0
  }
}
