import type { Sample } from '../address-sample.ts'

/** An estimate with its 95 % interval; an exact value equals both bounds. */
export interface Estimate {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** Half width of a 95 % interval of the normal distribution, in standard deviations. */
export const width = 1.959964

export interface SampledSum {
  /** Sum of the known parts of all addresses. */
  readonly known?: number
  /** Sample sums of the differences from the known parts, and of their squares. */
  readonly difference: number
  readonly squares: number
  /** How much one address could add that the sample happens to miss; it widens the interval. */
  readonly unseen: number
  /** Known error, added to the estimate. */
  readonly correction?: number
  /**
   * For further parts with intervals of their own: squared distance from their value to their lower
   * and upper bound (MOVER, Zou and Donner 2008).
   */
  readonly below?: number
  readonly above?: number
}

/**
 * Estimates a sum over all addresses. The interval has a width even if no sampled address differs
 * from the known parts.
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
 * Estimates the number of addresses with a property. `known` counts all that have it by their large
 * coins alone; `differing` corrects that from the sample. A sampled address can be in one band by
 * its large coins, where `known` counts it, and in a higher one by all its coins: it counts −1 in
 * `differing` of the lower band, and 1 in `squares`.
 */
export function estimateCount(sample: Sample, known: number, differing: number, squares = differing): Estimate {
  // If all differences are 1, this is Wilson's interval, whose centre is above the value.
  const shift = squares === differing ? ((sample.modulus - 1) * width ** 2) / 2 : 0
  return around(known + sample.modulus * differing, width * deviation(sample, squares, 1), shift)
}

/** Rounding can leave sums of squares below 0. */
const deviation = ({ modulus }: Sample, squares: number, unseen: number): number =>
  Math.sqrt(modulus * (modulus - 1) * (Math.max(0, squares) + (width ** 2 / 4) * unseen ** 2))

const around = (value: number, halfWidth: number, shift = 0): Estimate => ({
  // A correction can exceed a small sum.
  value: Math.max(0, value),
  low: Math.max(0, value + shift - halfWidth),
  high: Math.max(0, value + shift + halfWidth),
})

/** Half width of the interval as a share of the value. */
const hideAbove = 0.2
const showBelow = 0.1

/** Returns whether to publish a value; `shownBefore`: the day before is published. */
export function isShown({ value, low, high }: Estimate, shownBefore: boolean): boolean {
  return (high - low) / 2 <= (shownBefore ? hideAbove : showBelow) * Math.abs(value)
}
