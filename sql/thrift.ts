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
  let at = 0

  function readByte(): number {
    const byte = bytes[at++]
    if (byte === undefined) throw new Error('the bytes end within a value')
    return byte
  }

  function take(count: number): Uint8Array {
    const taken = bytes.subarray(at, at + count)
    if (taken.length < count) throw new Error('the bytes end within a value')
    at += count
    return taken
  }

  function readVarint(): number {
    let value = 0
    let factor = 1
    let byte = 128
    for (; byte >= 128; factor *= 128) {
      byte = readByte()
      value += (byte & 127) * factor
    }
    if (!Number.isSafeInteger(value)) throw new Error('an integer is too large for Parquet metadata')
    return value
  }

  /** Zigzag: negative integers are odd. */
  function readZigzag(): number {
    const coded = readVarint()
    return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2
  }

  function readFields(): ThriftStruct {
    const fields = new Map<number, ThriftField>()
    let number = 0
    for (let header = readByte(); header !== 0; header = readByte()) {
      const kind = header & 15
      const step = header >> 4
      number = step === 0 ? readZigzag() : number + step
      // The header of a boolean field has its value; in lists it is a byte.
      const isBoolean = kind === thriftKinds.true || kind === thriftKinds.false
      fields.set(number, { kind, value: isBoolean ? kind === thriftKinds.true : readValue(kind) })
    }
    return fields
  }

  function readValue(kind: number): ThriftValue {
    switch (kind) {
      case thriftKinds.true:
      case thriftKinds.false:
        return readByte() === thriftKinds.true
      case thriftKinds.byte:
        return readByte()
      case thriftKinds.i16:
      case thriftKinds.i32:
      case thriftKinds.i64:
        return readZigzag()
      case thriftKinds.double:
        return take(8)
      case thriftKinds.binary:
        return take(readVarint())
      case thriftKinds.list:
        return readList()
      case thriftKinds.struct:
        return readFields()
      default:
        throw new Error(`Thrift has no values of kind ${kind} in Parquet`)
    }
  }

  function readList(): ThriftList {
    const header = readByte()
    const kind = header & 15
    const count = header >> 4 === shortList ? readVarint() : header >> 4
    const elements: ThriftValue[] = []
    for (let i = 0; i < count; i++) elements.push(readValue(kind))
    return { kind, elements }
  }

  return readFields()
}

/** Inverse of `readThrift`; the same struct gives the same bytes. */
export function writeThrift(fields: ThriftStruct): Uint8Array {
  let bytes = Buffer.allocUnsafe(1 << 10)
  let length = 0

  function append(content: Uint8Array): void {
    if (length + content.length > bytes.length) bytes = Buffer.concat([bytes], 2 * bytes.length + content.length)
    bytes.set(content, length)
    length += content.length
  }

  function writeByte(byte: number): void {
    if (length === bytes.length) append(new Uint8Array(1))
    else length++
    bytes[length - 1] = byte
  }

  function writeVarint(value: number): void {
    let left = value
    for (; left >= 128; left = Math.floor(left / 128)) writeByte((left % 128) | 128)
    writeByte(left)
  }

  const writeZigzag = (value: number): void => writeVarint(value < 0 ? -2 * value - 1 : 2 * value)

  function writeFields(struct: ThriftStruct): void {
    let last = 0
    for (const [number, { kind, value }] of struct) {
      const step = number - last
      const isBoolean = typeof value === 'boolean'
      const shown = isBoolean ? (value ? thriftKinds.true : thriftKinds.false) : kind
      if (step > 0 && step <= 15) writeByte((step << 4) | shown)
      else {
        writeByte(shown)
        writeZigzag(number)
      }
      if (!isBoolean) writeValue(kind, value)
      last = number
    }
    writeByte(0)
  }

  function writeValue(kind: number, value: ThriftValue): void {
    if (typeof value === 'boolean') writeByte(value ? thriftKinds.true : thriftKinds.false)
    else if (typeof value === 'number') {
      if (kind === thriftKinds.byte) writeByte(value)
      else writeZigzag(value)
    } else if (value instanceof Uint8Array) {
      if (kind === thriftKinds.binary) writeVarint(value.length)
      append(value)
    } else if (value instanceof Map) writeFields(value)
    else if ('elements' in value) writeList(value)
  }

  function writeList({ kind, elements }: ThriftList): void {
    const short = elements.length < shortList
    writeByte(((short ? elements.length : shortList) << 4) | kind)
    if (!short) writeVarint(elements.length)
    for (const element of elements) writeValue(kind, element)
  }

  writeFields(fields)
  return bytes.subarray(0, length)
}

export const struct = (...fields: readonly (readonly [number, ThriftField])[]): ThriftStruct => new Map(fields)
export const i32 = (value: number): ThriftField => ({ kind: thriftKinds.i32, value })
export const i64 = (value: number): ThriftField => ({ kind: thriftKinds.i64, value })
export const binary = (value: Uint8Array): ThriftField => ({ kind: thriftKinds.binary, value })
export const text = (value: string): ThriftField => binary(Buffer.from(value))
export const structField = (value: ThriftStruct): ThriftField => ({ kind: thriftKinds.struct, value })
export const list = (kind: number, elements: ThriftList['elements']): ThriftField => ({
  kind: thriftKinds.list,
  value: { kind, elements },
})
export const structs = (elements: readonly ThriftStruct[]): ThriftField => list(thriftKinds.struct, elements)

/** Throws `Error` if the field is missing, as do the functions below. */
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
