import { copyInto } from '#ingest/chain/bytes.ts'

/** Bits of an entry: actions of the address on the day. */
export const received = 1
export const sent = 2

/** Upper word of the identity, then 26 bits of the lower word and the two bits above. */
export const entryWords = 2

/** Words before the entries of a day: unix day, number of entries. */
export const dayHeadWords = 2

/** Entries of a day are sorted by this many first bits of the identity. */
export const orderBits = 12
const shift = 32 - orderBits

/**
 * Collects the active addresses of a unit by day. Keeps 58 of the 64 bits of an identity: of the 30
 * million addresses of a month, two are confused once in 600 months.
 */
export class ActiveSets {
  #entries = new Uint32Array(2 ** 16)
  #length = 0
  #sorted = new Uint32Array(2 ** 16)
  /** Hash table (open addressing) of positions of entries in the words of the day. */
  #table = new Uint32Array(2 ** 10)
  readonly #ends = new Uint32Array(2 ** orderBits)
  #days: Uint32Array[] = []

  /** Adds the first `count` identities of one side of a block; 0, 0 means no address. */
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

  /** Sorts the entries of the day and merges those of the same address. */
  endDay(day: number): void {
    const length = this.#length
    if (length === 0) return
    if (length > this.#sorted.length) this.#sorted = new Uint32Array(2 * length)
    const ends = this.#sort()
    const sorted = this.#sorted
    const words = this.#entries
    this.#table.fill(0)
    let at = 0
    let from = 0
    for (const to of ends) {
      // Slots with lower positions belong to earlier prefixes.
      const first = at
      const table = this.#tableFor(to - from)
      const mask = table.length - 1
      for (; from < to; from += entryWords) {
        const high = sorted[from]!
        const entry = sorted[from + 1]!
        let slot = (high ^ (entry >>> 2)) & mask
        let place = table[slot]! - 1
        while (place >= first && (words[place] !== high || (words[place + 1]! ^ entry) > 3)) {
          slot = (slot + 1) & mask
          place = table[slot]! - 1
        }
        if (place >= first) words[place + 1]! |= entry
        else {
          table[slot] = at + 1
          words[at] = high
          words[at + 1] = entry
          at += entryWords
        }
      }
    }
    this.#days.push(Uint32Array.of(day, at / entryWords), words.slice(0, at))
    this.#length = 0
  }

  /** Returns the sets of all days, concatenated, and resets. */
  take(): Uint32Array {
    const words = new Uint32Array(this.#days.reduce((sum, day) => sum + day.length, 0))
    let at = 0
    for (const day of this.#days) {
      words.set(day, at)
      at += day.length
    }
    this.#days = []
    return words
  }

  /** Copies the entries into `#sorted` by their first bits, and returns the end of each prefix. */
  #sort(): Uint32Array {
    const entries = this.#entries
    const sorted = this.#sorted
    const ends = this.#ends.fill(0)
    for (let i = 0; i < this.#length; i += entryWords) ends[entries[i]! >>> shift]! += entryWords
    let at = 0
    for (let prefix = 0; prefix < ends.length; prefix++) {
      const size = ends[prefix]!
      ends[prefix] = at
      at += size
    }
    for (let i = 0; i < this.#length; i += entryWords) {
      const high = entries[i]!
      const place = ends[high >>> shift]!
      ends[high >>> shift] = place + entryWords
      sorted[place] = high
      sorted[place + 1] = entries[i + 1]!
    }
    return ends
  }

  /** Reserves at least two slots per entry. */
  #tableFor(words: number): Uint32Array {
    if (words > this.#table.length) this.#table = new Uint32Array(2 ** Math.ceil(Math.log2(words)))
    return this.#table
  }
}
