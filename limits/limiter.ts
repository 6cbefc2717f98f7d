import { ApiError } from '#contract/api-error.ts'
import type { Call } from '#contract/caller.ts'
import type { Tier } from '#contract/tiers.ts'
import { type Counters, formatUse } from './counters.ts'
import type { PolicyCounters } from './policy-counters.ts'
import type { Count } from './shared-counts.ts'

export type DailyQuotas = Readonly<Record<Tier, number>>

export interface WindowLeft {
  readonly limit: number
  readonly remaining: number
  /** Until the window ends. */
  readonly seconds: number
}

export interface RequestsLeft {
  readonly minute: WindowLeft
  readonly day: WindowLeft
  /** In ms since 1970. */
  readonly minuteEnds: number
}

export class LimitError extends ApiError {
  /** In seconds. */
  readonly retryAfter: number

  constructor(
    code:
      | 'rate_limited'
      | 'quota_exceeded'
      | 'budget_exceeded'
      | 'overloaded'
      | 'render_overloaded'
      | 'sign_in_overloaded'
      | 'events_overloaded',
    message: string,
    retryAfter: number,
    details?: Readonly<Record<string, unknown>>,
  ) {
    super(code, message, { ...details, retry_after: retryAfter })
    this.retryAfter = retryAfter
  }
}

/** Requests per minute for an endpoint with a share of the general limit; at least 1. */
export const sharedLimit = (requestsPerMinute: number, share = 1): number =>
  Math.max(1, Math.floor(requestsPerMinute * share))

/** Limits requests per caller and endpoint in a minute, and per caller in a UTC day. */
export class RequestLimits {
  readonly #minutes: PolicyCounters
  readonly #days: PolicyCounters
  readonly #uses: PolicyCounters
  readonly #quotas: DailyQuotas

  constructor(counters: Counters, quotas: DailyQuotas) {
    this.#minutes = counters.perMinute()
    this.#days = counters.perDay()
    this.#uses = counters.uses()
    this.#quotas = quotas
  }

  /**
   * Counts a request, unless it is refused. `report` is called with what the caller has left, also
   * before a refusal. Throws `rate_limited`, `quota_exceeded`.
   */
  count({ caller, endpoint, requestsPerMinute }: Call, report: (left: RequestsLeft) => void): void {
    const { isUnlimited, name, tier, accountId, keyId } = caller
    if (isUnlimited) return
    const quota = this.#quotas[tier]
    const minute = this.#minutes.of(`${name} ${endpoint}`)
    const day = this.#days.of(name)
    const reportLeft = () =>
      report({
        minute: windowLeft(requestsPerMinute, minute),
        day: windowLeft(quota, day),
        minuteEnds: minute.windowEnds,
      })
    if (!minute.allows(requestsPerMinute)) {
      reportLeft()
      const wait = secondsUntil(minute.allowedAgain(requestsPerMinute))
      const message = `more than ${Math.min(minute.hits, requestsPerMinute)} requests to ${endpoint} in a minute; try again in ${wait} seconds`
      throw new LimitError('rate_limited', message, wait)
    }
    if (!day.allows(quota)) {
      reportLeft()
      const wait = secondsUntil(day.allowedAgain(quota))
      const message = `more than ${Math.min(day.hits, quota)} requests today (UTC), the quota of tier ${tier}; try again in ${wait} seconds`
      throw new LimitError('quota_exceeded', message, wait)
    }
    minute.add(1, requestsPerMinute)
    day.add(1, quota)
    reportLeft()
    if (accountId !== undefined) this.#uses.of(formatUse(accountId, keyId, endpoint)).add()
  }
}

const windowLeft = (limit: number, { hits, windowEnds }: Count): WindowLeft => ({
  limit,
  remaining: Math.max(0, limit - hits),
  seconds: secondsUntil(windowEnds),
})

/** Seconds until a time (ms since 1970); at least 1. */
export const secondsUntil = (time: number): number => Math.max(1, Math.ceil((time - Date.now()) / 1000))
