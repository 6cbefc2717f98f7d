import { freeMemory } from '#base/free-memory.ts'

/** In a Float64Array, NaN is NULL, and numbers are rounded to the column's type. */
export type NumberCells = Float64Array | Int32Array | Uint32Array | BigInt64Array

/** Numbers that are made when their rows are written; NaN is NULL. */
export interface LazyNumbers {
  readonly length: number
  /** Undefined if all are NULL. */
  slice(first: number, end: number): Float64Array | undefined
}

/** DATE values are unix days. */
export type WrittenColumn = { readonly name: string } & (
  | { readonly type: NumberType; readonly values: NumberCells | LazyNumbers }
  | { readonly type: 'DECIMAL(38,0)'; readonly values: readonly bigint[] }
  | { readonly type: 'BOOLEAN'; readonly values: readonly (boolean | null)[] }
  | { readonly type: 'VARCHAR'; readonly values: readonly (string | null)[] }
  | { readonly type: 'VARCHAR[]'; readonly values: readonly (readonly string[] | null)[] }
)

const storedArrays = {
  INTEGER: Int32Array,
  UINTEGER: Uint32Array,
  BIGINT: BigInt64Array,
  DOUBLE: Float64Array,
  DATE: Int32Array,
} as const
export type NumberType = keyof typeof storedArrays

/** Rows of a column in a row group, before compression. */
export interface ColumnChunk {
  /** Levels, then values without NULL. */
  readonly page: Uint8Array
  /** Number of rows; for lists, of elements and empty lists. */
  readonly entries: number
  /** Undefined for required columns. */
  readonly nulls: number | undefined
  readonly bounds?: readonly [min: Uint8Array, max: Uint8Array] | undefined
  /** If set, values are codes of its texts. */
  readonly dictionary?: { readonly texts: number; readonly page: Uint8Array } | undefined
}

/**
 * Encodes rows of a column in the encodings of Parquet 1, which every reader knows. Fails for
 * numbers that the type cannot hold.
 * @param required no value is NULL: omits levels and statistics
 */
export function encodeChunk(column: WrittenColumn, first: number, end: number, required: boolean): ColumnChunk {
  const { name, type, values } = column
  if (type === 'VARCHAR[]') return encodeLists(values.slice(first, end))
  if (type === 'VARCHAR') return encodeCells(values.slice(first, end), encodeTexts, required)
  if (type === 'DECIMAL(38,0)') return encodeCells(values.slice(first, end), encodeDecimals, required)
  if (type === 'BOOLEAN') return encodeCells(values.slice(first, end), encodeFlags, required)
  const numbers = ArrayBuffer.isView(values) ? values.subarray(first, end) : values.slice(first, end)
  if (!numbers) return encodeNulls(end - first)
  if (required && numbers instanceof storedArrays[type]) return toChunk({ bytes: toBytes(numbers), count: end - first })
  if (numbers instanceof Float64Array) {
    const chunk = encodeNumbers(name, type, numbers)
    if (!ArrayBuffer.isView(values)) freeMemory(numbers)
    return chunk
  }
  if (numbers instanceof storedArrays[type]) return encodeIntegers(numbers)
  if (!(numbers instanceof BigInt64Array)) return encodeNumbers(name, type, new Float64Array(numbers))
  throw new Error(`${name} has 64-bit integers, but is ${type}`)
}

interface EncodedValues extends Pick<ColumnChunk, 'bounds' | 'dictionary'> {
  readonly bytes: Uint8Array
  readonly count: number
}

/** @param levels repetition levels of lists, then definition levels */
function toChunk({ bytes, count, bounds, dictionary }: EncodedValues, ...levels: readonly Uint8Array[]): ColumnChunk {
  if (!levels[0]) return { page: bytes, entries: count, nulls: undefined, dictionary }
  const entries = levels[0].length
  const page = Buffer.concat([...levels.map(encodeLevels), bytes])
  return { page, entries, nulls: entries - count, bounds, dictionary }
}

