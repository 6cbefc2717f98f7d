import { hasPartner, partnerHigh } from '#ingest/chain/address-identity.ts'
import { copyInto } from '#ingest/chain/bytes.ts'

const minSlots = 1024

/** Balances and habits of the addresses of a partition, in columns by slot; slots are found by identity, by open addressing. */
export class AddressTable {
  length = 0
  highs = new Uint32Array(minSlots)
  lows = new Uint32Array(minSlots)
  /** In satoshis: of all coins, and of large ones. */
  sats = new Float64Array(minSlots)
  largeSats = new Float64Array(minSlots)
  /** In USD, of all coins and of large ones: their value when they were created. */
  costs = new Float64Array(minSlots)
  largeCosts = new Float64Array(minSlots)
  types = new Uint8Array(minSlots)
  /** `receivedBits`: number of received outputs, at most `severalReceived`; `hasSpent` and `hasSpentLarge`. */
  habits = new Uint8Array(minSlots)
  /** Counted from the first day of the chain. */
  lastDays = new Int32Array(minSlots)
  #slots = new Int32Array(4 * minSlots)

  find(high: number, low: number): number {
    const mask = this.#slots.length - 1
    let at = (low ^ Math.imul(high, 0x9e37_79b1)) & mask
    for (; ; at = (at + 1) & mask) {
      const slot = this.#slots[at]! - 1
      if (slot < 0) break
      if (this.lows[slot] === low && this.highs[slot] === high) return slot
    }
    if (this.length === this.highs.length) this.#grow()
    if (2 * this.length >= this.#slots.length) return this.#rehash(high, low)
    const slot = this.length++
    this.#slots[at] = slot + 1
    this.highs[slot] = high
    this.lows[slot] = low
    this.lastDays[slot] = -1
    return slot
  }

  /** The slot of the other address of its key, P2PKH or P2WPKH; −1 if it has none. */
  partner(slot: number): number {
    if (!hasPartner(this.types[slot]!)) return -1
    const [high, low] = [partnerHigh(this.highs[slot]!), this.lows[slot]!]
    const mask = this.#slots.length - 1
    for (let at = (low ^ Math.imul(high, 0x9e37_79b1)) & mask; ; at = (at + 1) & mask) {
      const other = this.#slots[at]! - 1
      if (other < 0 || (this.lows[other] === low && this.highs[other] === high)) return other
    }
  }

  #rehash(high: number, low: number): number {
    this.#slots = new Int32Array(2 * this.#slots.length)
    const mask = this.#slots.length - 1
    for (let slot = 0; slot < this.length; slot++) {
      let at = (this.lows[slot]! ^ Math.imul(this.highs[slot]!, 0x9e37_79b1)) & mask
      while (this.#slots[at] !== 0) at = (at + 1) & mask
      this.#slots[at] = slot + 1
    }
    return this.find(high, low)
  }

  #grow(): void {
    const size = 2 * this.highs.length
    this.highs = copyInto(new Uint32Array(size), this.highs)
    this.lows = copyInto(new Uint32Array(size), this.lows)
    this.sats = copyInto(new Float64Array(size), this.sats)
    this.largeSats = copyInto(new Float64Array(size), this.largeSats)
    this.costs = copyInto(new Float64Array(size), this.costs)
    this.largeCosts = copyInto(new Float64Array(size), this.largeCosts)
    this.types = copyInto(new Uint8Array(size), this.types)
    this.habits = copyInto(new Uint8Array(size), this.habits)
    this.lastDays = copyInto(new Int32Array(size), this.lastDays)
  }

  /**
   * The slots that `isKept`, packed: identity, last day and habits of each as two numbers, first those that hold coins; and for
   * these their four sums and type. See `restore`.
   */
  capture(isKept: (slot: number) => boolean): { addresses: Float64Array; balances: Float64Array } {
    const kept = Array.from({ length: this.length }, (_, slot) => slot).filter(isKept)
    const funded = kept.filter((slot) => this.sats[slot]! > 0)
    const emptied = kept.filter((slot) => this.sats[slot] === 0)
    const addresses = new Float64Array(2 * kept.length)
    const words = new Uint32Array(addresses.buffer)
    for (const [i, slot] of [...funded, ...emptied].entries()) {
      words[4 * i] = this.highs[slot]!
      words[4 * i + 1] = this.lows[slot]!
      words[4 * i + 2] = this.lastDays[slot]!
      words[4 * i + 3] = this.habits[slot]!
    }
    const balances = new Float64Array(balanceColumns * funded.length)
    for (const [i, slot] of funded.entries()) {
      const values = [this.sats, this.largeSats, this.costs, this.largeCosts, this.types].map((column) => column[slot]!)
      balances.set(values, balanceColumns * i)
    }
    return { addresses, balances }
  }

  /** The identities of slots that hold nothing and have spent large outputs, packed; see `restoreSpent`. */
  captureSpent(isKept: (slot: number) => boolean): Float64Array {
    const kept = Array.from({ length: this.length }, (_, slot) => slot).filter(
      (slot) => this.sats[slot] === 0 && (this.habits[slot]! & hasSpentLarge) !== 0 && isKept(slot),
    )
    const identities = new Float64Array(kept.length)
    const words = new Uint32Array(identities.buffer)
    for (const [i, slot] of kept.entries()) words.set([this.highs[slot]!, this.lows[slot]!], 2 * i)
    return identities
  }

  restoreSpent(identities: Float64Array): void {
    const words = new Uint32Array(identities.buffer, identities.byteOffset, 2 * identities.length)
    for (let at = 0; at < words.length; at += 2) {
      this.habits[this.find(words[at]!, words[at + 1]!)] = hasSpent | hasSpentLarge
    }
  }

  restore(addresses: Float64Array, balances: Float64Array): void {
    const words = new Uint32Array(addresses.buffer, addresses.byteOffset, 2 * addresses.length)
    for (let at = 0; at < words.length; at += 4) {
      const slot = this.find(words[at]!, words[at + 1]!)
      this.lastDays[slot] = words[at + 2]!
      this.habits[slot] = words[at + 3]!
      const own = balances.subarray((at / 4) * balanceColumns)
      if (own.length === 0) continue
      this.sats[slot] = own[0]!
      this.largeSats[slot] = own[1]!
      this.costs[slot] = own[2]!
      this.largeCosts[slot] = own[3]!
      this.types[slot] = own[4]!
    }
  }
}

const balanceColumns = 5

/** Bits of `habits`. */
export const severalReceived = 2
export const receivedBits = 3
export const hasSpent = 4
export const hasSpentLarge = 8
