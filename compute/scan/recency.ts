import { hoursPerDay } from '#base/days.ts'

/**
 * Young spends are told apart by when their coins were created: the day before (0), earlier on the
 * day (1), in the hour of spending (2).
 */
export const recencies = 3

/** @param hour of spending, like `createdHour` since 1970 */
export const toRecency = (hour: number, createdHour: number): number =>
  Number(createdHour >= hour - (hour % hoursPerDay)) + Number(createdHour === hour)
