/**
 * `grade`: highest visible grade of metrics; `historyDays`: visible days up to the newest;
 * `workShare`: work per minute relative to tier pro; `alertMessages`: per day.
 */
export const tiers = {
  demo: { grade: 0, historyDays: 60, workShare: 0.2, alerts: 0, alertMessages: 0 },
  free: { grade: 0, historyDays: 365, workShare: 0.2, alerts: 5, alertMessages: 20 },
  pro: { grade: 1, historyDays: Number.POSITIVE_INFINITY, workShare: 1, alerts: 50, alertMessages: 200 },
  enterprise: { grade: 2, historyDays: Number.POSITIVE_INFINITY, workShare: 2, alerts: 500, alertMessages: 2_000 },
} as const

export type Tier = keyof typeof tiers

/** Callers without an account have tier demo. */
export const accountTiers = ['free', 'pro', 'enterprise'] as const
export type AccountTier = (typeof accountTiers)[number]

export const tierForGrade = (grade: number): Tier => (grade <= 0 ? 'demo' : grade === 1 ? 'pro' : 'enterprise')
