import type { Caller } from '#contract/caller.ts'
import { tiers } from '#contract/tiers.ts'
import type { Counters } from './counters.ts'
import { LimitError, secondsUntil } from './limiter.ts'
import type { PolicyCounters } from './policy-counters.ts'

/** Counters hold integers, so amounts count in thousandths. */
const precision = 1_000

export type LimitedCaller = Pick<Caller, 'name' | 'tier' | 'isUnlimited'>

export interface BudgetLeft {
  readonly budget: string
  readonly limit: number
  readonly remaining: number
  /** Seconds until the whole budget is available again. */
  readonly whole_in: number
}

/**
 * Work that a caller may spend per minute. Its cost is known afterwards, so the last job may exceed
 * the limit.
 */
export class Budget {
  readonly #name: string
  readonly #unit: string
  readonly #perMinute: number
  readonly #counts: PolicyCounters

  /** `perMinute` is the budget of tier pro. */
  constructor(name: string, unit: string, perMinute: number, counters: Counters) {
    this.#name = name
    this.#unit = unit
    this.#perMinute = perMinute
    this.#counts = counters.perWindow(name, 60_000)
  }

  hasLeft({ name, tier, isUnlimited }: LimitedCaller): boolean {
    return isUnlimited || this.#counts.of(name).allows(precision * this.#limitFor(tier))
  }

  /** Throws `budget_exceeded`. */
  require(caller: LimitedCaller): void {
    if (this.hasLeft(caller)) return
    const { name, tier } = caller
    const limit = this.#limitFor(tier)
    const count = this.#counts.of(name)
    const wait = secondsUntil(count.allowedAgain(precision * limit))
    const message = `more than ${limit} ${this.#unit} in a minute, the budget of tier ${tier}; try again in ${wait} seconds`
    throw new LimitError('budget_exceeded', message, wait, { budget: this.#name, tier, limit })
  }

  left({ name, tier }: LimitedCaller): BudgetLeft {
    const limit = this.#limitFor(tier)
    const { hits, windowEnds } = this.#counts.of(name)
    const remaining = Math.max(0, Math.floor(limit - hits / precision))
    return { budget: this.#name, limit, remaining, whole_in: hits === 0 ? 0 : secondsUntil(windowEnds) }
  }

  spend({ name, tier, isUnlimited }: LimitedCaller, amount: number): void {
    if (!isUnlimited) this.#counts.of(name).add(Math.round(precision * amount), precision * this.#limitFor(tier))
  }

  #limitFor(tier: Caller['tier']): number {
    return this.#perMinute * tiers[tier].workShare
  }
}
