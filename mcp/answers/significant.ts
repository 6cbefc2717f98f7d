/** What tells a value apart and no more: six digits. Whole numbers below a billion stay exact, as heights and counts must. */
export const significant = (value: number): number =>
  Number.isInteger(value) && Math.abs(value) < 1e9 ? value : Number(value.toPrecision(6))

/** The same of a value that may not be known. */
export const significantOrNull = (value: number | null): number | null => (value === null ? null : significant(value))
