// Documents the formulas of `sql/formula` as plain values: pages load no schemas with it.

export const formulaWords = [
  { name: 'and', signature: 'a and b', description: '1 where both are true (not 0), else 0' },
  { name: 'or', signature: 'a or b', description: '1 where one of both is true, else 0' },
  { name: 'not', signature: 'not a', description: '1 where a is 0, else 0; looser than comparisons, tighter than and' },
] as const

/** `n` is a whole number of days; other operands are series or numbers. */
export const formulaFunctionDescriptions = {
  'sma(s, n)': 'mean (moving average) of the last n values',
  'ema(s, n)': 'exponential mean, k = 2/(n + 1); starts with the first full sma, and restarts after a null',
  'median(s, n)': 'median of the last n values',
  'sum(s, n)': 'sum of the last n values',
  'std(s, n)': 'sample standard deviation (N − 1) of the last n values',
  'min(s, n)': 'lowest of the last n values',
  'max(s, n)': 'highest of the last n values',
  'shift(s, n)': 'the value of n days earlier',
  'diff(s, n)': 'change since n days earlier',
  'percent_change(s, n)': 'change since n days earlier in percent: 100·(s/shift(s, n) − 1)',
  'cumsum(s)': 'sum of all values so far',
  'cummean(s)': 'mean of all values so far',
  'cumstd(s)': 'sample standard deviation (N − 1) of all values so far; null at the first',
  'cummax(s)': 'highest of all values so far',
  'cummin(s)': 'lowest of all values so far',
  'cummedian(s)': 'median of all values so far',
  'zscore(s[, n])': 'z-score, (value − mean)/std of the last n values, or of all values so far; null if the std is 0',
  'percentile(s[, n])': 'percent of the last n values, or of all so far, that are at most the newest one',
  'quantile(s, n, q)':
    'percentile band: the value that a share q (0 to 1) of the last n values do not exceed, interpolated; 0.5 is the median',
  'corr(a, b, n)': 'correlation (Pearson) of the last n values of two series; null if one of them does not change',
  'rsi(s, n)': "Wilder's relative strength index, 0 to 100; null if no value changed, starts again after a null",
  'days_since(cond)':
    'days since cond was last true: 0 if it is true that day, null before the first time and if cond is null',
  'abs(s)': 'absolute value',
  'log(s)': 'natural logarithm; null for s ≤ 0',
  'log10(s)': 'logarithm to base 10; null for s ≤ 0',
  'exp(s)': 'e to the power of s',
  'sqrt(s)': 'square root; null for s < 0',
  'pow(s, p)': 's to the power of p, as s ^ p',
  'if(cond, a, b)': 'a if cond is true (not 0), b if it is 0, null if it is null',
  'coalesce(a, b)': 'a, or b if a is null',
} as const

export type FormulaSignature = keyof typeof formulaFunctionDescriptions

export const formulaLanguage = `Formulas are made of metric ids, numbers, + - * / ^, comparisons (< <= > >= == !=, 1 if true, 0 if not), parentheses, and:
${[
  ...formulaWords.map(({ signature, description }) => [signature, description]),
  ...Object.entries(formulaFunctionDescriptions),
]
  .map(([signature, description]) => `${signature}: ${description}`)
  .join('\n')}
s is a series or a number, n a whole number of days. A null among the last n values makes a window null; functions of all values so far leave nulls out. Division by zero is null.`

export const formulaSummary = Object.keys(formulaFunctionDescriptions).join(' ').replaceAll(', ', ',')
