import type { Caller } from '#contract/caller.ts'
import { tiers } from '#contract/tiers.ts'
import type { Counters } from './counters.ts'
import { LimitError, secondsUntil } from './limiter.ts'

/** Counters hold integers, so amounts count in thousandths. */
const precision = 1_000

export type LimitedCaller = Pick<Caller, 'name' | 'tier' | 'isUnlimited'>

export interface BudgetLeft {
  readonly budget: string
  readonly limit: number
  readonly remaining: number
  /** Seconds until the whole budget is available. */
  readonly whole_in: number
}

export type Budget = ReturnType<typeof createBudget>

/**
 * A caller's work per minute. Its cost is known afterwards, so the last job may exceed the limit.
 *
 * @param perMinute budget of tier pro
 */
export function createBudget(budget: string, unit: string, perMinute: number, counters: Counters) {
  const counts = counters.perWindow(budget, 60_000)
  const limitFor = (tier: Caller['tier']): number => perMinute * tiers[tier].workShare
  const hasLeft = ({ name, tier, isUnlimited }: LimitedCaller): boolean =>
    isUnlimited || counts.of(name).allows(precision * limitFor(tier))
  return {
    hasLeft,

    /** Throws `budget_exceeded`. */
    require(caller: LimitedCaller): void {
      if (hasLeft(caller)) return
      const { name, tier } = caller
      const limit = limitFor(tier)
      const wait = secondsUntil(counts.of(name).allowedAgain(precision * limit))
      const message = `more than ${limit} ${unit} in a minute, the budget of tier ${tier}; try again in ${wait} seconds`
      throw new LimitError('budget_exceeded', message, wait, { budget, tier, limit })
    },

    left({ name, tier }: LimitedCaller): BudgetLeft {
      const limit = limitFor(tier)
      const { hits, windowEnds } = counts.of(name)
      const remaining = Math.max(0, Math.floor(limit - hits / precision))
      return { budget, limit, remaining, whole_in: hits === 0 ? 0 : secondsUntil(windowEnds) }
    },

    spend({ name, tier, isUnlimited }: LimitedCaller, amount: number): void {
      if (!isUnlimited) counts.of(name).add(Math.round(precision * amount), precision * limitFor(tier))
    },
  }
}
