import { hasPartner, partnerHigh } from '#ingest/chain/address-identity.ts'
import { copyInto } from '#ingest/chain/bytes.ts'

const minSlots = 1024
/** Share of the places of slots that may be taken. */
const maxLoad = 0.6

/**
 * Balances and habits of the addresses of a partition, in columns by slot; slots are found by
 * identity, by open addressing in its order.
 */
export class AddressTable {
  length = 0
  highs: Uint32Array
  lows: Uint32Array
  /** In satoshis: of all coins, and of large ones. */
  sats: Float64Array
  largeSats: Float64Array
  /** In USD, of all coins and of large ones: their value when they were created. */
  costs: Float64Array
  largeCosts: Float64Array
  types: Uint8Array
  /**
   * `receivedBits`: number of received outputs, at most `severalReceived`; `hasSpent` and
   * `hasSpentLarge`.
   */
  habits: Uint8Array
  /** Counted from the first day of the chain. */
  lastDays: Int32Array
  /** The last day of the pass with an event, and 1 if the address held coins before that day. */
  touchedDays: Int32Array
  wasFunded: Uint8Array
  #slots: Int32Array
  /** What was saved of addresses without coins, packed; the table has only some of them. */
  #saved: Readonly<Record<'addresses' | 'spent', Uint32Array>> = {
    addresses: new Uint32Array(0),
    spent: new Uint32Array(0),
  }

  /** With memory for so many addresses; it grows for more. */
  constructor(capacity = minSlots) {
    this.highs = new Uint32Array(capacity)
    this.lows = new Uint32Array(capacity)
    this.sats = new Float64Array(capacity)
    this.largeSats = new Float64Array(capacity)
    this.costs = new Float64Array(capacity)
    this.largeCosts = new Float64Array(capacity)
    this.types = new Uint8Array(capacity)
    this.habits = new Uint8Array(capacity)
    this.lastDays = new Int32Array(capacity)
    this.touchedDays = new Int32Array(capacity)
    this.wasFunded = new Uint8Array(capacity)
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(capacity / maxLoad + 1)))
  }

  /** The slot of an identity, which may be new. */
  find(high: number, low: number): number {
    const mask = this.#slots.length - 1
    let at = this.#firstPlace(high)
    for (; ; at = (at + 1) & mask) {
      const slot = this.#slots[at]! - 1
      if (slot < 0) break
      if (this.lows[slot] === low && this.highs[slot] === high) return slot
    }
    if (this.length === this.highs.length) this.#grow()
    if (this.length >= maxLoad * this.#slots.length) return this.#rehash(high, low)
    const slot = this.length++
    this.#slots[at] = slot + 1
    this.highs[slot] = high
    this.lows[slot] = low
    this.lastDays[slot] = -1
    this.touchedDays[slot] = -1
    return slot
  }

  /** Notes that a day, of which an address had no event yet, has one. */
  touch(slot: number, day: number): void {
    this.touchedDays[slot] = day
    this.wasFunded[slot] = Number(this.sats[slot]! > 0)
  }

  /** The slot of the other address of its key, P2PKH or P2WPKH; −1 if it has none. */
  partner(slot: number): number {
    return hasPartner(this.types[slot]!) ? this.place(partnerHigh(this.highs[slot]!), this.lows[slot]!) : -1
  }

  /** The slot of an identity; −1 if there is none. */
  place(high: number, low: number): number {
    const mask = this.#slots.length - 1
    for (let at = this.#firstPlace(high); ; at = (at + 1) & mask) {
      const slot = this.#slots[at]! - 1
      if (slot < 0 || (this.lows[slot] === low && this.highs[slot] === high)) return slot
    }
  }

  /**
   * Identities are random bits, of which those of the partition are the same. In order of
   * identities, memory is read in order, too.
   */
  #firstPlace(high: number): number {
    return (high << 4) >>> (Math.clz32(this.#slots.length) + 1)
  }

  #rehash(high: number, low: number): number {
    this.#slots = new Int32Array(2 * this.#slots.length)
    const mask = this.#slots.length - 1
    for (let slot = 0; slot < this.length; slot++) {
      let at = this.#firstPlace(this.highs[slot]!)
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
    this.touchedDays = copyInto(new Int32Array(size), this.touchedDays)
    this.wasFunded = copyInto(new Uint8Array(size), this.wasFunded)
  }

  /**
   * The slots that `isKept`, packed: identity, last day and habits of each as two numbers, first
   * those that hold coins; for these their four sums and type; and the identities of the other
   * slots that hold nothing and have spent large outputs. See `restore`.
   */
  capture(isKept: (slot: number) => boolean): SavedAddresses {
    const slots = Array.from({ length: this.length }, (_, slot) => slot)
    const kept = slots.filter(isKept)
    const funded = kept.filter((slot) => this.sats[slot]! > 0)
    const emptied = kept.filter((slot) => this.sats[slot] === 0)
    const unread = this.#unread(this.#saved.addresses, addressWords)
    const addresses = new Uint32Array(addressWords * kept.length + unread.length)
    for (const [i, slot] of [...funded, ...emptied].entries()) {
      const habits = this.habits[slot]!
      addresses.set([this.highs[slot]!, this.lows[slot]!, this.lastDays[slot]!, habits], addressWords * i)
    }
    addresses.set(unread, addressWords * kept.length)
    const balances = new Float64Array(balanceColumns * funded.length)
    for (const [i, slot] of funded.entries()) {
      const values = [this.sats, this.largeSats, this.costs, this.largeCosts, this.types].map((column) => column[slot]!)
      balances.set(values, balanceColumns * i)
    }
    const others = slots.filter(
      (slot) => this.sats[slot] === 0 && (this.habits[slot]! & hasSpentLarge) !== 0 && !isKept(slot),
    )
    const unreadSpent = this.#unread(this.#saved.spent, spentWords)
    const spent = new Uint32Array(spentWords * others.length + unreadSpent.length)
    for (const [i, slot] of others.entries()) spent.set([this.highs[slot]!, this.lows[slot]!], spentWords * i)
    spent.set(unreadSpent, spentWords * others.length)
    return { addresses: new Float64Array(addresses.buffer), balances, spent: new Float64Array(spent.buffer) }
  }

  /**
   * Reads saved addresses. Of those that hold nothing, of which there are many times as many, only
   * those that `events` concern, themselves or by the other address of their key, or whose other
   * address holds coins; `capture` saves the rest as it was.
   */
  restore({ addresses, balances, spent }: SavedAddresses, { count, highs, lows }: TouchedAddresses): void {
    const words = new Uint32Array(addresses.buffer, addresses.byteOffset, 2 * addresses.length)
    const fundedWords = (balances.length / balanceColumns) * addressWords
    for (let at = 0; at < fundedWords; at += addressWords) {
      const slot = this.#restoreAddress(words, at)
      const own = balances.subarray((at / addressWords) * balanceColumns)
      this.sats[slot] = own[0]!
      this.largeSats[slot] = own[1]!
      this.costs[slot] = own[2]!
      this.largeCosts[slot] = own[3]!
      this.types[slot] = own[4]!
    }
    for (let i = 0; i < count; i++) this.find(highs[i]!, lows[i]!)
    this.#saved = {
      addresses: words.subarray(fundedWords),
      spent: new Uint32Array(spent.buffer, spent.byteOffset, 2 * spent.length),
    }
    const keys = this.#markKeys()
    this.#readNeeded(keys, this.#saved.addresses, addressWords, (known, at) => this.#restoreAddress(known, at))
    this.#readNeeded(keys, this.#saved.spent, spentWords, (known, at) => {
      this.habits[this.find(known[at]!, known[at + 1]!)] = hasSpent | hasSpentLarge
    })
  }

  #restoreAddress(words: Uint32Array, at: number): number {
    const slot = this.find(words[at]!, words[at + 1]!)
    this.lastDays[slot] = words[at + 2]!
    this.habits[slot] = words[at + 3]!
    return slot
  }

  /** 1 at the marks of the keys in the table, and of some others. */
  #markKeys(): Uint8Array {
    const keys = new Uint8Array(2 ** markBits)
    for (let slot = 0; slot < this.length; slot++) keys[toMark(this.highs[slot]!, this.lows[slot]!)] = 1
    return keys
  }

  /** Passes the records of addresses in the table, or with their other address there, to `read`. */
  #readNeeded(
    keys: Uint8Array,
    words: Uint32Array,
    size: number,
    read: (words: Uint32Array, at: number) => void,
  ): void {
    for (let at = 0; at < words.length; at += size) {
      const high = words[at]!
      const low = words[at + 1]!
      // Nearly all records end here: a look into a small table.
      if (keys[toMark(high, low)] === 0) continue
      if (this.place(high, low) >= 0 || this.place(partnerHigh(high), low) >= 0) read(words, at)
    }
  }

  /** The records of addresses that are not in the table. */
  #unread(words: Uint32Array, size: number): Uint32Array {
    const unread = new Uint32Array(words.length)
    let length = 0
    for (let at = 0; at < words.length; at += size) {
      if (this.place(words[at]!, words[at + 1]!) >= 0) continue
      for (let i = 0; i < size; i++) unread[length++] = words[at + i]!
    }
    return unread.subarray(0, length)
  }
}

const markBits = 20

/** The same for both addresses of a key. */
const toMark = (high: number, low: number): number => (low ^ Math.imul(high >>> 1, 0x9e37_79b1)) >>> (32 - markBits)

/** The addresses of a partition between two runs, packed by `capture`. */
export interface SavedAddresses {
  readonly addresses: Float64Array
  readonly balances: Float64Array
  readonly spent: Float64Array
}

/** The identities of events. */
interface TouchedAddresses {
  readonly count: number
  readonly highs: Uint32Array
  readonly lows: Uint32Array
}

const addressWords = 4
const spentWords = 2
const balanceColumns = 5

/** Bits of `habits`. */
export const severalReceived = 2
export const receivedBits = 3
export const hasSpent = 4
export const hasSpentLarge = 8
