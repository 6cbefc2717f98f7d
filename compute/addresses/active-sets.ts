import { copyInto } from '#ingest/chain/bytes.ts'

/** Bits of an entry of a set: what the address did on the day. */
export const received = 1
export const sent = 2

/** Two words: the higher half of an identity, then 26 bits of the lower one and two bits for what the address did. */
export const entryWords = 2

/** Words before the entries of a day: the unix day and the number of entries. */
export const dayHeadWords = 2

/** At least this many equal prefixes are sorted by the library: whoever chooses programs can choose their prefixes. */
const maxInsertions = 64

/**
 * Collects the addresses that are active in the blocks of a unit, by day. 58 of the 64 bits of an identity are kept: among the
 * addresses of a month (30 million), two are confused once in 600 months.
 */
export class ActiveSets {
  #entries = new Uint32Array(2 ** 16)
  #length = 0
  #scratch = new Float64Array(2 ** 15)
  readonly #ends = new Uint32Array(2 ** 16)
  readonly #days: Uint32Array[] = []

  /** Adds the first `count` identities of one side of a block; those without an address are 0, 0. */
  add(identities: Uint32Array, count: number, what: number): void {
    if (this.#length + 2 * count > this.#entries.length) {
      this.#entries = copyInto(new Uint32Array(2 * (this.#length + 2 * count)), this.#entries)
    }
    const entries = this.#entries
    let at = this.#length
    for (let i = 0; i < 2 * count; i += 2) {
      const high = identities[i]!
      const low = identities[i + 1]!
      if ((high | low) === 0) continue
      entries[at] = high
      entries[at + 1] = ((low >>> 6) << 2) | what
      at += 2
    }
    this.#length = at
  }

  /** Ends a day: its addresses are sorted by identity, each once. */
  endDay(day: number): void {
    const count = this.#length / 2
    if (count === 0) return
    this.#sort(count)
    const words = new Uint32Array(dayHeadWords + entryWords * count)
    const values = this.#scratch
    const ends = this.#ends
    let at = dayHeadWords
    let from = 0
    for (let prefix = 0; prefix < ends.length; prefix++) {
      const end = ends[prefix]!
      let previous = -1
      for (; from < end; from++) {
        const value = values[from]!
        const key = Math.floor(value / 4)
        if (key === previous) words[at - 1]! |= value & 3
        else {
          const low = value % lowValues
          words[at] = ((prefix << 16) | ((value - low) / lowValues)) >>> 0
          words[at + 1] = low
          at += 2
          previous = key
        }
      }
    }
    words[0] = day
    words[1] = (at - dayHeadWords) / entryWords
    this.#days.push(words.slice(0, at))
    this.#length = 0
  }

  /** The sets of all days, one after the other. */
  finish(): Uint32Array {
    const words = new Uint32Array(this.#days.reduce((sum, day) => sum + day.length, 0))
    let at = 0
    for (const day of this.#days) {
      words.set(day, at)
      at += day.length
    }
    return words
  }

  /** Sorts the entries into `#scratch`, by the first 16 bits with a counting sort and then by the other 44. */
  #sort(count: number): void {
    if (count > this.#scratch.length) this.#scratch = new Float64Array(2 * count)
    const entries = this.#entries
    const values = this.#scratch
    const ends = this.#ends.fill(0)
    for (let i = 0; i < 2 * count; i += 2) ends[entries[i]! >>> 16]!++
    let sum = 0
    for (let prefix = 0; prefix < ends.length; prefix++) {
      const size = ends[prefix]!
      ends[prefix] = sum
      sum += size
    }
    for (let i = 0; i < 2 * count; i += 2) {
      const high = entries[i]!
      values[ends[high >>> 16]!++] = (high & 0xffff) * lowValues + entries[i + 1]!
    }
    let from = 0
    for (let prefix = 0; prefix < ends.length; prefix++) {
      const end = ends[prefix]!
      if (end - from > maxInsertions) values.subarray(from, end).sort()
      else insertionSort(values, from, end)
      from = end
    }
  }
}

/** Number of values of the second word of an entry. */
const lowValues = 2 ** 28

function insertionSort(values: Float64Array, from: number, end: number): void {
  for (let i = from + 1; i < end; i++) {
    const value = values[i]!
    let at = i
    for (; at > from && values[at - 1]! > value; at--) values[at] = values[at - 1]!
    values[at] = value
  }
}
