/**
 * Who may see what. `grade` is the highest grade of metrics, `historyDays` the depth counted from the newest day;
 * `workShare` how much work a minute it may cause, where tier pro has 1.
 */
export const tiers = {
  demo: { grade: 0, historyDays: 60, workShare: 0.2 },
  free: { grade: 0, historyDays: 365, workShare: 0.2 },
  pro: { grade: 1, historyDays: Number.POSITIVE_INFINITY, workShare: 1 },
  enterprise: { grade: 2, historyDays: Number.POSITIVE_INFINITY, workShare: 2 },
} as const

export type Tier = keyof typeof tiers

/** Tiers that an account can have; demo is the caller without one. */
export const accountTiers = ['free', 'pro', 'enterprise'] as const
export type AccountTier = (typeof accountTiers)[number]

/** The lowest tier that may see metrics of a grade. */
export const tierForGrade = (grade: number): Tier => (grade <= 0 ? 'demo' : grade === 1 ? 'pro' : 'enterprise')
