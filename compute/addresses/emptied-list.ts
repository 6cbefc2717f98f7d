import type { IntactReader, IntactWriter } from '#sql/intact-file.ts'
import type { AddressFiles } from './address-files.ts'

/**
 * Stored list of addresses of a partition without coins, sorted by identity. A record has six
 * bytes:
 * - 32 bits: low word of the distance to the previous identity,
 * - 4 bits: high word of the distance,
 * - 1 bit: whether the address has spent large outputs,
 * - 11 bits: `maxAge + 2` minus the age of its last day; 1 if it only ever spent outputs without a
 *   value; 0 marks a skip, which adds the 32 bits to the high word and has no address.
 * A piece of records has all its low words, then the other bits.
 */
export interface EmptiedList {
  readonly name: string
  /** Ages count back from this day. */
  readonly until: number
}

/** Older days count as this age; measures need five years. */
const maxAge = 2045
const dayShift = 5
const largeBit = 16
const maxHigh = 15
const skip = 0
const never = 1
const recordBytes = 6
const pieceRecords = 2 ** 16

const firstHigh = (partition: number): number => partition * 2 ** 28

/** Bitmap by prefix: the lower 28 bits of the high word, without the last `shift` bits. */
export interface Marks {
  readonly bits: Uint32Array
  readonly shift: number
}
const allMarked: Marks = { bits: Uint32Array.of(1), shift: 28 }

export class EmptiedWriter {
  readonly #writer: IntactWriter
  readonly #list: EmptiedList
  readonly #lows = new Uint32Array(pieceRecords)
  readonly #tops = new Uint16Array(pieceRecords)
  #length = 0
  #high: number
  #low = 0

  constructor(files: AddressFiles, list: EmptiedList, partition: number) {
    this.#writer = files.write(list.name)
    this.#list = list
    this.#high = firstHigh(partition)
  }

  /** Identities must ascend; `day` is −1 if the address never held coins. */
  add(high: number, low: number, day: number, hasSpentLarge: boolean): void {
    let distanceLow = low - this.#low
    let distanceHigh = high - this.#high
    if (distanceLow < 0) {
      distanceLow += 2 ** 32
      distanceHigh--
    }
    if (distanceHigh > maxHigh) {
      this.#write(distanceHigh, skip)
      distanceHigh = 0
    }
    const youth = day < 0 ? never : maxAge + 2 - Math.min(maxAge, this.#list.until - day)
    this.#write(distanceLow, (youth << dayShift) + (hasSpentLarge ? largeBit : 0) + distanceHigh)
    this.#high = high
    this.#low = low
  }

  #write(low: number, top: number): void {
    this.#lows[this.#length] = low
    this.#tops[this.#length] = top
    if (++this.#length === pieceRecords) this.#flush()
  }

  #flush(): void {
    this.#writer.write(this.#lows.subarray(0, this.#length))
    this.#writer.write(this.#tops.subarray(0, this.#length))
    this.#length = 0
  }

  finish(): EmptiedList {
    this.#flush()
    this.#writer.finish()
    return this.#list
  }
}

/** Current address of a list; `high` is infinite after the last. */
export interface EmptiedSource {
  readonly high: number
  readonly low: number
  /** −1 if it never held coins. */
  readonly day: number
  readonly hasSpentLarge: boolean
  readonly next: () => void
}

export class EmptiedReader implements EmptiedSource {
  high: number
  low = 0
  day = 0
  hasSpentLarge = false
  readonly #reader: IntactReader
  readonly #until: number
  readonly #marks: Marks
  readonly #lows = new Uint32Array(pieceRecords)
  readonly #tops = new Uint16Array(pieceRecords)
  readonly records: number
  #unread: number
  #length = 0
  #at = 0

  /** @param marks addresses to read (default: all) */
  constructor(files: AddressFiles, { name, until }: EmptiedList, partition: number, marks = allMarked) {
    this.#reader = files.read(name)
    this.#until = until
    this.#marks = marks
    this.records = this.#reader.length / recordBytes
    this.#unread = this.records
    this.high = firstHigh(partition)
  }

  /** Returns false after the last address. Throws `data_not_ready` for a damaged file. */
  next(): boolean {
    const { bits, shift } = this.#marks
    const lows = this.#lows
    const tops = this.#tops
    do {
      // 32-bit integers are faster.
      let high = this.high | 0
      let low = this.low | 0
      const length = this.#length
      for (let at = this.#at; at < length; at++) {
        const distance = lows[at]! | 0
        const top = tops[at]!
        if (top === skip) {
          high = (high + distance) | 0
          continue
        }
        const sum = (low + distance) | 0
        // A comparison would be mispredicted for every second record.
        const carry = ((low & distance) | ((low | distance) & ~sum)) >>> 31
        low = sum
        high = (high + carry + (top & maxHigh)) | 0
        const mark = (high & 0xfff_ffff) >>> shift
        if (((bits[mark >>> 5]! >>> (mark & 31)) & 1) === 0) continue
        this.#at = at + 1
        this.high = high >>> 0
        this.low = low >>> 0
        const youth = top >>> dayShift
        this.day = youth === never ? -1 : this.#until - maxAge - 2 + youth
        this.hasSpentLarge = (top & largeBit) !== 0
        return true
      }
      this.high = high >>> 0
      this.low = low >>> 0
    } while (this.#readPiece())
    this.high = Number.POSITIVE_INFINITY
    return false
  }

  close(): void {
    this.#reader.close()
  }

  #readPiece(): boolean {
    this.#length = Math.min(pieceRecords, this.#unread)
    this.#unread -= this.#length
    this.#at = 0
    if (this.#length === 0) {
      this.close()
      return false
    }
    this.#reader.read(this.#lows.subarray(0, this.#length))
    this.#reader.read(this.#tops.subarray(0, this.#length))
    return true
  }
}

/** Merges lists. An address in several keeps its latest day. */
export function joinEmptied(
  files: AddressFiles,
  sources: readonly EmptiedSource[],
  list: EmptiedList,
  partition: number,
): EmptiedList {
  const writer = new EmptiedWriter(files, list, partition)
  for (const source of sources) source.next()
  for (;;) {
    let [high, low] = [Number.POSITIVE_INFINITY, 0]
    for (const source of sources) {
      if (source.high > high || (source.high === high && source.low >= low)) continue
      high = source.high
      low = source.low
    }
    if (high === Number.POSITIVE_INFINITY) return writer.finish()
    let [day, hasSpentLarge] = [-1, false]
    for (const source of sources) {
      if (source.high !== high || source.low !== low) continue
      day = Math.max(day, source.day)
      hasSpentLarge ||= source.hasSpentLarge
      source.next()
    }
    writer.add(high, low, day, hasSpentLarge)
  }
}
