import type { RequestHandler, Response } from 'express'
import type { Tier } from '#contract/tiers.ts'
import { ApiError } from '../api-error.ts'
import type { Call, Calls } from '../http/calls.ts'
import { type Counters, type PolicyCounters, useOf } from './counters.ts'

/** Requests on a day of UTC. */
export type DailyQuotas = Readonly<Record<Tier, number>>

/** A limit was exceeded; tells when to come back. */
export class LimitError extends ApiError {
  /** Seconds. */
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

/**
 * Counts a request for its caller on this day (UTC), and for its caller and endpoint in this minute, and refuses those
 * above the limits. What is refused by either does not count.
 */
export function limiter(calls: Calls, counters: Counters, quotas: DailyQuotas): RequestHandler {
  const minutes = counters.perMinute()
  const days = counters.perDay()
  const uses = counters.uses()
  const announce = (response: Response, { caller, requestsPerMinute }: Call, minuteKey: string): void => {
    const { totalHits, resetTime } = minutes.get(minuteKey)
    const quota = quotas[caller.tier]
    const remaining = Math.max(0, requestsPerMinute - totalHits)
    const day = days.get(caller.name)
    const dayRemaining = Math.max(0, quota - day.totalHits)
    const items = `"minute";r=${remaining};t=${secondsUntil(resetTime)}, "day";r=${dayRemaining};t=${secondsUntil(day.resetTime)}`
    response.setHeader('RateLimit', items)
    response.setHeader('RateLimit-Policy', `"minute";q=${requestsPerMinute};w=60, "day";q=${quota};w=86400`)
    response.setHeader('X-RateLimit-Limit', requestsPerMinute)
    response.setHeader('X-RateLimit-Remaining', remaining)
    response.setHeader('X-RateLimit-Reset', Math.ceil(resetTime.getTime() / 1000))
  }
  return (request, response, next) => {
    const call = calls.of(request)
    const { endpoint, requestsPerMinute } = call
    const { isUnlimited, name, tier, accountId, keyId } = call.caller
    if (isUnlimited) return next()
    const minuteKey = `${name} ${endpoint}`
    if (minutes.increment(minuteKey).totalHits > requestsPerMinute) {
      const wait = refusedUntil(minutes, minuteKey)
      announce(response, call, minuteKey)
      const message = `more than ${requestsPerMinute} requests to ${endpoint} in a minute; try again in ${wait} seconds`
      throw new LimitError('rate_limited', message, wait)
    }
    const quota = quotas[tier]
    const isWithin = days.increment(name).totalHits <= quota
    if (!isWithin) minutes.decrement(minuteKey)
    announce(response, call, minuteKey)
    if (isWithin) {
      if (accountId !== undefined) uses.increment(useOf(accountId, keyId, endpoint))
      return next()
    }
    const wait = refusedUntil(days, name)
    const message = `more than ${quota} requests on this day (UTC), which is the quota of tier ${tier}; try again in ${wait} seconds`
    throw new LimitError('quota_exceeded', message, wait)
  }
}

/** Takes a refused request out of the count; returns the seconds until there is room again. */
function refusedUntil(counters: PolicyCounters, key: string): number {
  counters.decrement(key)
  return secondsUntil(counters.get(key).resetTime)
}

const secondsUntil = (time: Date): number => Math.max(1, Math.ceil((time.getTime() - Date.now()) / 1000))