/** Runs of equal levels, after their length in bytes. */
function encodeLevels(levels: Uint8Array): Uint8Array {
  // A run of one takes two bytes, longer ones less per level.
  const bytes = Buffer.allocUnsafeSlow(4 + 2 * levels.length)
  let at = 4
  for (let start = 0, end = 0; start < levels.length; start = end) {
    while (end < levels.length && levels[end] === levels[start]) end++
    let left = 2 * (end - start)
    for (; left >= 0x80; left >>>= 7) bytes[at++] = (left & 0x7f) | 0x80
    bytes[at++] = left
    bytes[at++] = levels[start]!
  }
  bytes.writeUInt32LE(at - 4)
  return bytes.subarray(0, at)
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left >>>= 7) bytes.push((left & 0x7f) | 0x80)
  return [...bytes, left]
}

function encodeIntegers(values: Int32Array | Uint32Array | BigInt64Array): ColumnChunk {
  const [least, greatest] = values instanceof BigInt64Array ? findLongBounds(values) : findBounds(values)
  const bounds = [toBytes(values.slice(least, least + 1)), toBytes(values.slice(greatest, greatest + 1))] as const
  return toChunk(
    { bytes: toBytes(values), count: values.length, bounds: values.length > 0 ? bounds : undefined },
    new Uint8Array(values.length).fill(1),
  )
}

/** Places of the least and greatest value. */
function findBounds(values: Int32Array | Uint32Array): [least: number, greatest: number] {
  let [least, greatest] = [0, 0]
  for (let i = 1; i < values.length; i++) {
    if (values[i]! < values[least]!) least = i
    if (values[i]! > values[greatest]!) greatest = i
  }
  return [least, greatest]
}

function findLongBounds(values: BigInt64Array): [least: number, greatest: number] {
  const isLess = wordComparer(values)
  let [least, greatest] = [0, 0]
  for (let i = 1; i < values.length; i++) {
    if (isLess(i, least)) least = i
    if (isLess(greatest, i)) greatest = i
  }
  return [least, greatest]
}

/** Compares values by place, much faster than as BigInts. */
function wordComparer({ buffer, byteOffset, length }: BigInt64Array): (a: number, b: number) => boolean {
  const high = new Int32Array(buffer, byteOffset, 2 * length)
  const low = new Uint32Array(buffer, byteOffset, 2 * length)
  return (a, b) =>
    high[2 * a + 1]! < high[2 * b + 1]! || (high[2 * a + 1] === high[2 * b + 1] && low[2 * a]! < low[2 * b]!)
}

/** A single run of levels, without values. */
function encodeNulls(entries: number): ColumnChunk {
  const run = [...varint(2 * entries), 0]
  return { page: Uint8Array.of(run.length, 0, 0, 0, ...run), entries, nulls: entries }
}

function encodeNumbers(name: string, type: NumberType, values: Float64Array): ColumnChunk {
  const numbers = type === 'DOUBLE' ? values : values.map(roundToEven)
  const known = new Float64Array(numbers.length)
  const levels = new Uint8Array(numbers.length)
  let [count, min, max] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < numbers.length; i++) {
    const value = numbers[i]!
    if (Number.isNaN(value)) continue
    levels[i] = 1
    known[count++] = value
    if (value < min) min = value
    if (value > max) max = value
  }
  if (count === 0) return encodeNulls(levels.length)
  // Zeros of both signs are equal, so bounds must include both.
  const bounds = toStored(type, Float64Array.of(min || -0, max || 0))
  if (Number(bounds[0]) !== min || Number(bounds[1]) !== max)
    throw new RangeError(`${name} has a number beyond ${type}`)
  const bytes = toBytes(toStored(type, known.subarray(0, count)))
  const chunk = toChunk({ bytes, count, bounds: toBounds(bounds) }, levels)
  freeMemory(known)
  return chunk
}

/** @param bounds least and greatest value */
const toBounds = (bounds: NumberCells) => [toBytes(bounds.subarray(0, 1)), toBytes(bounds.subarray(1))] as const

