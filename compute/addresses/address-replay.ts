import { satsPerCoin } from '#base/bitcoin.ts'
import { isoDate } from '#base/days.ts'
import { minLargeSats, type Sample } from '../address-sample.ts'
import { createdDay, eventDay, eventSats, eventType, eventWords, sortEvents } from './address-events.ts'
import type { AddressFiles } from './address-files.ts'
import { AddressTable, hasSpent, hasSpentLarge, receivedBits, severalReceived } from './address-table.ts'
import type { BalanceSums } from './balance-sums.ts'
import { restoreAddresses, type SavedPartition, saveAddresses } from './saved-addresses.ts'

export interface ReplayInputs {
  readonly sample: Sample
  /** First unix day of the chain; other days count from it. */
  readonly firstDay: number
  /** Last day that is already replayed. */
  readonly after: number
  /** Number of days of the chain up to the last closed one. */
  readonly days: number
  /** USD by day: close, then average cost of the coins created. */
  readonly price: Float64Array
  readonly cost: Float64Array
  /** Addresses are saved after this day. */
  readonly cut: number | undefined
}

/**
 * Rounds to 30 bits (Veltkamp), so that sums of amounts up to 2^23 times each other are exact, and
 * coins that come and go leave no remainder.
 */
function roundCost(usd: number): number {
  const scaled = (2 ** 23 + 1) * usd
  return scaled - (scaled - usd)
}

/**
 * Replays the events of a partition: removes each changed address from the day's sums, and adds it
 * again after the change.
 * @param words events in any order, possibly of other days too
 * @param saved addresses before the first new day; undefined if it is the first of the chain
 * @returns the addresses after the cut day
 */
export function replayPartition(
  sums: BalanceSums,
  partition: number,
  words: Uint32Array,
  saved: SavedPartition | undefined,
  files: AddressFiles,
  { sample, firstDay, after, days, cost, cut }: ReplayInputs,
): SavedPartition | undefined {
  const events = sortEvents(words, firstDay + after + 1, firstDay + days - 1)
  const table = new AddressTable(events.length / eventWords / 2)
  const slots = new Int32Array(events.length / eventWords)
  for (let i = 0; i < slots.length; i++) slots[i] = table.add(events[i * eventWords]!, events[i * eventWords + 1]!)
  // If all addresses are counted, large outputs need no sum of their own.
  const hasLarge = sample.modulus > 1
  const minLarge = hasLarge ? minLargeSats : Number.POSITIVE_INFINITY
  const others = saved && restoreAddresses(table, events, saved, files, partition, hasLarge)
  sums.startPartition(table, others)
  let savedAtCut: SavedPartition | undefined
  const touched: number[] = []
  const touchedDays = new Int32Array(table.length).fill(-1)
  const wasFunded = new Uint8Array(table.length)
  /**
   * Slots whose address has shown its key for the first time without an event of value on this day:
   * it spent an output without a value, or its partner (the other address of the same key) spent.
   */
  const shown = new Set<number>()
  for (let day = after + 1, i = 0; day < days; day++) {
    touched.length = 0
    shown.clear()
    sums.startDay(day - after - 1)
    const show = (slot: number): void => {
      if (slot < 0 || touchedDays[slot] === day || shown.has(slot)) return
      sums.add(table, slot, -1)
      shown.add(slot)
    }
    for (; i < slots.length && eventDay(events, i * eventWords) === firstDay + day; i++) {
      const at = i * eventWords
      const slot = slots[i]!
      const sats = eventSats(events, at)
      if (sats === 0) show(slot)
      else if (touchedDays[slot] !== day) {
        if (shown.size === 0 || !shown.delete(slot)) sums.add(table, slot, -1)
        touchedDays[slot] = day
        wasFunded[slot] = Number(table.sats[slot]! > 0)
        touched.push(slot)
      }
      const usd = roundCost((sats / satsPerCoin) * cost[createdDay(events, at) - firstDay]!)
      table.types[slot] = eventType(events, at)
      table.sats[slot]! += sats
      table.costs[slot]! += usd
      if (Math.abs(sats) >= minLarge) {
        table.largeSats[slot]! += sats
        table.largeCosts[slot]! += usd
      }
      const habits = table.habits[slot]!
      if (sats > 0) {
        const received = habits & receivedBits
        table.habits[slot] = habits - received + Math.min(severalReceived, received + 1)
        continue
      }
      const spent = habits | hasSpent | (sats <= -minLarge ? hasSpentLarge : 0)
      if (spent !== habits) show(table.findPartner(slot))
      table.habits[slot] = spent
    }
    for (const slot of touched) {
      if (!(table.sats[slot]! >= 0 && table.largeSats[slot]! >= 0)) {
        throw new RangeError(`on ${isoDate(firstDay + day)} an address holds ${table.sats[slot]} satoshis`)
      }
      // Rounded sums leave a remainder.
      if (table.sats[slot] === 0) table.costs[slot] = 0
      if (table.largeSats[slot] === 0) table.largeCosts[slot] = 0
      const lastDay = table.lastDays[slot]!
      const idleDays = lastDay < 0 ? undefined : day - lastDay
      sums.addEvents(table.lows[slot]!, idleDays, wasFunded[slot] === 1, table.sats[slot]! > 0)
      table.lastDays[slot] = day
      sums.add(table, slot, 1)
    }
    for (const slot of shown) sums.add(table, slot, 1)
    sums.endDay(day - after - 1)
    if (day === cut) savedAtCut = saveAddresses(table, others, saved, { after, cut }, files, partition, hasLarge)
  }
  return savedAtCut
}
