/** Value types of Thrift's compact protocol that Parquet uses. */
export const thriftKinds = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  struct: 12,
} as const

/** A double is its eight bytes. */
export type ThriftValue = boolean | number | Uint8Array | ThriftList | ThriftStruct

export interface ThriftList {
  readonly kind: number
  readonly elements: readonly ThriftValue[]
}

export type ThriftStruct = ReadonlyMap<number, ThriftField>

export interface ThriftField {
  readonly kind: number
  readonly value: ThriftValue
}

const shortList = 15

/**
 * Reads a struct of Thrift's compact protocol, including fields of later format versions. Throws
 * `Error` for other bytes, and for integers from 2^53 on, which no Parquet metadata has.
 */
export function readThrift(bytes: Uint8Array): ThriftStruct {
  return new Reader(bytes).struct()
}

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  struct(): ThriftStruct {
    const fields = new Map<number, ThriftField>()
    let number = 0
    for (let header = this.#byte(); header !== 0; header = this.#byte()) {
      const kind = header & 15
      const step = header >> 4
      number = step === 0 ? this.#integer() : number + step
      fields.set(number, { kind, value: this.#fieldValue(kind) })
    }
    return fields
  }

  /** The header of a boolean field has its value; in lists it is a byte. */
  #fieldValue(kind: number): ThriftValue {
    return kind === thriftKinds.true || kind === thriftKinds.false ? kind === thriftKinds.true : this.#value(kind)
  }

  #value(kind: number): ThriftValue {
    switch (kind) {
      case thriftKinds.true:
      case thriftKinds.false:
        return this.#byte() === thriftKinds.true
      case thriftKinds.byte:
        return this.#byte()
      case thriftKinds.i16:
      case thriftKinds.i32:
      case thriftKinds.i64:
        return this.#integer()
      case thriftKinds.double:
        return this.#take(8)
      case thriftKinds.binary:
        return this.#take(this.#varint())
      case thriftKinds.list:
        return this.#list()
      case thriftKinds.struct:
        return this.struct()
      default:
        throw new Error(`Thrift has no values of kind ${kind} in Parquet`)
    }
  }

  #list(): ThriftList {
    const header = this.#byte()
    const kind = header & 15
    const count = header >> 4 === shortList ? this.#varint() : header >> 4
    const elements: ThriftValue[] = []
    for (let i = 0; i < count; i++) elements.push(this.#value(kind))
    return { kind, elements }
  }

  /** Zigzag: negative integers are odd. */
  #integer(): number {
    const coded = this.#varint()
    return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2
  }

  #varint(): number {
    let value = 0
    let factor = 1
    let byte = 128
    for (; byte >= 128; factor *= 128) {
      byte = this.#byte()
      value += (byte & 127) * factor
    }
    if (!Number.isSafeInteger(value)) throw new Error('an integer is too large for Parquet metadata')
    return value
  }

  #take(count: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + count)
    if (taken.length < count) throw new Error('the bytes end within a value')
    this.#at += count
    return taken
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw new Error('the bytes end within a value')
    return byte
  }
}

/** Inverse of `readThrift`; the same struct gives the same bytes. */
export function writeThrift(fields: ThriftStruct): Uint8Array {
  const writer = new Writer()
  writer.struct(fields)
  return writer.bytes()
}

class Writer {
  #bytes = Buffer.allocUnsafe(1 << 16)
  #length = 0

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  struct(fields: ThriftStruct): void {
    let last = 0
    for (const [number, { kind, value }] of fields) {
      const step = number - last
      const isBoolean = typeof value === 'boolean'
      const shown = isBoolean ? (value ? thriftKinds.true : thriftKinds.false) : kind
      if (step > 0 && step <= 15) this.#byte((step << 4) | shown)
      else {
        this.#byte(shown)
        this.#integer(number)
      }
      if (!isBoolean) this.#value(kind, value)
      last = number
    }
    this.#byte(0)
  }

  #value(kind: number, value: ThriftValue): void {
    if (typeof value === 'boolean') this.#byte(value ? thriftKinds.true : thriftKinds.false)
    else if (typeof value === 'number') {
      if (kind === thriftKinds.byte) this.#byte(value)
      else this.#integer(value)
    } else if (value instanceof Uint8Array) {
      if (kind === thriftKinds.binary) this.#varint(value.length)
      this.#copy(value)
    } else if (value instanceof Map) this.struct(value)
    else if ('elements' in value) this.#list(value)
  }

  #list({ kind, elements }: ThriftList): void {
    const short = elements.length < shortList
    this.#byte(((short ? elements.length : shortList) << 4) | kind)
    if (!short) this.#varint(elements.length)
    for (const element of elements) this.#value(kind, element)
  }

  #integer(value: number): void {
    this.#varint(value < 0 ? -2 * value - 1 : 2 * value)
  }

  #varint(value: number): void {
    let left = value
    for (; left >= 128; left = Math.floor(left / 128)) this.#byte((left % 128) | 128)
    this.#byte(left)
  }

  #byte(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1)
    this.#bytes[this.#length++] = byte
  }

  #copy(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #grow(by: number): void {
    const grown = Buffer.allocUnsafe(2 * this.#bytes.length + by)
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}

export const struct = (...fields: readonly (readonly [number, ThriftField])[]): ThriftStruct => new Map(fields)
export const i32 = (value: number): ThriftField => ({ kind: thriftKinds.i32, value })
export const i64 = (value: number): ThriftField => ({ kind: thriftKinds.i64, value })
export const text = (value: string): ThriftField => ({ kind: thriftKinds.binary, value: Buffer.from(value) })
export const list = (kind: number, elements: ThriftList['elements']): ThriftField => ({
  kind: thriftKinds.list,
  value: { kind, elements },
})
export const structs = (elements: readonly ThriftStruct[]): ThriftField => list(thriftKinds.struct, elements)

/** Throws `Error` if it is missing, as the functions below. */
export function readInteger(field: ThriftField | undefined): number {
  if (typeof field?.value !== 'number') throw new Error('a number is missing in Parquet metadata')
  return field.value
}

export function readText(field: ThriftField | undefined): string {
  if (!(field?.value instanceof Uint8Array)) throw new Error('a text is missing in Parquet metadata')
  return Buffer.from(field.value).toString()
}

export function readStruct(field: ThriftField | undefined): ThriftStruct {
  if (!(field?.value instanceof Map)) throw new Error('a part is missing in Parquet metadata')
  return field.value
}

export function readStructs(field: ThriftField | undefined): ThriftStruct[] {
  const value = field?.value
  if (typeof value !== 'object' || !('elements' in value)) throw new Error('a list is missing in Parquet metadata')
  return value.elements.map((element) => {
    if (!(element instanceof Map)) throw new Error('a list in Parquet metadata holds something else')
    return element
  })
}
