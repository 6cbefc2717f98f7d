import { dayHeadWords, entryWords, orderBits, received, sent } from './active-sets.ts'

const groups = ['active', 'sending', 'receiving'] as const
const spans = ['', '_7d', '_month'] as const

/**
 * Distinct addresses of each day, of the seven days ending with it, and of its calendar month to
 * date.
 */
export const activityColumns = groups.flatMap((group) => spans.map((span) => `${group}${span}` as const))

/** Days before a month that its first seven-day window includes. */
export const daysBefore = 6

/** One day's set in one unit: entries of two words, sorted by their first bits. */
interface DaySet {
  readonly day: number
  readonly words: Uint32Array
  at: number
  readonly end: number
}

/**
 * Identities are counted in slices by their first bits; the table of a slice fits into the
 * processor's cache.
 */
const entriesPerSlice = 4096

/**
 * Counts distinct addresses of the days `first` to `last` of one month.
 * @param files sets of all units with blocks of these days or the `daysBefore` days before
 */
export function countActive(files: readonly Uint32Array[], first: number, last: number): Float64Array {
  const sets = files
    .flatMap(readDays)
    .filter(({ day }) => day >= first - daysBefore && day <= last)
    .sort((a, b) => a.day - b.day)
  const count = last - first + 1
  const counts = new Float64Array(activityColumns.length * count)
  // Weeks and months hold changes until the end.
  const column = (i: number): Float64Array => counts.subarray(i * count, (i + 1) * count)
  const columns = groups.map((_, i) => ({ days: column(3 * i), week: column(3 * i + 1), month: column(3 * i + 2) }))
  const table = new SliceTable(columns, first)
  const entries = sets.reduce((sum, { at, end }) => sum + (end - at) / entryWords, 0)
  const sliceBits = Math.min(orderBits, Math.ceil(Math.log2(Math.max(1, entries / entriesPerSlice))))
  for (let slice = 1; slice <= 2 ** sliceBits; slice++) {
    const ends = sets.map((set) => sliceEnd(set, slice * 2 ** (32 - sliceBits)))
    table.reset(sets.reduce((sum, { at }, i) => sum + (ends[i]! - at) / entryWords, 0))
    for (const [i, set] of sets.entries()) {
      table.addDay(set.day, set.words, set.at, ends[i]!)
      set.at = ends[i]!
    }
  }
  for (const { week, month } of columns) {
    for (let i = 1; i < count; i++) week[i]! += week[i - 1]!
    for (let i = 1; i < count; i++) month[i]! += month[i - 1]!
  }
  return counts
}

function readDays(words: Uint32Array): DaySet[] {
  const sets: DaySet[] = []
  for (let head = 0; head < words.length; ) {
    const at = head + dayHeadWords
    const end = at + entryWords * words[head + 1]!
    sets.push({ day: words[head]!, words, at, end })
    head = end
  }
  return sets
}

/** Returns the end of the entries whose first word is below `bound`. */
function sliceEnd({ words, at, end }: DaySet, bound: number): number {
  while (at < end && words[at]! < bound) at += entryWords
  return at
}

type GroupColumns = Readonly<Record<'days' | 'week' | 'month', Float64Array>>

/**
 * Last active, sending and receiving day of each address of a slice (hash table, open addressing).
 */
class SliceTable {
  readonly #columns: readonly GroupColumns[]
  readonly #first: number
  #mask = 0
  #highs = new Uint32Array(0)
  #lows = new Uint32Array(0)
  /** By group; 0 for never. */
  #lastDays = groups.map(() => new Int32Array(0))

  constructor(columns: readonly GroupColumns[], first: number) {
    this.#columns = columns
    this.#first = first
  }

  reset(maxAddresses: number): void {
    let size = 16
    while (size < 2 * maxAddresses) size *= 2
    if (size > this.#highs.length) {
      this.#highs = new Uint32Array(size)
      this.#lows = new Uint32Array(size)
      this.#lastDays = groups.map(() => new Int32Array(size))
    }
    this.#mask = size - 1
    // An entry is used if its address was active.
    for (const days of this.#lastDays) days.fill(0, 0, size)
  }

  addDay(day: number, words: Uint32Array, from: number, to: number): void {
    const highs = this.#highs
    const lows = this.#lows
    const mask = this.#mask
    const [active, sending, receiving] = this.#lastDays as [Int32Array, Int32Array, Int32Array]
    for (let at = from; at < to; at += entryWords) {
      const high = words[at]!
      const entry = words[at + 1]!
      const low = entry >>> 2
      let slot = (high ^ low) & mask
      while (active[slot] !== 0 && (highs[slot] !== high || lows[slot] !== low)) slot = (slot + 1) & mask
      highs[slot] = high
      lows[slot] = low
      this.#count(0, active, slot, day)
      if ((entry & sent) !== 0) this.#count(1, sending, slot, day)
      if ((entry & received) !== 0) this.#count(2, receiving, slot, day)
    }
  }

  /** Unix days, never 0. */
  #count(group: number, lastDays: Int32Array, slot: number, day: number): void {
    const last = lastDays[slot]!
    if (last === day) return
    lastDays[slot] = day
    const { days, week, month } = this.#columns[group]!
    const place = day - this.#first
    // Count it in the weeks that end on this day or the next six, except those already counted.
    const from = last === 0 ? place : Math.max(place, last + 7 - this.#first)
    if (from < week.length) week[Math.max(from, 0)]!++
    if (place + 7 < week.length) week[Math.max(place + 7, 0)]!--
    if (place < 0) return
    days[place]!++
    if (last < this.#first) month[place]!++
  }
}
