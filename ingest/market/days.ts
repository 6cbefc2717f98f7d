export const millisecondsPerDay = 86_400_000

/** The unix day (UTC) of an instant in milliseconds since 1970. */
export const dayOf = (milliseconds: number): number => Math.floor(milliseconds / millisecondsPerDay)

/** A unix day as `YYYY-MM-DD`. */
export const dateOf = (day: number): string => new Date(day * millisecondsPerDay).toISOString().slice(0, 10)
