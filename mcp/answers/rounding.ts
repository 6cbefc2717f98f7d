/** Rounds to six significant digits. Whole numbers below a billion stay exact, since heights and counts must. */
export const significant = (value: number): number =>
  Number.isInteger(value) && Math.abs(value) < 1e9 ? value : Number(value.toPrecision(6))

export const significantOrNull = (value: number | null): number | null => (value === null ? null : significant(value))

export const round = (value: number, decimals: number): number => Number(value.toFixed(decimals))
