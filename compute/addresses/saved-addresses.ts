import { z } from 'zod'
import { partnerHigh } from '#ingest/chain/address-identity.ts'
import { eventWords } from './address-events.ts'
import type { AddressFiles } from './address-files.ts'
import { AddressColumns, type AddressTable, hasSpent, hasSpentLarge } from './address-table.ts'
import { EmptiedReader, type EmptiedSource, joinEmptied, type Marks } from './emptied-list.ts'
import { sortedPlaces } from './sorted-places.ts'

/**
 * Addresses of a partition after a day: a file of those that hold coins (`funded`) and one or two
 * of those that hold none (`emptied`). Of two, the second is short and has those emptied last, so
 * that nightly runs seldom rewrite the long first one.
 */
export const savedPartition = z.object({
  funded: z.string(),
  emptied: z.array(z.object({ name: z.string(), until: z.int() })),
})
export type SavedPartition = z.infer<typeof savedPartition>

const savedName = (day: number, partition: number, content: 'funded' | 'emptied' | 'newest'): string =>
  `${day}-${partition}-${content}`

/** A checkpoint of a sample has one list per partition. */
export const savedInCheckpoint = (day: number, partition: number): SavedPartition => ({
  funded: savedName(day, partition, 'funded'),
  emptied: [{ name: savedName(day, partition, 'emptied'), until: day }],
})

const addressBytes = (hasLarge: boolean): number => (hasLarge ? 44 : 28)

/** Reused: fresh memory takes longer to map than to fill. */
let spare = new AddressColumns(0, false)

function readFunded(files: AddressFiles, name: string, hasLarge: boolean): AddressColumns {
  const reader = files.read(name)
  const length = reader.length / addressBytes(hasLarge)
  if (spare.highs.length < length || spare.hasLarge !== hasLarge) {
    spare = new AddressColumns(Math.ceil(1.1 * length), hasLarge)
  }
  spare.length = length
  for (const column of spare.stored) reader.read(column)
  reader.close()
  return spare
}

/**
 * Loads the saved state of the addresses in `table` and of other addresses of the same keys.
 * Returns the remaining addresses with coins, in memory that the next call overwrites.
 * @param hasLarge whether large coins are saved, as in a sample
 */
export function restoreAddresses(
  table: AddressTable,
  events: Uint32Array,
  saved: SavedPartition,
  files: AddressFiles,
  partition: number,
  hasLarge: boolean,
): AddressColumns {
  const marks = markPrefixes(events)
  const isConcerned = (high: number, low: number): boolean =>
    table.find(high, low) >= 0 || table.find(partnerHigh(high), low) >= 0
  const funded = readFunded(files, saved.funded, hasLarge)
  let unchanged = 0
  for (let i = 0; i < funded.length; i++) {
    const [high, low] = [funded.highs[i]!, funded.lows[i]!]
    if (isMarked(marks, high) && isConcerned(high, low)) table.copy(funded, i, table.add(high, low))
    else funded.copy(funded, i, unchanged++)
  }
  funded.length = unchanged
  for (const list of saved.emptied) {
    const reader = new EmptiedReader(files, list, partition, marks)
    while (reader.next()) {
      const { high, low } = reader
      if (!isConcerned(high, low)) continue
      const slot = table.add(high, low)
      table.lastDays[slot] = Math.max(table.lastDays[slot]!, reader.day)
      table.habits[slot]! |= reader.hasSpentLarge ? hasSpent | hasSpentLarge : hasSpent
    }
  }
  return funded
}

/**
 * Marks addresses with events. Other addresses of their keys are marked too: they differ in the
 * last bit.
 */
function markPrefixes(events: Uint32Array): Marks {
  const prefixBits = Math.min(27, Math.max(10, Math.ceil(Math.log2(64 * (events.length / eventWords + 1)))))
  const shift = 28 - prefixBits
  const bits = new Uint32Array(2 ** (prefixBits - 5))
  for (let at = 0; at < events.length; at += eventWords) {
    const mark = (events[at]! & 0xfff_ffff) >>> shift
    bits[mark >>> 5]! |= 1 << (mark & 31)
  }
  return { bits, shift }
}

const isMarked = ({ bits, shift }: Marks, high: number): boolean => {
  const mark = (high & 0xfff_ffff) >>> shift
  return ((bits[mark >>> 5]! >>> (mark & 31)) & 1) === 1
}

/**
 * Saves the addresses after day `cut`.
 * @param others addresses with coins beside those of the table
 * @param after day of the addresses in `saved`
 */
export function saveAddresses(
  table: AddressTable,
  others: AddressColumns | undefined,
  saved: SavedPartition | undefined,
  { after, cut }: { readonly after: number; readonly cut: number },
  files: AddressFiles,
  partition: number,
  hasLarge: boolean,
): SavedPartition {
  const changed = new AddressColumns(table.length, hasLarge)
  const emptied: number[] = []
  for (let slot = 0; slot < table.length; slot++) {
    if (table.sats[slot]! > 0) changed.copy(table, slot, changed.length++)
    else if (table.lastDays[slot]! > after || (table.lastDays[slot]! < 0 && table.habits[slot]! & hasSpent))
      emptied.push(slot)
  }
  const funded = savedName(cut, partition, 'funded')
  const writer = files.write(funded)
  for (const [i, column] of changed.stored.entries()) {
    if (others) writer.write(others.stored[i]!)
    writer.write(column)
  }
  writer.finish()

  const lists = saved?.emptied ?? []
  const [first, newest] = lists.map((list) => new EmptiedReader(files, list, partition))
  const records = (newest?.records ?? 0) + emptied.length
  // The first list is rewritten when the second would have 1 to 2 % of its length, but also several
  // times what this run adds (the first scan adds much). Thresholds differ by partition, so that a
  // nightly run rewrites few. A checkpoint has one list.
  const maxRecords = Math.max(((8 + partition) / 1024) * (first?.records ?? 0), (4 + partition) * emptied.length)
  const isRewritten = !first || hasLarge || records > maxRecords
  if (!isRewritten) first.close()
  const sources = [...(first && isRewritten ? [first] : []), ...(newest ? [newest] : []), listEmptied(table, emptied)]
  const list = { name: savedName(cut, partition, isRewritten ? 'emptied' : 'newest'), until: cut }
  joinEmptied(files, sources, list, partition)
  return { funded, emptied: isRewritten ? [list] : [lists[0]!, list] }
}

/** Lists the addresses of slots by identity. */
function listEmptied({ highs, lows, lastDays, habits }: AddressTable, slots: readonly number[]): EmptiedSource {
  const places = sortedPlaces(
    slots.length,
    (i) => (highs[slots[i]!]! % 2 ** 28) / 2 ** 28,
    (one, other) => highs[slots[one]!]! - highs[slots[other]!]! || lows[slots[one]!]! - lows[slots[other]!]!,
  )
  let i = 0
  const source = {
    high: 0,
    low: 0,
    day: 0,
    hasSpentLarge: false,
    next: () => {
      const slot = slots[places[i++]!]
      source.high = slot === undefined ? Number.POSITIVE_INFINITY : highs[slot]!
      if (slot === undefined) return
      source.low = lows[slot]!
      source.day = lastDays[slot]!
      source.hasSpentLarge = (habits[slot]! & hasSpentLarge) !== 0
    },
  }
  return source
}
