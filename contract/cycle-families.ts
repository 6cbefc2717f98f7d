/**
 * Kinds of market cycles, by their first day. Pages load this file without the schemas of
 * parameters.
 */
export const cycleFamilies = ['halving', 'ath', 'low'] as const
export type CycleFamily = (typeof cycleFamilies)[number]
