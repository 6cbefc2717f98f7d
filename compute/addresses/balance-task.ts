import { partnerHigh } from '#ingest/chain/address-identity.ts'
import { samples } from '../address-sample.ts'
import { AddressTable, hasSpent } from './address-table.ts'
import { BalancePass, type BalancePassInputs, type PartitionEvents } from './balance-pass.ts'
import { type CheckedFile, CheckedReader, CheckedWriter } from './checked-file.ts'
import { type EmptiedFile, EmptiedReader, EmptiedWriter, joinEmptied, type Marks } from './emptied-file.ts'
import { readPackedEvents } from './packed-events.ts'
import { sortedPlaces } from './sorted-places.ts'

/**
 * The addresses of a partition after a day: those with coins; those without, most of them and the
 * newest.
 */
export interface SavedPartition {
  readonly funded: FundedFile
  readonly emptied: EmptiedFile
  readonly newest: EmptiedFile
}

/**
 * Columns one after the other: words of the identity, last day with type and habits, satoshis, cost
 * in USD.
 */
export interface FundedFile extends CheckedFile {
  readonly addresses: number
}

/** A replay of one partition of all addresses. */
export interface BalanceTask extends Pick<BalancePassInputs, 'firstDay' | 'after' | 'days' | 'price' | 'cost' | 'cut'> {
  readonly partition: number
  /** Files of events that have all those of the new days. */
  readonly events: readonly string[]
  /** `undefined` before the first day. */
  readonly saved: SavedPartition | undefined
  /** Folder of the files of `saved`, and of those with the addresses after the cut day. */
  readonly folder: string
}

export interface BalanceOutcome {
  /** The columns of a `BalancePass`. */
  readonly columns: readonly Float64Array[]
  /** After the cut day. */
  readonly saved: SavedPartition | undefined
}

/** Throws `data_not_ready` for damaged files, which it removes. */
export function replayPartition(task: BalanceTask): BalanceOutcome {
  const { partition, events, saved, firstDay, after, days } = task
  const read = readPackedEvents(events, partition, {
    ...{ firstDay, from: firstDay + after + 1, to: firstDay + days - 1 },
  })
  const table = new AddressTable(Math.max(1024, read.count))
  const restored = saved && restore(table, saved, task, read)
  let atCut: SavedPartition | undefined
  const pass = new BalancePass({
    ...{ ...task, sample: samples.all!, before: undefined },
    onCut: () => {
      atCut = save(table, restored?.unchanged, task)
    },
  })
  const others = restored && { ...restored.unchanged, slots: restored.slots }
  pass.addPartition(partition, table, read, others)
  return { columns: pass.columns, saved: atCut }
}

/** Addresses with coins, as columns. */
interface Funded {
  readonly highs: Uint32Array
  readonly lows: Uint32Array
  /** Last day, type and habits. */
  readonly facts: Uint32Array
  readonly sats: Float64Array
  readonly costs: Float64Array
}

const createFunded = (addresses: number): Funded => ({
  ...{ highs: new Uint32Array(addresses), lows: new Uint32Array(addresses), facts: new Uint32Array(addresses) },
  ...{ sats: new Float64Array(addresses), costs: new Float64Array(addresses) },
})

/** Memory that is used again by the next partition. */
let spareFunded = createFunded(0)

const fundedColumns = ({ highs, lows, facts, sats, costs }: Funded) => [highs, lows, facts, sats, costs] as const

const dayShift = 16
const typeShift = 8

/**
 * Reads the addresses that have an event, or whose key's other address has one. Returns the slots
 * of events, and the other addresses with coins.
 */
function restore(
  table: AddressTable,
  { funded, emptied, newest }: SavedPartition,
  { folder, partition }: BalanceTask,
  events: PartitionEvents,
): { slots: Int32Array; unchanged: Funded } {
  const slots = new Int32Array(events.count)
  for (let i = 0; i < events.count; i++) slots[i] = table.find(events.highs[i]!, events.lows[i]!)
  const marks = markKeys(events)
  const isConcerned = (high: number, low: number): boolean =>
    table.place(high, low) >= 0 || table.place(partnerHigh(high), low) >= 0
  if (spareFunded.highs.length < funded.addresses) spareFunded = createFunded(Math.ceil(1.1 * funded.addresses))
  const known = firstFunded(spareFunded, funded.addresses)
  const reader = new CheckedReader(folder, funded)
  for (const column of fundedColumns(known)) reader.read(column)
  reader.finish()
  let unchanged = 0
  for (let i = 0; i < funded.addresses; i++) {
    const high = known.highs[i]!
    const low = known.lows[i]!
    const fact = known.facts[i]!
    if (isMarked(marks, high) && isConcerned(high, low)) {
      const slot = table.find(high, low)
      table.lastDays[slot] = fact >>> dayShift
      table.types[slot] = (fact >>> typeShift) & 0xff
      table.habits[slot] = fact & 0xff
      table.sats[slot] = known.sats[i]!
      table.costs[slot] = known.costs[i]!
      continue
    }
    known.highs[unchanged] = high
    known.lows[unchanged] = low
    known.facts[unchanged] = fact
    known.sats[unchanged] = known.sats[i]!
    known.costs[unchanged] = known.costs[i]!
    unchanged++
  }
  for (const file of [emptied, newest]) {
    const reader = new EmptiedReader(folder, file, partition)
    while (reader.next(marks)) {
      const { high, low } = reader
      if (!isConcerned(high, low)) continue
      const slot = table.find(high, low)
      table.lastDays[slot] = Math.max(table.lastDays[slot]!, reader.day)
      table.habits[slot] = hasSpent
    }
  }
  return { slots, unchanged: firstFunded(known, unchanged) }
}

