const millisecondsPerDay = 86_400_000

/** `YYYY-MM-DD` of a unix day. */
export const isoDate = (day: number): string => new Date(day * millisecondsPerDay).toISOString().slice(0, 10)

/** Unix day of `YYYY-MM-DD`. */
export const dayOf = (date: string): number => Date.parse(date) / millisecondsPerDay
