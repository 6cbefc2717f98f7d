import { deviation, greatest, least, mean, moments, standardScore, sums, total } from './aggregates.ts'
import { expandingMedian, rollingMedian } from './median.ts'
import { type PointwiseOperation, power } from './operators.ts'
import { expanding, relativeStrength, rolling, rowsSince, shifted, smoothed } from './windows.ts'

export type CumulativeOperation = (column: Float64Array) => Float64Array
/** The column may be the end of a longer one, so many rows into it. */
export type RollingOperation = (column: Float64Array, window: number, firstRow: number) => Float64Array

export interface FormulaFunction {
  readonly name: string
  /** As shown to users: `n` is a whole number of days written as a literal, all else are series or numbers. */
  readonly signature: string
  readonly description: string
  /** Set if each day's result follows from that day's values alone. */
  readonly pointwise?: { readonly operands: number; readonly apply: PointwiseOperation }
  /** Set if the function can be called with a series alone. */
  readonly cumulative?: CumulativeOperation
  /** Set if the function can be called with a series and a window. */
  readonly rolling?: {
    readonly leastWindow: number
    readonly apply: RollingOperation
    /** Each result depends on all values so far, for all the window. */
    readonly endless?: boolean
  }
}

const functions: readonly FormulaFunction[] = [
  window('sma(s, n)', 'mean of the last n values', (s, n, at) => rolling(s, n, sums, mean, at)),
  endless(
    'ema(s, n)',
    'exponential mean, k = 2/(n + 1); starts at the first full sma, and again so after a null',
    (s, n) => smoothed(s, n, 2 / (n + 1)),
  ),
  window('median(s, n)', 'median of the last n values', rollingMedian),
  window('sum(s, n)', 'sum of the last n values', (s, n, at) => rolling(s, n, sums, total, at)),
  window(
    'std(s, n)',
    'sample standard deviation (N − 1) of the last n values',
    (s, n, at) => rolling(s, n, moments, deviation, at),
    2,
  ),
  window('min(s, n)', 'least of the last n values', (s, n, at) => rolling(s, n, least, itself, at)),
  window('max(s, n)', 'greatest of the last n values', (s, n, at) => rolling(s, n, greatest, itself, at)),
  window('shift(s, n)', 'the value of n days earlier', shifted),
  window('diff(s, n)', 'change since n days earlier', (s, n) => withEarlier(s, n, (now, before) => now - before)),
  window('percent_change(s, n)', 'change since n days earlier in percent: 100·(s/shift(s, n) − 1)', (s, n) =>
    withEarlier(s, n, (now, before) => (100 * (now - before)) / before),
  ),
  cumulative('cumsum(s)', 'sum of all values so far', (s) => expanding(s, sums, total)),
  cumulative('cummean(s)', 'mean of all values so far', (s) => expanding(s, sums, mean)),
  cumulative('cumstd(s)', 'sample standard deviation (N − 1) of all values so far; null at the first', (s) =>
    expanding(s, moments, deviation),
  ),
  cumulative('cummax(s)', 'greatest of all values so far', (s) => expanding(s, greatest, itself)),
  cumulative('cummin(s)', 'least of all values so far', (s) => expanding(s, least, itself)),
  cumulative('cummedian(s)', 'median of all values so far', expandingMedian),
  {
    ...cumulative(
      'zscore(s[, n])',
      '(value − mean)/std of the last n values, or of all values so far; null where the std is 0',
      (s) => expanding(s, moments, standardScore),
    ),
    rolling: { leastWindow: 2, apply: (s, n, at) => rolling(s, n, moments, standardScore, at) },
  },
  endless(
    'rsi(s, n)',
    "Wilder's relative strength index, 0 to 100; null where no value changed, starts again after a null",
    relativeStrength,
  ),
  cumulative(
    'days_since(cond)',
    'days since cond was last true: 0 where it is, null before the first time and where cond is null',
    rowsSince,
  ),
  pointwise('abs(s)', 'absolute value', Math.abs),
  pointwise('log(s)', 'natural logarithm; null for s ≤ 0', Math.log),
  pointwise('log10(s)', 'logarithm to base 10; null for s ≤ 0', Math.log10),
  pointwise('exp(s)', 'e to the power of s', Math.exp),
  pointwise('sqrt(s)', 'square root; null for s < 0', Math.sqrt),
  pointwise('pow(s, p)', 's to the power of p, as s ^ p', power),
  pointwise('if(cond, a, b)', 'a where cond is true (not 0), b where it is 0, null where it is null', (cond, a, b) => {
    if (Number.isNaN(cond)) return Number.NaN
    return cond === 0 ? b : a
  }),
  pointwise('coalesce(a, b)', 'a, or b where a is null', (a, b) => (Number.isNaN(a) ? b : a)),
]

/**
 * Every function of the language, by name. A null among the last n values makes a window null. Functions of all values
 * so far are null where the value is, and leave it out afterwards.
 */
export const formulaFunctions: ReadonlyMap<string, FormulaFunction> = new Map(functions.map((one) => [one.name, one]))

function pointwise(signature: string, description: string, apply: PointwiseOperation): FormulaFunction {
  return { ...described(signature, description), pointwise: { operands: signature.split(',').length, apply } }
}

function cumulative(signature: string, description: string, apply: CumulativeOperation): FormulaFunction {
  return { ...described(signature, description), cumulative: apply }
}

function window(signature: string, description: string, apply: RollingOperation, leastWindow = 1): FormulaFunction {
  return { ...described(signature, description), rolling: { leastWindow, apply } }
}

function endless(signature: string, description: string, apply: RollingOperation): FormulaFunction {
  return { ...described(signature, description), rolling: { leastWindow: 1, apply, endless: true } }
}

function described(signature: string, description: string): FormulaFunction {
  return { name: signature.slice(0, signature.indexOf('(')), signature, description }
}

function itself(value: number): number {
  return value
}

function withEarlier(
  column: Float64Array,
  rows: number,
  combine: (now: number, before: number) => number,
): Float64Array {
  const earlier = shifted(column, rows)
  return column.map((value, row) => combine(value, earlier[row]!))
}
