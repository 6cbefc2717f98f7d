import type { Request, RequestHandler, Response } from 'express'
import { rateLimit } from 'express-rate-limit'
import type { Tier } from '#contract/tiers.ts'
import { ApiError } from '../api-error.ts'
import type { Calls } from '../http/calls.ts'
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
export function limiter(calls: Calls, counters: Counters, quotas: DailyQuotas): RequestHandler[] {
  const minutes = counters.perMinute()
  const days = counters.perDay()
  const uses = counters.uses()
  const minuteKey = (request: Request): string => {
    const { caller, endpoint } = calls.of(request)
    return `${caller.name} ${endpoint}`
  }

  const announce = (request: Request, response: Response): void => {
    const { caller, requestsPerMinute } = calls.of(request)
    const { totalHits, resetTime } = minutes.get(minuteKey(request))
    const remaining = Math.max(0, requestsPerMinute - totalHits)
    const policies = `"minute";q=${requestsPerMinute};w=60, "day";q=${quotas[caller.tier]};w=86400`
    const day = days.get(caller.name)
    const items = [
      `"minute";r=${remaining};t=${secondsUntil(resetTime)}`,
      `"day";r=${Math.max(0, quotas[caller.tier] - day.totalHits)};t=${secondsUntil(day.resetTime)}`,
    ]
    response.setHeader('RateLimit', items.join(', '))
    response.setHeader('RateLimit-Policy', policies)
    response.setHeader('X-RateLimit-Limit', requestsPerMinute)
    response.setHeader('X-RateLimit-Remaining', remaining)
    response.setHeader('X-RateLimit-Reset', Math.ceil(resetTime.getTime() / 1000))
  }
  const perMinute = rateLimit({
    windowMs: 60_000,
    limit: (request) => calls.of(request).requestsPerMinute,
    // Its own headers would be sent before the quota of the day is known.
    standardHeaders: false,
    legacyHeaders: false,
    store: minutes,
    keyGenerator: minuteKey,
    skip: (request) => calls.of(request).caller.isUnlimited,
    // Its checks are for callers that are told apart by address alone.
    validate: false,
    handler: (request, response) => {
      const { endpoint, requestsPerMinute } = calls.of(request)
      const wait = refusedUntil(minutes, minuteKey(request))
      announce(request, response)
      const message = `more than ${requestsPerMinute} requests to ${endpoint} in a minute; try again in ${wait} seconds`
      throw new LimitError('rate_limited', message, wait)
    },
  })
  const perDay: RequestHandler = (request, response, next) => {
    const { caller, endpoint } = calls.of(request)
    const { isUnlimited, name, tier, accountId, keyId } = caller
    if (isUnlimited) return next()
    const quota = quotas[tier]
    const isWithin = days.increment(name).totalHits <= quota
    if (!isWithin) minutes.decrement(minuteKey(request))
    announce(request, response)
    if (isWithin && accountId !== undefined) uses.increment(useOf(accountId, keyId, endpoint))
    if (isWithin) return next()
    const wait = refusedUntil(days, name)
    const message = `more than ${quota} requests on this day (UTC), which is the quota of tier ${tier}; try again in ${wait} seconds`
    throw new LimitError('quota_exceeded', message, wait)
  }
  return [perMinute, perDay]
}

/** Takes a refused request out of the count; returns the seconds until there is room again. */
function refusedUntil(counters: PolicyCounters, key: string): number {
  counters.decrement(key)
  return secondsUntil(counters.get(key).resetTime)
}

const secondsUntil = (time: Date): number => Math.max(1, Math.ceil((time.getTime() - Date.now()) / 1000))
