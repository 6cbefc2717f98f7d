/** What cycles of the market begin with. In a file of its own, since pages load it without the schemas of parameters. */
export const cycleFamilies = ['halving', 'ath', 'low'] as const
export type CycleFamily = (typeof cycleFamilies)[number]
