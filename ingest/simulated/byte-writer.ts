const digits = new Uint8Array(10)

/** Growing buffer; numbers are little-endian. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(4096)
  length = 0

  uint8(value: number): void {
    this.#reserve(1)
    this.#buffer[this.length++] = value
  }

  uint32(value: number): void {
    this.#reserve(4)
    this.length = this.#buffer.writeUInt32LE(value, this.length)
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Counts below 2^32. */
  compactSize(value: number): void {
    if (value < 0xfd) {
      this.uint8(value)
      return
    }
    this.#reserve(5)
    const wide = value > 0xffff
    this.#buffer[this.length++] = wide ? 0xfe : 0xfd
    this.length = wide ? this.#buffer.writeUInt32LE(value, this.length) : this.#buffer.writeUInt16LE(value, this.length)
  }

  /**
   * Bitcoin Core's VARINT (`serialize.h`): base 128, all digits but the last less one. Bigints are
   * below 2^64.
   */
  varint(value: number | bigint): void {
    let length = 0
    let rest = value
    while (typeof rest === 'bigint') {
      if (rest <= Number.MAX_SAFE_INTEGER) {
        rest = Number(rest)
      } else {
        digits[length++] = Number(rest & 0x7fn)
        rest = (rest >> 7n) - 1n
      }
    }
    while (rest > 0x7f) {
      digits[length++] = rest % 128
      rest = Math.floor(rest / 128) - 1
    }
    digits[length] = rest
    for (let i = length; i > 0; i--) this.uint8(digits[i]! | 0x80)
    this.uint8(digits[0]!)
  }

  toBytes(): Buffer<ArrayBuffer> {
    const bytes = Buffer.allocUnsafe(this.length)
    this.#buffer.copy(bytes, 0, 0, this.length)
    return bytes
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#buffer.length) return
    const grown = Buffer.allocUnsafe(2 * (this.length + count))
    grown.set(this.#buffer.subarray(0, this.length))
    this.#buffer = grown
  }
}