/** Rounds as DuckDB does. */
function roundToEven(value: number): number {
  const rounded = Math.round(value)
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

function toStored(type: NumberType, numbers: Float64Array): NumberCells {
  if (type === 'DOUBLE') return numbers
  if (type !== 'BIGINT') return new storedArrays[type](numbers)
  const stored = new BigInt64Array(numbers.length)
  // Much faster than BigInt arithmetic.
  const words = new Int32Array(stored.buffer)
  for (let i = 0; i < numbers.length; i++) {
    const high = Math.floor(numbers[i]! / 2 ** 32)
    words[2 * i] = numbers[i]! - high * 2 ** 32
    words[2 * i + 1] = high
  }
  return stored
}

const toBytes = ({ buffer, byteOffset, byteLength }: NumberCells): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

function encodeCells<Cell>(
  cells: readonly (Cell | null)[],
  encode: (known: readonly Cell[]) => EncodedValues,
  required: boolean,
): ColumnChunk {
  const levels = new Uint8Array(cells.length).fill(1)
  for (let i = 0; i < cells.length; i++) if (cells[i] === null) levels[i] = 0
  const known = encode(cells.filter((cell) => cell !== null))
  return required ? toChunk(known) : toChunk(known, levels)
}

/** Numbers of 16 bytes, big-endian. */
function encodeDecimals(numbers: readonly bigint[]): EncodedValues {
  const bytes = Buffer.allocUnsafeSlow(16 * numbers.length)
  for (const [i, number] of numbers.entries()) {
    bytes.writeBigInt64BE(number >> 64n, 16 * i)
    bytes.writeBigUInt64BE(BigInt.asUintN(64, number), 16 * i + 8)
  }
  return { bytes, count: numbers.length }
}

function encodeFlags(flags: readonly boolean[]): EncodedValues {
  const bytes = new Uint8Array(Math.ceil(flags.length / 8))
  for (const [i, flag] of flags.entries()) if (flag) bytes[i >> 3]! |= 1 << (i & 7)
  return { bytes, count: flags.length }
}

/** Codes of one byte need no packing. */
const maxDictionaryTexts = 256
/** Longer texts are no bounds: they would make the metadata large. */
const maxBoundBytes = 256

function encodeTexts(texts: readonly string[]): EncodedValues {
  const { length: count } = texts
  const codes = new Map<string, number>()
  const coded = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    const text = texts[i]!
    const code = codes.get(text) ?? codes.size
    if (code === codes.size) codes.set(text, code)
    coded[i] = code
  }
  const distinct = Array.from(codes.keys(), (text) => Buffer.from(text))
  let [min = Buffer.alloc(0)] = distinct
  let max = min
  for (const text of distinct) {
    if (Buffer.compare(text, min) < 0) min = text
    if (Buffer.compare(text, max) > 0) max = text
  }
  const isShort = count > 0 && Math.max(min.length, max.length) <= maxBoundBytes
  const bounds = isShort ? ([min, max] as const) : undefined
  if (distinct.length > maxDictionaryTexts || 2 * distinct.length >= count)
    return { bytes: joinTexts(Array.from(coded, (code) => distinct[code]!)), count, bounds }
  // One run of bit-packed groups of eight codes.
  const groups = Math.ceil(count / 8)
  const head = [8, ...varint(2 * groups + 1)]
  const bytes = new Uint8Array(head.length + 8 * groups)
  bytes.set(head)
  bytes.set(coded, head.length)
  return { bytes, count, bounds, dictionary: { texts: distinct.length, page: joinTexts(distinct) } }
}

/** Each after its length. */
function joinTexts(texts: readonly Buffer[]): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(texts.reduce((sum, { length }) => sum + 4 + length, 0))
  let at = 0
  for (const text of texts) {
    at = bytes.writeUInt32LE(text.length, at)
    at += text.copy(bytes, at)
  }
  return bytes
}

function encodeLists(lists: readonly (readonly string[] | null)[]): ColumnChunk {
  const repetition = lists.flatMap((list) => (list?.length ? list.map((_, i) => (i === 0 ? 0 : 1)) : [0]))
  // NULL is 0, an empty list 1, an element 3.
  const definition = lists.flatMap((list) => (list?.length ? list.map(() => 3) : [list ? 1 : 0]))
  const texts = encodeTexts(lists.flatMap((list) => list ?? []))
  return toChunk(texts, Uint8Array.from(repetition), Uint8Array.from(definition))
}
