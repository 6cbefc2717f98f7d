import { minLargeSats, type Sample } from '../address-sample.ts'
import { GrowingColumns } from '../growing-columns.ts'

/** Outputs that addresses received (positive) or spent (negative), one row each. */
export const addressEventColumns = ['day', 'created_day', 'type', 'high', 'low', 'sats'] as const
export type AddressEventColumns = Readonly<Record<(typeof addressEventColumns)[number], Float64Array>>

/** Outputs of some addresses. */
export class AddressEvents {
  readonly isWanted: (high: number, low: number, sats: number) => boolean
  readonly #rows = new GrowingColumns(addressEventColumns)

  constructor(isWanted: AddressEvents['isWanted']) {
    this.isWanted = isWanted
  }

  /** A spent output has negative `sats`. */
  add(day: number, createdDay: number, type: number, high: number, low: number, sats: number): void {
    this.#rows.push([day, createdDay, type, high, low, sats])
  }

  take(): AddressEventColumns {
    return this.#rows.take()
  }
}

/** The outputs of a sample of the addresses, and large ones of all. */
export function createSampledEvents({ modulus, residue }: Sample): AddressEvents {
  const mask = modulus - 1
  return new AddressEvents(
    (high, low, sats) => ((low & mask) === residue || sats >= minLargeSats) && sats > 0 && (high | low) !== 0,
  )
}
