import { type CheckedFile, CheckedReader, CheckedWriter } from './checked-file.ts'

/**
 * Addresses of a partition that hold no coins, in order of their identity. Each has a record of the
 * distance to the identity before it and, in eleven bits, its last day. Records are in pieces of
 * columns: the lower word of the distance; if it is `wide`, 16 bits of the higher word; and in 16
 * bits the rest of this below the day.
 */
export interface EmptiedFile extends CheckedFile {
  readonly wide: boolean
  readonly records: number
  readonly addresses: number
  /** The latest of their days, from which days are counted backwards. */
  readonly until: number
}

const dayBits = 11
/** Longer ago than any measure asks for, five years: earlier days are not told apart. */
const maxAge = 2 ** dayBits - 2
/**
 * Day of records without an address, where the distance to the next one is larger than a record can
 * have.
 */
const noAddress = 0
const restBits = 16 - dayBits

const partitionOf = (partition: number): number => partition * 2 ** 28

/** From so many addresses in a partition on, few distances need a wide record. */
const minForNarrow = 2 ** 24

const pieceRecords = 2 ** 16

/** Columns of a piece. */
class Piece {
  readonly lows = new Uint32Array(pieceRecords)
  readonly middles: Uint16Array
  readonly tops = new Uint16Array(pieceRecords)

  constructor(wide: boolean) {
    this.middles = new Uint16Array(wide ? pieceRecords : 0)
  }

  columns(records: number): (Uint32Array | Uint16Array)[] {
    return [this.lows, this.middles, this.tops].map((column) => column.subarray(0, records))
  }
}

export class EmptiedWriter {
  readonly #writer: CheckedWriter
  readonly #wide: boolean
  readonly #until: number
  readonly #piece: Piece
  #length = 0
  #records = 0
  #addresses = 0
  #high: number
  #low = 0

  /** `expected` is the number of addresses, about; `until` is none before any of their days. */
  constructor(folder: string, name: string, partition: number, expected: number, until: number) {
    this.#writer = new CheckedWriter(folder, name)
    this.#wide = expected < minForNarrow
    this.#until = until
    this.#piece = new Piece(this.#wide)
    this.#high = partitionOf(partition)
  }

  /** In order of identity, each once. */
  add(high: number, low: number, day: number): void {
    let distanceLow = low - this.#low
    let distanceHigh = high - this.#high
    if (distanceLow < 0) {
      distanceLow += 2 ** 32
      distanceHigh--
    }
    const maxHigh = 2 ** (this.#wide ? restBits + 16 : restBits) - 1
    for (; distanceHigh > maxHigh; distanceHigh -= maxHigh) this.#write(0, maxHigh, noAddress)
    this.#write(distanceLow, distanceHigh, maxAge + 1 - Math.min(maxAge, this.#until - day))
    this.#addresses++
    this.#high = high
    this.#low = low
  }

  #write(low: number, high: number, day: number): void {
    const { lows, middles, tops } = this.#piece
    lows[this.#length] = low
    if (this.#wide) middles[this.#length] = high
    tops[this.#length] = (this.#wide ? high >>> 16 : high) + (day << restBits)
    this.#records++
    if (++this.#length === pieceRecords) this.#flush()
  }

  #flush(): void {
    for (const column of this.#piece.columns(this.#length)) this.#writer.write(column)
    this.#length = 0
  }

  finish(): EmptiedFile {
    this.#flush()
    const [wide, records, addresses, until] = [this.#wide, this.#records, this.#addresses, this.#until]
    return { ...this.#writer.finish(), wide, records, addresses, until }
  }
}

/**
 * A bit for each prefix of the identities of a partition, which is what is left of their 28 higher
 * bits without the last `shift`.
 */
export interface Marks {
  readonly bits: Uint32Array
  readonly shift: number
}

const everyAddress: Marks = { bits: Uint32Array.of(1), shift: 28 }

export class EmptiedReader {
  /** Identity and last day of the current address. */
  high: number
  low = 0
  day = 0
  hasEnded = false
  readonly #reader: CheckedReader
  readonly #wide: boolean
  readonly #firstDay: number
  readonly #piece: Piece
  #unread: number
  #length = 0
  #at = 0

  constructor(folder: string, file: EmptiedFile, partition: number) {
    this.#reader = new CheckedReader(folder, file)
    this.#wide = file.wide
    this.#firstDay = file.until - maxAge - 1
    this.#piece = new Piece(file.wide)
    this.#unread = file.records
    this.high = partitionOf(partition)
  }

  /**
   * Goes to the next address, if there are `marks` to the next one with a mark; false after the
   * last. Throws `data_not_ready` there if the file is damaged.
   */
  next({ bits, shift }: Marks = everyAddress): boolean {
    const { lows, middles, tops } = this.#piece
    const wide = this.#wide
    do {
      // As 32-bit integers, which are faster.
      let high = this.high | 0
      let low = this.low | 0
      const length = this.#length
      for (let at = this.#at; at < length; at++) {
        const distance = lows[at]! | 0
        const top = tops[at]!
        const rest = top & (2 ** restBits - 1)
        const sum = (low + distance) | 0
        // A comparison would be guessed wrong by the processor for every second record.
        const carry = ((low & distance) | ((low | distance) & ~sum)) >>> 31
        low = sum
        high = (high + carry + (wide ? middles[at]! | (rest << 16) : rest)) | 0
        const mark = (high & 0xfff_ffff) >>> shift
        if (((bits[mark >>> 5]! >>> (mark & 31)) & 1) === 0 || top >>> restBits === noAddress) continue
        this.#at = at + 1
        this.high = high >>> 0
        this.low = low >>> 0
        this.day = this.#firstDay + (top >>> restBits)
        return true
      }
      this.high = high >>> 0
      this.low = low >>> 0
    } while (this.#readPiece())
    return false
  }

  #readPiece(): boolean {
    this.#length = Math.min(pieceRecords, this.#unread)
    this.#unread -= this.#length
    this.#at = 0
    this.hasEnded = this.#length === 0
    if (this.hasEnded) this.#reader.finish()
    else for (const column of this.#piece.columns(this.#length)) this.#reader.read(column)
    return !this.hasEnded
  }
}

/** Joins files; an address that is in several has its latest day. */
export function joinEmptied(
  folder: string,
  files: readonly EmptiedFile[],
  name: string,
  partition: number,
): EmptiedFile {
  const addresses = files.reduce((sum, one) => sum + one.addresses, 0)
  const writer = new EmptiedWriter(folder, name, partition, addresses, Math.max(...files.map(({ until }) => until)))
  let readers = files.map((file) => new EmptiedReader(folder, file, partition)).filter((reader) => reader.next())
  while (readers.length > 0) {
    let [first] = readers as [EmptiedReader, ...EmptiedReader[]]
    for (const reader of readers) {
      if (reader.high < first.high || (reader.high === first.high && reader.low < first.low)) first = reader
    }
    const { high, low } = first
    let { day } = first
    let ended = 0
    for (const reader of readers) {
      if (reader.high !== high || reader.low !== low) continue
      day = Math.max(day, reader.day)
      if (!reader.next()) ended++
    }
    writer.add(high, low, day)
    if (ended > 0) readers = readers.filter((reader) => !reader.hasEnded)
  }
  return writer.finish()
}
