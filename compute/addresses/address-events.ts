import { copyInto } from '#ingest/chain/bytes.ts'
import { minLargeSats, type Sample } from '../address-sample.ts'

/**
 * Outputs that addresses received or spent, one row each: unix days, script type, the words of the
 * identity, satoshis.
 */
export interface AddressEventColumns {
  readonly day: Int32Array
  readonly created_day: Int32Array
  readonly type: Int32Array
  readonly high: Uint32Array
  readonly low: Uint32Array
  readonly received_sats: BigInt64Array
  readonly spent_sats: BigInt64Array
}

/**
 * Outputs of some addresses. With all addresses there are as many as the chain has, so that adding
 * one allocates nothing.
 */
export class AddressEvents {
  readonly isWanted: (high: number, low: number, sats: number) => boolean
  #rows = 0
  #days = new Int32Array(1024)
  #createdDays = new Int32Array(1024)
  #types = new Int32Array(1024)
  #highs = new Uint32Array(1024)
  #lows = new Uint32Array(1024)
  /** Two words each. */
  #received = new Uint32Array(2048)
  #spent = new Uint32Array(2048)

  constructor(isWanted: AddressEvents['isWanted']) {
    this.isWanted = isWanted
  }

  /** A spent output has negative `sats`. */
  add(day: number, createdDay: number, type: number, high: number, low: number, sats: number): void {
    if (this.#rows === this.#days.length) this.#grow()
    const row = this.#rows++
    this.#days[row] = day
    this.#createdDays[row] = createdDay
    this.#types[row] = type
    this.#highs[row] = high
    this.#lows[row] = low
    const words = sats < 0 ? this.#spent : this.#received
    words[2 * row] = Math.abs(sats)
    words[2 * row + 1] = Math.abs(sats) / 2 ** 32
  }

  take(): AddressEventColumns {
    const rows = this.#rows
    return {
      day: this.#days.slice(0, rows),
      created_day: this.#createdDays.slice(0, rows),
      type: this.#types.slice(0, rows),
      high: this.#highs.slice(0, rows),
      low: this.#lows.slice(0, rows),
      received_sats: new BigInt64Array(this.#received.slice(0, 2 * rows).buffer),
      spent_sats: new BigInt64Array(this.#spent.slice(0, 2 * rows).buffer),
    }
  }

  #grow(): void {
    const size = 2 * this.#days.length
    this.#days = copyInto(new Int32Array(size), this.#days)
    this.#createdDays = copyInto(new Int32Array(size), this.#createdDays)
    this.#types = copyInto(new Int32Array(size), this.#types)
    this.#highs = copyInto(new Uint32Array(size), this.#highs)
    this.#lows = copyInto(new Uint32Array(size), this.#lows)
    this.#received = copyInto(new Uint32Array(2 * size), this.#received)
    this.#spent = copyInto(new Uint32Array(2 * size), this.#spent)
  }
}

/** The outputs of a sample of the addresses, and large ones of all. */
export function createSampledEvents({ modulus, residue }: Sample): AddressEvents {
  const mask = modulus - 1
  return new AddressEvents(
    (high, low, sats) => ((low & mask) === residue || sats >= minLargeSats) && sats > 0 && (high | low) !== 0,
  )
}
