import type { Sample } from '../address-sample.ts'

/** An estimate with the bounds of its 95 % interval; equal to it if it is exact. */
export interface Estimate {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** Standard deviations on each side of a 95 % interval of the normal distribution. */
export const width = 1.959964

export interface SampledSum {
  /** Sum of the known parts of all addresses. */
  readonly known?: number
  /** Sums over the sample of the differences from what is known, and of their squares. */
  readonly difference: number
  readonly squares: number
  /** Difference of an address that the sample may lack. */
  readonly unseen: number
  /** Known part of the error, added to the estimate. */
  readonly correction?: number
  /**
   * Squared distances to the bounds of other parts of the sum, which need not be symmetric (MOVER,
   * Zou and Donner 2008).
   */
  readonly below?: number
  readonly above?: number
}

/**
 * Estimates a sum over all addresses. The interval is not empty even if no address in the sample
 * differs from what is known.
 */
export function estimateSum(
  sample: Sample,
  { known = 0, difference, squares, unseen, correction = 0, below = 0, above = 0 }: SampledSum,
): Estimate {
  const value = known + sample.modulus * difference + correction
  const own = (width * deviation(sample, squares, unseen)) ** 2
  const low = Math.max(0, value - Math.sqrt(own + below))
  return { value: Math.max(0, value), low, high: Math.max(0, value + Math.sqrt(own + above)) }
}

/**
 * Estimates the number of addresses with a property: those `known` to have it, and others
 * (`differing` in the sample). `squares` is larger if some are wrongly known to. Wilson's interval
 * covers rare properties too.
 */
export function estimateCount(sample: Sample, known: number, differing: number, squares = differing): Estimate {
  // The number of rare addresses is not symmetric: its interval is higher.
  const shift = squares === differing ? ((sample.modulus - 1) * width ** 2) / 2 : 0
  return around(known + sample.modulus * differing, width * deviation(sample, squares, 1), shift)
}

/** Rounding can leave sums of squares below 0. */
const deviation = ({ modulus }: Sample, squares: number, unseen: number): number =>
  Math.sqrt(modulus * (modulus - 1) * (Math.max(0, squares) + (width ** 2 / 4) * unseen ** 2))

const around = (value: number, halfWidth: number, shift = 0): Estimate => ({
  // A correction can be larger than a small sum.
  value: Math.max(0, value),
  low: Math.max(0, value + shift - halfWidth),
  high: Math.max(0, value + shift + halfWidth),
})

/** Half widths of an interval, as shares of the value. */
const hideAbove = 0.2
const showBelow = 0.1

/**
 * Returns whether to publish a value; `shownBefore` is true if that of the day before is published.
 */
export function isShown({ value, low, high }: Estimate, shownBefore: boolean): boolean {
  return (high - low) / 2 <= (shownBefore ? hideAbove : showBelow) * Math.abs(value)
}
