import type { Caller } from '#contract/caller.ts'
import { tiers } from '#contract/tiers.ts'
import type { Counters } from './counters.ts'
import { LimitError } from './limiter.ts'
import type { PolicyCounters } from './policy-counters.ts'

/** Thousandths are counted, as what processes tell each other are whole numbers. */
const precision = 1_000

/** Callers who have spent nothing for so long are forgotten: their budget is whole again. */
const tidyIntervalMs = 60_000

/** Whose work it is. */
export type LimitedCaller = Pick<Caller, 'name' | 'tier' | 'isUnlimited'>

interface Spent {
  amount: number
  at: number
  limit: number
}

/** What is left of a budget. */
export interface BudgetLeft {
  readonly budget: string
  readonly limit: number
  readonly remaining: number
  /** Seconds until it is whole again. */
  readonly whole_in: number
}

/**
 * What callers may spend in a minute: it runs off evenly, and who has spent a minute's worth waits until some of that has
 * run off. What a work costs is known when it is done, so the last one may go beyond.
 */
export class Budget {
  readonly #name: string
  readonly #unit: string
  readonly #perMinute: number
  readonly #spent = new Map<string, Spent>()
  readonly #counts: PolicyCounters | undefined
  #tidiedAt = 0

  /** `perMinute` is that of tier pro. With `counters` what callers spend at other processes that count them counts as well, once they told. */
  constructor(name: string, unit: string, perMinute: number, counters?: Counters) {
    this.#name = name
    this.#unit = unit
    this.#perMinute = perMinute
    this.#counts = counters?.perWindow(name, 60_000, (caller, amount) =>
      this.#addPeerSpending(caller, amount / precision),
    )
  }

  /** Throws `budget_exceeded` for a caller who has spent it. */
  require({ name, tier, isUnlimited }: LimitedCaller): void {
    if (isUnlimited) return
    const limit = this.#limitFor(tier)
    const over = this.#currentSpending(name, limit) - limit
    if (over < 0) return
    // Room for a tenth of it, so that who comes again does not stand here at once once more.
    const wait = Math.max(1, Math.ceil((60 * (over + limit / 10)) / limit))
    const message = `more than ${limit} ${this.#unit} in a minute, the budget of tier ${tier}; try again in ${wait} seconds`
    throw new LimitError('budget_exceeded', message, wait, { budget: this.#name, tier, limit })
  }

  /** What is left to a caller who has a budget. */
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

  /** What others tell of a caller who spends here, too. */
  #addPeerSpending(name: string, amount: number): void {
    const spent = this.#spent.get(name)
    if (!spent) return
    spent.amount = this.#currentSpending(name, spent.limit) + amount
    spent.at = performance.now()
  }

  #limitFor(tier: Caller['tier']): number {
    return this.#perMinute * tiers[tier].workShare
  }

  /** What of it has not run off. */
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