const firstFunded = ({ highs, lows, facts, sats, costs }: Funded, count: number): Funded => ({
  ...{ highs: highs.subarray(0, count), lows: lows.subarray(0, count), facts: facts.subarray(0, count) },
  ...{ sats: sats.subarray(0, count), costs: costs.subarray(0, count) },
})

/**
 * Marks the addresses of events, and the other addresses of their keys, which differ in the last
 * bit.
 */
function markKeys({ count, highs }: PartitionEvents): Marks {
  const prefixBits = Math.min(27, Math.max(10, Math.ceil(Math.log2(64 * (count + 1)))))
  const shift = 28 - prefixBits
  const bits = new Uint32Array(2 ** (prefixBits - 5))
  for (let i = 0; i < count; i++) {
    const mark = (highs[i]! & 0xfff_ffff) >>> shift
    bits[mark >>> 5]! |= 1 << (mark & 31)
  }
  return { bits, shift }
}

const isMarked = ({ bits, shift }: Marks, high: number): boolean => {
  const mark = (high & 0xfff_ffff) >>> shift
  return ((bits[mark >>> 5]! >>> (mark & 31)) & 1) === 1
}

/** Writes the addresses after the cut day. */
function save(
  table: AddressTable,
  unchanged: Funded | undefined,
  { saved, partition, folder, after, cut = 0 }: BalanceTask,
): SavedPartition {
  const emptied: number[] = []
  for (let slot = 0; slot < table.length; slot++) {
    if (table.lastDays[slot]! > after && table.sats[slot] === 0) emptied.push(slot)
  }
  const nameOf = (content: string): string => `${cut}-${partition}-${content}`
  const added = new EmptiedWriter(folder, nameOf('added'), partition, emptied.length, cut)
  writeEmptied(table, Uint32Array.from(emptied), added)
  return {
    funded: writeFunded(table, unchanged, folder, nameOf('funded')),
    ...joinAdded(added.finish(), saved),
  }

  function joinAdded(added: EmptiedFile, saved: SavedPartition | undefined): Omit<SavedPartition, 'funded'> {
    const none = (): EmptiedFile => new EmptiedWriter(folder, nameOf('none'), partition, 0, cut).finish()
    if (!saved) return { emptied: added, newest: none() }
    const newest = joinEmptied(folder, [saved.newest, added], nameOf('newest'), partition)
    const max = Math.max(minShare(partition) * saved.emptied.addresses, minTimes(partition) * added.addresses)
    if (newest.addresses <= max) return { emptied: saved.emptied, newest }
    return { emptied: joinEmptied(folder, [saved.emptied, newest], nameOf('joined'), partition), newest: none() }
  }
}

/**
 * The newest are joined with the others when they are one or two in a hundred of them, and several
 * times as many as were added last, of which a first scan adds many. Partitions differ, so that few
 * are rewritten at a time.
 */
const minShare = (partition: number): number => (8 + partition) / 1024
const minTimes = (partition: number): number => 4 + partition

/** Writes the unchanged addresses, and those of the table that hold coins. */
function writeFunded(table: AddressTable, unchanged: Funded | undefined, folder: string, name: string): FundedFile {
  const changed = createFunded(table.length)
  let count = 0
  for (let slot = 0; slot < table.length; slot++) {
    if (table.sats[slot] === 0) continue
    changed.highs[count] = table.highs[slot]!
    changed.lows[count] = table.lows[slot]!
    changed.facts[count] = (table.lastDays[slot]! << dayShift) | (table.types[slot]! << typeShift) | table.habits[slot]!
    changed.sats[count] = table.sats[slot]!
    changed.costs[count] = table.costs[slot]!
    count++
  }
  const writer = new CheckedWriter(folder, name)
  const columns = fundedColumns(firstFunded(changed, count))
  const others = unchanged && fundedColumns(unchanged)
  for (const [i, column] of columns.entries()) {
    if (others) writer.write(others[i]!)
    writer.write(column)
  }
  return { ...writer.finish(), addresses: count + (unchanged?.sats.length ?? 0) }
}

function writeEmptied({ highs, lows, lastDays }: AddressTable, slots: Uint32Array, writer: EmptiedWriter): void {
  const places = sortedPlaces(
    slots.length,
    (i) => (highs[slots[i]!]! % 2 ** 28) / 2 ** 28,
    (one, other) => highs[slots[one]!]! - highs[slots[other]!]! || lows[slots[one]!]! - lows[slots[other]!]!,
  )
  for (const i of places) {
    const slot = slots[i]!
    writer.add(highs[slot]!, lows[slot]!, lastDays[slot]!)
  }
}
