import { minLargeSats, type Sample } from '../address-sample.ts'
import { GrowingColumns } from '../growing-columns.ts'

/** Outputs that addresses received (positive) or spent (negative), one row each. */
export const addressEventColumns = ['day', 'created_day', 'type', 'high', 'low', 'sats'] as const
export type AddressEventColumns = Readonly<Record<(typeof addressEventColumns)[number], Float64Array>>

/** The outputs of a sample of the addresses, and large ones of all. */
export class AddressEvents {
  readonly #rows = new GrowingColumns(addressEventColumns)
  readonly #mask: number
  readonly #residue: number

  constructor({ modulus, residue }: Sample) {
    this.#mask = modulus - 1
    this.#residue = residue
  }

  isWanted(high: number, low: number, sats: number): boolean {
    if ((low & this.#mask) !== this.#residue && sats < minLargeSats) return false
    return sats > 0 && (high | low) !== 0
  }

  /** A spent output has negative `sats`. */
  add(day: number, createdDay: number, type: number, high: number, low: number, sats: number): void {
    this.#rows.push([day, createdDay, type, high, low, sats])
  }

  take(): AddressEventColumns {
    return this.#rows.take()
  }
}
