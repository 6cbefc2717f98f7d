/** A byte buffer that grows as it is written; numbers are little-endian. */
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

  /** Bitcoin's compact size, here for counts below 2^32. */
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

  /** A copy of what was written. */
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
