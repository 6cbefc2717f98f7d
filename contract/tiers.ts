/**
 * Access by tier: `grade` is the highest visible grade of metrics, `historyDays` the visible history counted from the newest
 * day, `workShare` the allowed work per minute relative to tier pro.
 */
export const tiers = {
  demo: { grade: 0, historyDays: 60, workShare: 0.2 },
  free: { grade: 0, historyDays: 365, workShare: 0.2 },
  pro: { grade: 1, historyDays: Number.POSITIVE_INFINITY, workShare: 1 },
  enterprise: { grade: 2, historyDays: Number.POSITIVE_INFINITY, workShare: 2 },
} as const

export type Tier = keyof typeof tiers

/** Tiers of accounts; callers without an account have tier demo. */
export const accountTiers = ['free', 'pro', 'enterprise'] as const
export type AccountTier = (typeof accountTiers)[number]

export const tierForGrade = (grade: number): Tier => (grade <= 0 ? 'demo' : grade === 1 ? 'pro' : 'enterprise')
