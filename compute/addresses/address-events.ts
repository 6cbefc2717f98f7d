import { copyInto } from '#ingest/chain/bytes.ts'
import { minLargeSats, type Sample } from '../address-sample.ts'
import { sortedPlaces } from './sorted-places.ts'

/** Columns of a segment: unix days, script type, two words of the identity, satoshis. */
export type AddressEventColumns = ReturnType<AddressEvents['toColumns']>

/**
 * Words of an event: identity (high, low); satoshis (low, then high with script type and direction
 * in the upper bits); unix day (upper bits) with the creation day of the output.
 */
export const eventWords = 5
const typeShift = 20
const spentBit = 0x8000_0000

export const eventDay = (words: Uint32Array, at: number): number => words[at + 4]! >>> 16
export const createdDay = (words: Uint32Array, at: number): number => words[at + 4]! & 0xffff
export const eventType = (words: Uint32Array, at: number): number => (words[at + 3]! >>> typeShift) & 15
/** Negative for spent outputs, 0 for spent ones without a value. */
export function eventSats(words: Uint32Array, at: number): number {
  const upper = words[at + 3]!
  const sats = (upper & (2 ** typeShift - 1)) * 2 ** 32 + words[at + 2]!
  return upper >= spentBit ? -sats : sats
}

/**
 * Collects outputs that addresses receive or spend. Adding one allocates nothing: there can be
 * billions.
 */
export class AddressEvents {
  /** Returns whether to add an output. */
  readonly isWanted: (high: number, low: number, sats: number) => boolean
  #words = new Uint32Array(1024 * eventWords)
  #length = 0

  constructor(isWanted: AddressEvents['isWanted'] = () => true) {
    this.isWanted = isWanted
  }

  /**
   * Days are unix days; `sats` is negative for a spent output, 0 for one without a value. Created
   * outputs without a value are not added.
   */
  add(day: number, createdDay: number, type: number, high: number, low: number, sats: number): void {
    if (this.#length === this.#words.length) this.#words = copyInto(new Uint32Array(2 * this.#length), this.#words)
    const words = this.#words
    const value = Math.abs(sats)
    words[this.#length++] = high
    words[this.#length++] = low
    words[this.#length++] = value
    words[this.#length++] = value / 2 ** 32 + (type << typeShift) + (sats < 0 ? spentBit : 0)
    words[this.#length++] = (day << 16) + createdDay
  }

  get words(): Uint32Array {
    return this.#words.subarray(0, this.#length)
  }

  toColumns() {
    const { words } = this
    const rows = words.length / eventWords
    const columns = {
      day: new Int32Array(rows),
      created_day: new Int32Array(rows),
      type: new Int32Array(rows),
      high: new Uint32Array(rows),
      low: new Uint32Array(rows),
      received_sats: new BigInt64Array(rows),
      spent_sats: new BigInt64Array(rows),
    }
    const received = new Uint32Array(columns.received_sats.buffer)
    const spent = new Uint32Array(columns.spent_sats.buffer)
    for (let row = 0, at = 0; row < rows; row++, at += eventWords) {
      columns.day[row] = eventDay(words, at)
      columns.created_day[row] = createdDay(words, at)
      columns.type[row] = eventType(words, at)
      columns.high[row] = words[at]!
      columns.low[row] = words[at + 1]!
      const sats = words[at + 3]! >= spentBit ? spent : received
      sats[2 * row] = words[at + 2]!
      sats[2 * row + 1] = words[at + 3]! & (2 ** typeShift - 1)
    }
    return columns
  }
}

/**
 * Collects outputs of sampled addresses, and large outputs of all. The caller omits created outputs
 * without a value.
 */
export function createAddressEvents({ modulus, residue }: Sample): AddressEvents {
  const mask = modulus - 1
  return new AddressEvents(
    (high, low, sats) => ((low & mask) === residue || sats >= minLargeSats) && (high | low) !== 0,
  )
}

/**
 * Returns the events of a partition on unix days `from` to `to`, by day. The order within a day is
 * fixed, because sums of rounded values depend on it.
 */
export function sortEvents(words: Uint32Array, from: number, to: number): Uint32Array {
  const rows = new Uint32Array(words.length / eventWords)
  let count = 0
  for (let row = 0; row < words.length; row += eventWords) {
    const day = eventDay(words, row)
    if (day >= from && day <= to) rows[count++] = row
  }
  const compareRows = (one: number, other: number): number =>
    eventDay(words, one) - eventDay(words, other) ||
    words[one]! - words[other]! ||
    words[one + 1]! - words[other + 1]! ||
    createdDay(words, one) - createdDay(words, other) ||
    eventSats(words, one) - eventSats(words, other)
  const places = sortedPlaces(
    count,
    (place) => {
      const row = rows[place]!
      return (eventDay(words, row) - from + (words[row]! % 2 ** 28) / 2 ** 28) / (to - from + 1)
    },
    (one, other) => compareRows(rows[one]!, rows[other]!),
  )
  const sorted = new Uint32Array(count * eventWords)
  for (let i = 0; i < count; i++) {
    const row = rows[places[i]!]!
    for (let word = 0; word < eventWords; word++) sorted[i * eventWords + word] = words[row + word]!
  }
  return sorted
}
