import type { Caller } from '#contract/caller.ts'
import { tiers } from '#contract/tiers.ts'
import type { Counters } from './counters.ts'
import { LimitError } from './limiter.ts'
import type { PolicyCounters } from './policy-counters.ts'

/** Amounts are shared in thousandths, since counters hold integers. */
const precision = 1_000

const tidyIntervalMs = 60_000

export type LimitedCaller = Pick<Caller, 'name' | 'tier' | 'isUnlimited'>

interface Spent {
  amount: number
  at: number
  limit: number
}

export interface BudgetLeft {
  readonly budget: string
  readonly limit: number
  readonly remaining: number
  /** Seconds until all of it is available again. */
  readonly whole_in: number
}

/**
 * Work that callers may spend per minute, as a leaky bucket. The cost of a job is known only after it, so the last one may
 * exceed the limit.
 */
export class Budget {
  readonly #name: string
  readonly #unit: string
  readonly #perMinute: number
  readonly #spent = new Map<string, Spent>()
  readonly #counts: PolicyCounters | undefined
  #tidiedAt = 0

  /** `perMinute` is the budget of tier pro. With `counters`, spending in other processes counts too. */
  constructor(name: string, unit: string, perMinute: number, counters?: Counters) {
    this.#name = name
    this.#unit = unit
    this.#perMinute = perMinute
    this.#counts = counters?.perWindow(name, 60_000, (caller, amount) =>
      this.#addPeerSpending(caller, amount / precision),
    )
  }

  /** Throws `budget_exceeded` if nothing is left. */
  require({ name, tier, isUnlimited }: LimitedCaller): void {
    if (isUnlimited) return
    const limit = this.#limitFor(tier)
    const over = this.#currentSpending(name, limit) - limit
    if (over < 0) return
    // Wait until a tenth is available, so that the next request is not refused at once.
    const wait = Math.max(1, Math.ceil((60 * (over + limit / 10)) / limit))
    const message = `more than ${limit} ${this.#unit} in a minute, the budget of tier ${tier}; try again in ${wait} seconds`
    throw new LimitError('budget_exceeded', message, wait, { budget: this.#name, tier, limit })
  }

  left({ name, tier }: LimitedCaller): BudgetLeft {
    const limit = this.#limitFor(tier)
    const spent = this.#currentSpending(name, limit)
    const remaining = Math.max(0, Math.floor(limit - spent))
    return { budget: this.#name, limit, remaining, whole_in: Math.ceil((60 * spent) / limit) }
  }

  spend({ name, tier, isUnlimited }: LimitedCaller, amount: number): void {
    if (isUnlimited) return
    const limit = this.#limitFor(tier)
    this.#spent.set(name, { amount: this.#currentSpending(name, limit) + amount, at: performance.now(), limit })
    this.#counts?.of(name).add(Math.round(precision * amount), precision * limit)
    this.#tidy()
  }

  #addPeerSpending(name: string, amount: number): void {
    const spent = this.#spent.get(name)
    if (!spent) return
    spent.amount = this.#currentSpending(name, spent.limit) + amount
    spent.at = performance.now()
  }

  #limitFor(tier: Caller['tier']): number {
    return this.#perMinute * tiers[tier].workShare
  }

  /** The amount still in the bucket. */
  #currentSpending(name: string, limit: number): number {
    const spent = this.#spent.get(name)
    return spent ? Math.max(0, spent.amount - (limit * (performance.now() - spent.at)) / 60_000) : 0
  }

  #tidy(): void {
    const now = performance.now()
    if (now - this.#tidiedAt < tidyIntervalMs) return
    this.#tidiedAt = now
    const oldest = now - 60 * tidyIntervalMs
    for (const [name, { at }] of this.#spent) if (at < oldest) this.#spent.delete(name)
  }
}
