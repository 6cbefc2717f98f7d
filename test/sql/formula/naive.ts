/**
 * The functions of the formula language again, plain: what looks back upon a window takes it anew
 * for every row.
 */
export type Values = (number | null)[]

export function windows(values: Values, n: number, ofWindow: (window: number[]) => number | null): Values {
  const numbers = values.map((value) => value ?? Number.NaN)
  let lastNull = -1
  return values.map((value, row) => {
    if (value === null) lastNull = row
    const first = row - n + 1
    return first > lastNull ? ofWindow(numbers.slice(first, row + 1)) : null
  })
}

export function soFar(values: Values, ofValues: (values: number[]) => number | null): Values {
  const known: number[] = []
  return values.map((value) => {
    if (value === null) return null
    known.push(value)
    return ofValues(known)
  })
}

export function pairwise(a: Values, b: Values, operation: (a: number, b: number) => number): Values {
  return a.map((left, row) => {
    const right = b[row]
    if (left === null || right === null || right === undefined) return null
    const result = operation(left, right)
    return Number.isFinite(result) ? result : null
  })
}

export const earlier = (values: Values, n: number): Values => values.map((_, row) => values[row - n] ?? null)

export const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)
export const mean = (values: number[]): number => sum(values) / values.length

export function median(values: number[]): number {
  const sorted = Float64Array.from(values).sort()
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2
}

export function quantile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  const place = share * (sorted.length - 1)
  const [lower, upper] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
  return lower + (place - Math.floor(place)) * (upper - lower)
}

/**
 * In two passes, over the distances from the last value, so that a large common part costs no
 * digits.
 */
export function std(values: number[]): number | null {
  if (values.length < 2) return null
  const distances = values.map((value) => value - values.at(-1)!)
  const center = mean(distances)
  return Math.sqrt(sum(distances.map((distance) => (distance - center) ** 2)) / (values.length - 1))
}

export function zscore(values: number[]): number | null {
  const deviation = std(values)
  return deviation === null || deviation === 0 ? null : -mean(values.map((value) => value - values.at(-1)!)) / deviation
}

export const percentile = (values: number[]): number =>
  (100 * values.filter((value) => value <= values.at(-1)!).length) / values.length

/** Pearson's, in two passes over the distances from the last pair. */
export function correlation(a: number[], b: number[]): number | null {
  const distances = [a, b].map((values) => values.map((value) => value - values.at(-1)!))
  const [left, right] = distances.map((values) => {
    const center = mean(values)
    return values.map((value) => value - center)
  })
  const size = Math.sqrt(sum(left!.map((value) => value ** 2))) * Math.sqrt(sum(right!.map((value) => value ** 2)))
  return size === 0 ? null : sum(left!.map((value, i) => value * right![i]!)) / size
}

/** From the mean of the n values since the last null onward, `step` by `step`. */
export function smoothed(values: Values, n: number, step: (before: number, value: number) => number): Values {
  let first: number[] = []
  let last: number | null = null
  return values.map((value) => {
    if (value === null) {
      first = []
      last = null
    } else if (last === null) {
      first.push(value)
      if (first.length === n) last = mean(first)
    } else last = step(last, value)
    return last
  })
}

export function rsi(values: Values, n: number): Values {
  const changes = pairwise(values, earlier(values, 1), (now, before) => now - before)
  const wilder = (part: (change: number) => number): Values =>
    smoothed(
      changes.map((change) => (change === null ? null : part(change))),
      n,
      (before, value) => (before * (n - 1) + value) / n,
    )
  const rises = wilder((change) => (change > 0 ? change : 0))
  const falls = wilder((change) => (change < 0 ? -change : 0))
  return pairwise(rises, falls, (rise, fall) => 100 - (100 * fall) / (rise + fall))
}

export function rowsSince(condition: Values): Values {
  let last = -1
  return condition.map((value, row) => {
    if (value !== null && value !== 0) last = row
    return value === null || last === -1 ? null : row - last
  })
}
