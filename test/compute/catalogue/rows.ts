import { mean, type Values, windows } from '#test/sql/formula/naive.ts'

/** Combines series day by day; where one is null, or the result not finite, the result is null. */
export function each(combine: (...values: number[]) => number, ...series: readonly Values[]): Values {
  return (series[0] ?? []).map((_, row) => {
    const values = series.map((one) => one[row] ?? null).filter((value) => value !== null)
    const result = values.length < series.length ? Number.NaN : combine(...values)
    return Number.isFinite(result) ? result : null
  })
}

export const over = (a: Values, b: Values): Values => each((x, y) => x / y, a, b)
export const by = (a: Values, b: Values): Values => each((x, y) => x * y, a, b)
export const less = (a: Values, b: Values): Values => each((x, y) => x - y, a, b)
export const times = (series: Values, factor: number): Values => each((value) => factor * value, series)

/** Sum of all values so far. */
export function running(series: Values): Values {
  let sum = 0
  return series.map((value) => {
    if (value === null) return null
    sum += value
    return sum
  })
}

export const average = (series: Values, days: number): Values => windows(series, days, mean)
