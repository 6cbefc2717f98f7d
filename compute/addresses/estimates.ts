import type { Sample } from '../address-sample.ts'

/** An estimate with the bounds of its 95 % interval; equal to it if it is exact. */
export interface Estimate {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** Standard deviations on each side of a 95 % interval of the normal distribution. */
const width = 1.959964

export interface SampledSum {
  /** The sum over all addresses of what is known for each. */
  readonly known?: number
  /** Sums over the sample: by how much it differs from what is known, and the squares of that. */
  readonly difference: number
  readonly squares: number
  /** The difference of an address of which none may be in the sample; 1 for counts. */
  readonly unseen?: number
  /** What is known of the error; see `BalancePass`. */
  readonly correction?: number
}

/**
 * The sum over all addresses, of whose differences a sample was taken. Its interval is that of Wilson for rare events, so it is not
 * empty if no address in the sample differs.
 */
export function estimateSum(
  { modulus }: Sample,
  { known = 0, difference, squares, unseen = 1, correction = 0 }: SampledSum,
): Estimate {
  const value = known + modulus * difference + correction
  // Rounding can leave less than nothing.
  const deviation = Math.sqrt(modulus * (modulus - 1) * (Math.max(0, squares) + (width ** 2 / 4) * unseen ** 2))
  // What counts up is missed more often than seen twice.
  const shift = squares === difference ? ((modulus - 1) * width ** 2) / 2 : 0
  return { value, low: Math.max(0, value + shift - width * deviation), high: value + shift + width * deviation }
}

/** A value without an interval; of a sample it is not shown. */
export const withoutInterval = ({ modulus }: Sample, value: number): Estimate =>
  modulus === 1 ? { value, low: value, high: value } : { value, low: Number.NaN, high: Number.NaN }

/** Least half width of an interval, as a share of the value, from which a series is hidden, and the one at which it shows again. */
const hideAbove = 0.2
const showBelow = 0.1

/** Whether to publish a value, given whether the one of the day before was. */
export function isShown({ value, low, high }: Estimate, shownBefore: boolean): boolean {
  return (high - low) / 2 <= (shownBefore ? hideAbove : showBelow) * Math.abs(value)
}
