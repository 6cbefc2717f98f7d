import { maxMoneySats, satsPerCoin } from '#base/bitcoin.ts'
import { usdBounds } from '#contract/balance-measures.ts'
import { copyInto } from '#ingest/chain/bytes.ts'
import type { Sample } from '../address-sample.ts'
import type { AddressTable } from './address-table.ts'
import { balanceBins, toBinNumber } from './balance-bins.ts'
import { type Estimate, estimateCount } from './estimates.ts'

/**
 * Numbers of addresses by the value of what they hold, at the close of each day. Bounds in USD are
 * other balances every day, so the addresses of each bin of balances are listed: those in the bin
 * of a bound are counted one by one, and those above it by bins.
 */
export class UsdCounts {
  /**
   * Addresses of the bin of each bound that reach it, by day: known ones, and differences in the
   * sample.
   */
  readonly #known: readonly Float64Array[]
  readonly #difference: readonly Float64Array[]
  #balances = new BinLists(new Uint8Array(balanceBins))
  #largeBalances = new BinLists(new Uint8Array(balanceBins))
  #isListed = new Uint8Array(balanceBins)
  /** Balances without a slot, by bin. */
  #unchanged: readonly number[][] = []

  constructor(days: number) {
    this.#known = usdBounds.map(() => new Float64Array(days))
    this.#difference = usdBounds.map(() => new Float64Array(days))
  }

  get columns(): readonly Float64Array[] {
    return [...this.#known, ...this.#difference]
  }

  /** `prices` are those of the days to count. */
  beginPartition(prices: Float64Array): void {
    const bins = new Uint8Array(balanceBins)
    for (const price of prices) {
      if (!Number.isNaN(price)) for (const bound of usdBounds) bins[toBinNumber(toMinSats(bound, price))] = 1
    }
    this.#balances = new BinLists(bins)
    this.#largeBalances = new BinLists(bins)
    this.#isListed = bins
    this.#unchanged = Array.from(bins, () => [])
  }

  /** Lists a sampled address by the bin of its balance, or removes it with a `sign` of −1. */
  add(slot: number, bin: number, sign: number): void {
    this.#balances.move(slot, bin, sign)
  }

  /** The same by the bin of its large coins, whether it is sampled or not. */
  addLarge(slot: number, bin: number, sign: number): void {
    this.#largeBalances.move(slot, bin, sign)
  }

  /** Lists a sampled address without large coins that keeps its balance on all days. */
  addUnchanged(sats: number): void {
    const bin = toBinNumber(sats)
    if (this.#isListed[bin] === 1) this.#unchanged[bin]!.push(sats)
  }

  /** Counts the listed addresses at a price. */
  endDay(table: AddressTable, isSampled: (slot: number) => boolean, column: number, price: number): void {
    if (Number.isNaN(price)) return
    for (const [i, bound] of usdBounds.entries()) {
      const minSats = toMinSats(bound, price)
      const bin = toBinNumber(minSats)
      for (const slot of this.#largeBalances.slots(bin)) {
        if (table.largeSats[slot]! < minSats) continue
        this.#known[i]![column]!++
        if (isSampled(slot)) this.#difference[i]![column]!--
      }
      for (const slot of this.#balances.slots(bin)) {
        if (table.sats[slot]! >= minSats) this.#difference[i]![column]!++
      }
      for (const sats of this.#unchanged[bin] ?? []) if (sats >= minSats) this.#difference[i]![column]!++
    }
  }

  /** The number for each bound on a day, of whose bins `known` and `difference` are the counts. */
  counts(
    day: number,
    price: number,
    sample: Sample,
    known: Float64Array,
    difference: Float64Array,
  ): readonly Estimate[] {
    return usdBounds.map((bound, i) => {
      if (Number.isNaN(price)) return { value: Number.NaN, low: Number.NaN, high: Number.NaN }
      const above = toBinNumber(toMinSats(bound, price)) + 1
      const sum = (counts: Float64Array): number => counts.subarray(above).reduce((total, count) => total + count, 0)
      return estimateCount(sample, this.#known[i]![day]! + sum(known), this.#difference[i]![day]! + sum(difference))
    })
  }
}

/** The least balance that is worth so many USD. */
function toMinSats(usd: number, price: number): number {
  let sats = Math.ceil((usd / price) * satsPerCoin)
  // More than can exist, and perhaps more than a number counts in ones.
  if (sats > maxMoneySats) return sats
  // The quotient is rounded: a coin at 100,000 USD is worth 100,000 USD.
  while (((sats - 1) / satsPerCoin) * price >= usd) sats--
  while ((sats / satsPerCoin) * price < usd) sats++
  return sats
}

/** Slots by bin, in doubly linked lists; only of some bins. */
class BinLists {
  readonly #isListed: Uint8Array
  readonly #heads = new Int32Array(balanceBins).fill(-1)
  #next = new Int32Array(1024)
  #previous = new Int32Array(1024)

  /** `isListed` has 1 for the bins to list. */
  constructor(isListed: Uint8Array) {
    this.#isListed = isListed
  }

  /** Adds a slot to a bin, or removes it with a `sign` of −1. */
  move(slot: number, bin: number, sign: number): void {
    if (this.#isListed[bin] === 0) return
    if (slot >= this.#next.length) {
      this.#next = copyInto(new Int32Array(2 * slot), this.#next)
      this.#previous = copyInto(new Int32Array(2 * slot), this.#previous)
    }
    if (sign > 0) {
      const head = this.#heads[bin]!
      this.#next[slot] = head
      this.#previous[slot] = -1
      if (head >= 0) this.#previous[head] = slot
      this.#heads[bin] = slot
      return
    }
    const next = this.#next[slot]!
    const previous = this.#previous[slot]!
    if (next >= 0) this.#previous[next] = previous
    if (previous >= 0) this.#next[previous] = next
    else this.#heads[bin] = next
  }

  *slots(bin: number): Generator<number> {
    for (let slot = this.#heads[bin]!; slot >= 0; slot = this.#next[slot]!) yield slot
  }
}
