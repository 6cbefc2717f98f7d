/**
 * An aggregate that grows by single values and merges with that of an adjacent range. Never
 * subtracts, so a huge value leaves no rounding error after it has left the window. A null (NaN)
 * makes the aggregate null.
 */
export interface Aggregate<State> {
  readonly empty: State
  readonly add: (state: State, value: number) => State
  readonly merge: (older: State, newer: State) => State
}

export const minimum: Aggregate<number> = { empty: Number.POSITIVE_INFINITY, add: Math.min, merge: Math.min }
export const maximum: Aggregate<number> = { empty: Number.NEGATIVE_INFINITY, add: Math.max, merge: Math.max }

/** Sum as the unrounded sum of two numbers, the second far smaller (Neumaier 1974). */
interface Sum {
  readonly count: number
  readonly high: number
  readonly low: number
}

export const sums: Aggregate<Sum> = {
  empty: { count: 0, high: 0, low: 0 },
  add: (sum, value) => {
    const high = sum.high + value
    return { count: sum.count + 1, high, low: sum.low + roundingError(sum.high, value, high) }
  },
  merge: (older, newer) => {
    const high = older.high + newer.high
    const low = older.low + newer.low + roundingError(older.high, newer.high, high)
    return { count: older.count + newer.count, high, low }
  },
}

export const total = ({ high, low }: Sum): number => high + low
export const mean = (sum: Sum): number => total(sum) / sum.count

/** Mean, unrounded as in Sum, and sum of squared deviations (Welford 1962, Chan et al. 1979). */
export interface Moments {
  readonly count: number
  readonly mean: number
  readonly meanLow: number
  readonly squares: number
}

export const moments: Aggregate<Moments> = {
  empty: { count: 0, mean: 0, meanLow: 0, squares: 0 },
  add: (older, value) => mergeMoments(older, { count: 1, mean: value, meanLow: 0, squares: 0 }),
  merge: mergeMoments,
}

/** Sample standard deviation (N − 1); NaN for a single value. */
export function deviation({ count, squares }: Moments): number {
  return Math.sqrt(squares / (count - 1))
}

/**
 * Distance of `value` from the mean in standard deviations; NaN or infinite if the deviation is 0.
 */
export function standardScore(of: Moments, value: number): number {
  return (value - of.mean - of.meanLow) / deviation(of)
}

const distanceBetween = (older: Moments, newer: Moments): number =>
  newer.mean - older.mean + (newer.meanLow - older.meanLow)

function mergeMoments(older: Moments, newer: Moments): Moments {
  const count = older.count + newer.count
  if (older.count === 0) return newer
  const distance = distanceBetween(older, newer)
  const shift = older.meanLow + distance * (newer.count / count)
  const mean = older.mean + shift
  return {
    count,
    mean,
    meanLow: roundingError(older.mean, shift, mean),
    squares: older.squares + newer.squares + distance * distance * ((older.count * newer.count) / count),
  }
}

/** Moments of two series, and the sum of the products of their deviations. */
export interface Pairs {
  readonly a: Moments
  readonly b: Moments
  readonly products: number
}

export function mergePairs(older: Pairs, newer: Pairs): Pairs {
  if (older.a.count === 0) return newer
  const weight = (older.a.count * newer.a.count) / (older.a.count + newer.a.count)
  const moved = distanceBetween(older.a, newer.a) * distanceBetween(older.b, newer.b) * weight
  return {
    a: mergeMoments(older.a, newer.a),
    b: mergeMoments(older.b, newer.b),
    products: older.products + newer.products + moved,
  }
}

/** Pearson's; NaN if a series does not move. */
export const correlation = ({ a, b, products }: Pairs): number =>
  Math.max(-1, Math.min(1, products / Math.sqrt(a.squares) / Math.sqrt(b.squares)))

/** Rounding error of `sum` = a + b (Knuth's two-sum). */
function roundingError(a: number, b: number, sum: number): number {
  const roundedB = sum - a
  return a - (sum - roundedB) + (b - roundedB)
}
