/** Who may see what. `grade` is the highest grade of metrics, `historyDays` the depth counted from the newest day. */
export const tiers = {
  demo: { grade: 0, historyDays: 60 },
  free: { grade: 0, historyDays: 365 },
  pro: { grade: 1, historyDays: Number.POSITIVE_INFINITY },
  enterprise: { grade: 2, historyDays: Number.POSITIVE_INFINITY },
} as const

export type Tier = keyof typeof tiers

/** Tiers that an account can have; demo is the caller without one. */
export const accountTiers = ['free', 'pro', 'enterprise'] as const
export type AccountTier = (typeof accountTiers)[number]

/** The lowest tier that may see metrics of a grade. */
export const tierForGrade = (grade: number): Tier => (grade <= 0 ? 'demo' : grade === 1 ? 'pro' : 'enterprise')
