import type { FormulaSignature } from '#contract/formula-language.ts'
import { deviation, maximum, mean, minimum, moments, standardScore, sums, total } from './aggregates.ts'
import { expandingMedian, expandingPercentile, rollingMedian, rollingPercentile, rollingQuantile } from './median.ts'
import { type PointwiseOperation, power } from './operators.ts'
import { expanding, relativeStrength, rolling, rollingCorrelation, rowsSince, shift, smooth } from './windows.ts'

export type CumulativeOperation = (column: Float64Array) => Float64Array
/** The columns may be the ends of longer ones, from row `firstRow` on. */
export type RollingOperation = (
  column: Float64Array,
  window: number,
  firstRow: number,
  other?: Float64Array,
) => Float64Array

export interface FormulaFunction {
  readonly name: string
  /** `n` is a literal whole number of days; other operands are series or numbers. */
  readonly signature: FormulaSignature
  /** Set if each day's result depends only on that day's values. */
  readonly pointwise?: { readonly operands: number; readonly apply: PointwiseOperation }
  readonly cumulative?: CumulativeOperation
  readonly rolling?: {
    readonly minWindow: number
    readonly apply: RollingOperation
    /** A second series before the window, or a literal share of 0 to 1 after it. */
    readonly other?: 'series' | 'share'
    /** Each result depends on all earlier values, despite the window. */
    readonly endless?: boolean
  }
}

/** Raise it if a function returns other values: all definition versions then change. */
export const functionsVersion = 1

const functions: readonly FormulaFunction[] = [
  window('sma(s, n)', (s, n, at) => rolling(s, n, sums, mean, at)),
  endless('ema(s, n)', (s, n) => smooth(s, n, 2 / (n + 1))),
  window('median(s, n)', rollingMedian),
  window('sum(s, n)', (s, n, at) => rolling(s, n, sums, total, at)),
  window('std(s, n)', (s, n, at) => rolling(s, n, moments, deviation, at), 2),
  window('min(s, n)', (s, n, at) => rolling(s, n, minimum, identity, at)),
  window('max(s, n)', (s, n, at) => rolling(s, n, maximum, identity, at)),
  window('shift(s, n)', shift),
  window('diff(s, n)', (s, n) => withEarlier(s, n, (now, before) => now - before)),
  window('percent_change(s, n)', (s, n) => withEarlier(s, n, (now, before) => (100 * (now - before)) / before)),
  cumulative('cumsum(s)', (s) => expanding(s, sums, total)),
  cumulative('cummean(s)', (s) => expanding(s, sums, mean)),
  cumulative('cumstd(s)', (s) => expanding(s, moments, deviation)),
  cumulative('cummax(s)', (s) => expanding(s, maximum, identity)),
  cumulative('cummin(s)', (s) => expanding(s, minimum, identity)),
  cumulative('cummedian(s)', expandingMedian),
  {
    ...cumulative('zscore(s[, n])', (s) => expanding(s, moments, standardScore)),
    rolling: { minWindow: 2, apply: (s, n, at) => rolling(s, n, moments, standardScore, at) },
  },
  {
    ...cumulative('percentile(s[, n])', expandingPercentile),
    rolling: { minWindow: 2, apply: rollingPercentile },
  },
  {
    ...describe('quantile(s, n, q)'),
    rolling: { minWindow: 1, other: 'share', apply: (s, n, _, q = s) => rollingQuantile(s, n, q[0]!) },
  },
  {
    ...describe('corr(a, b, n)'),
    rolling: { minWindow: 2, other: 'series', apply: (a, n, at, b = a) => rollingCorrelation(a, b, n, at) },
  },
  endless('rsi(s, n)', relativeStrength),
  cumulative('days_since(cond)', rowsSince),
  pointwise('abs(s)', Math.abs),
  pointwise('log(s)', Math.log),
  pointwise('log10(s)', Math.log10),
  pointwise('exp(s)', Math.exp),
  pointwise('sqrt(s)', Math.sqrt),
  pointwise('pow(s, p)', power),
  pointwise('if(cond, a, b)', (cond, a, b) => {
    if (Number.isNaN(cond)) return Number.NaN
    return cond === 0 ? b : a
  }),
  pointwise('coalesce(a, b)', (a, b) => (Number.isNaN(a) ? b : a)),
]

/**
 * Functions of the language by name. A null in a window makes the window null. Cumulative functions
 * give null for a null value, then skip it.
 */
export const formulaFunctions: ReadonlyMap<string, FormulaFunction> = new Map(functions.map((one) => [one.name, one]))

function pointwise(signature: FormulaSignature, apply: PointwiseOperation): FormulaFunction {
  return { ...describe(signature), pointwise: { operands: signature.split(',').length, apply } }
}

function cumulative(signature: FormulaSignature, apply: CumulativeOperation): FormulaFunction {
  return { ...describe(signature), cumulative: apply }
}

function window(signature: FormulaSignature, apply: RollingOperation, minWindow = 1): FormulaFunction {
  return { ...describe(signature), rolling: { minWindow, apply } }
}

function endless(signature: FormulaSignature, apply: RollingOperation): FormulaFunction {
  return { ...describe(signature), rolling: { minWindow: 1, apply, endless: true } }
}

function describe(signature: FormulaSignature): FormulaFunction {
  return { name: signature.slice(0, signature.indexOf('(')), signature }
}

function identity(value: number): number {
  return value
}

function withEarlier(
  column: Float64Array,
  rows: number,
  combine: (now: number, before: number) => number,
): Float64Array {
  const earlier = shift(column, rows)
  return column.map((value, row) => combine(value, earlier[row]!))
}
