/** Unix days: whole UTC days since 1970-01-01, without leap seconds. */
export const secondsPerDay = 86_400
export const secondsPerHour = 3_600
export const hoursPerDay = 24
export const msPerDay = 1_000 * secondsPerDay

/** `milliseconds` since 1970. */
export const dayAt = (milliseconds: number): number => Math.floor(milliseconds / msPerDay)

export const parseDay = (date: string): number => Date.parse(date) / msPerDay

/** Answers repeat dates; `Date` takes ten times as long as a lookup. */
const dates = new Map<number, string>()
const maxCachedDates = 2 ** 16

/** `YYYY-MM-DD` of a unix day. */
export function isoDate(day: number): string {
  const known = dates.get(day)
  if (known !== undefined) return known
  const date = new Date(day * msPerDay).toISOString().slice(0, 10)
  if (dates.size < maxCachedDates) dates.set(day, date)
  return date
}

/** ISO 8601 of a fractional unix day, to the second. */
export const isoTime = (day: number): string => new Date(1_000 * Math.round(day * secondsPerDay)).toISOString()

/** `2026-01-31 00:30 UTC` */
export const formatMinute = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`
