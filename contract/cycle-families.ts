/** By the first day of a cycle. Pages load this file without schemas. */
export const cycleFamilies = ['halving', 'ath', 'low'] as const
export type CycleFamily = (typeof cycleFamilies)[number]
