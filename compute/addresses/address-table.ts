import { hasPartner, partnerHigh } from '#ingest/chain/address-identity.ts'
import { copyInto } from '#ingest/chain/bytes.ts'

/** Bits of `habits`: the number of received outputs, at most `severalReceived`, and two flags. */
export const receivedBits = 3
export const severalReceived = 2
export const hasSpent = 4
export const hasSpentLarge = 8

/** Columns of the addresses of a partition. */
export class AddressColumns {
  length = 0
  highs = new Uint32Array(0)
  lows = new Uint32Array(0)
  /** Satoshis, then their value in USD at creation. */
  sats = new Float64Array(0)
  costs = new Float64Array(0)
  /** The part of these in outputs of `minLargeSats` or more; empty without `hasLarge`. */
  largeSats = new Float64Array(0)
  largeCosts = new Float64Array(0)
  types = new Uint8Array(0)
  habits = new Uint8Array(0)
  /** Day of the last event, from the first day of the chain; −1 for none. */
  lastDays = new Int16Array(0)
  readonly hasLarge: boolean

  constructor(capacity: number, hasLarge: boolean) {
    this.hasLarge = hasLarge
    this.reserve(capacity)
  }

  reserve(capacity: number): void {
    this.highs = copyInto(new Uint32Array(capacity), this.highs)
    this.lows = copyInto(new Uint32Array(capacity), this.lows)
    this.sats = copyInto(new Float64Array(capacity), this.sats)
    this.costs = copyInto(new Float64Array(capacity), this.costs)
    this.types = copyInto(new Uint8Array(capacity), this.types)
    this.habits = copyInto(new Uint8Array(capacity), this.habits)
    this.lastDays = copyInto(new Int16Array(capacity), this.lastDays)
    if (!this.hasLarge) return
    this.largeSats = copyInto(new Float64Array(capacity), this.largeSats)
    this.largeCosts = copyInto(new Float64Array(capacity), this.largeCosts)
  }

  copy(from: AddressColumns, i: number, to: number): void {
    this.highs[to] = from.highs[i]!
    this.lows[to] = from.lows[i]!
    this.sats[to] = from.sats[i]!
    this.costs[to] = from.costs[i]!
    this.types[to] = from.types[i]!
    this.habits[to] = from.habits[i]!
    this.lastDays[to] = from.lastDays[i]!
    if (!this.hasLarge || !from.hasLarge) return
    this.largeSats[to] = from.largeSats[i]!
    this.largeCosts[to] = from.largeCosts[i]!
  }

  /** The used part of all columns. */
  get stored() {
    const { highs, lows, sats, costs, types, habits, lastDays } = this
    const large = this.hasLarge ? [this.largeSats, this.largeCosts] : []
    return [highs, lows, sats, costs, types, habits, lastDays, ...large].map((one) => one.subarray(0, this.length))
  }
}

/** Maximum load factor of the hash table. */
const maxLoad = 0.6

/** Hash table (open addressing) of addresses by identity. An address keeps its slot. */
export class AddressTable extends AddressColumns {
  /** Slot + 1, in the order of identities. */
  #places: Int32Array

  /** @param capacity number of addresses to reserve memory for */
  constructor(capacity: number) {
    super(Math.max(1024, capacity), true)
    this.#places = new Int32Array(2 ** Math.ceil(Math.log2(this.highs.length / maxLoad + 1)))
  }

  /** Returns the slot of an identity, and adds it if it is new. */
  add(high: number, low: number): number {
    const mask = this.#places.length - 1
    let at = this.#firstPlace(high)
    for (; ; at = (at + 1) & mask) {
      const slot = this.#places[at]! - 1
      if (slot < 0) break
      if (this.lows[slot] === low && this.highs[slot] === high) return slot
    }
    if (this.length === this.highs.length) this.reserve(2 * this.length)
    if (this.length >= maxLoad * this.#places.length) return this.#rehash(high, low)
    const slot = this.length++
    this.#places[at] = slot + 1
    this.highs[slot] = high
    this.lows[slot] = low
    this.lastDays[slot] = -1
    return slot
  }

  /** Returns the slot of an identity, or −1. */
  find(high: number, low: number): number {
    const mask = this.#places.length - 1
    for (let at = this.#firstPlace(high); ; at = (at + 1) & mask) {
      const slot = this.#places[at]! - 1
      if (slot < 0 || (this.lows[slot] === low && this.highs[slot] === high)) return slot
    }
  }

  /** Returns the slot of the other address of the same key (P2PKH or P2WPKH), or −1. */
  findPartner(slot: number): number {
    return hasPartner(this.types[slot]!) ? this.find(partnerHigh(this.highs[slot]!), this.lows[slot]!) : -1
  }

  /**
   * Identities are random; within a partition their four high bits are equal. Places are in the
   * order of identities, so that looking up a sorted list reads memory in order.
   */
  #firstPlace(high: number): number {
    return (high << 4) >>> (Math.clz32(this.#places.length) + 1)
  }

  #rehash(high: number, low: number): number {
    this.#places = new Int32Array(2 * this.#places.length)
    const mask = this.#places.length - 1
    for (let slot = 0; slot < this.length; slot++) {
      let at = this.#firstPlace(this.highs[slot]!)
      while (this.#places[at] !== 0) at = (at + 1) & mask
      this.#places[at] = slot + 1
    }
    return this.add(high, low)
  }
}
