import { ApiError, type ApiErrorCode } from '#contract/api-error.ts'
import type { Call } from '#contract/caller.ts'
import type { Tier } from '#contract/tiers.ts'
import { type Counters, formatUse } from './counters.ts'
import type { WindowCount } from './policy-counters.ts'
import type { Count } from './shared-counts.ts'

export type DailyQuotas = Readonly<Record<Tier, number>>

interface WindowLeft {
  readonly limit: number
  readonly remaining: number
  /** In ms since 1970. */
  readonly windowEnds: number
}

export interface RequestsLeft {
  readonly minute: WindowLeft
  readonly day: WindowLeft
}

export class LimitError extends ApiError {
  /** In seconds. */
  readonly retryAfter: number

  constructor(code: ApiErrorCode, message: string, retryAfter: number, details?: Readonly<Record<string, unknown>>) {
    super(code, message, { ...details, retry_after: retryAfter })
    this.retryAfter = retryAfter
  }
}

/** At least 1. */
export const sharedLimit = (requestsPerMinute: number, share = 1): number =>
  Math.max(1, Math.floor(requestsPerMinute * share))

export type RequestLimits = ReturnType<typeof createRequestLimits>

/** Limits requests per caller and endpoint in a minute, and per caller in a UTC day. */
export function createRequestLimits(counters: Counters, quotas: DailyQuotas) {
  const minutes = counters.perWindow('minute', 60_000)
  const days = counters.perDay()
  const uses = counters.uses()
  return {
    /**
     * Refused requests do not count. `report` gets what is left, also before a refusal. Throws
     * `rate_limited`, `quota_exceeded`.
     */
    count({ caller, endpoint, requestsPerMinute }: Call, report: (left: RequestsLeft) => void): void {
      const { isUnlimited, name, tier, accountId, keyId } = caller
      if (isUnlimited) return
      const quota = quotas[tier]
      const minute = minutes.of(`${name} ${endpoint}`)
      const day = days.of(name)
      try {
        requireOne(minute, requestsPerMinute, 'rate_limited', `requests to ${endpoint} in a minute`)
        requireOne(day, quota, 'quota_exceeded', `requests today (UTC), the quota of tier ${tier}`)
        minute.add(1, requestsPerMinute)
        day.add(1, quota)
      } finally {
        report({ minute: windowLeft(requestsPerMinute, minute), day: windowLeft(quota, day) })
      }
      if (accountId !== undefined) uses.of(formatUse(accountId, keyId, endpoint)).add()
    },
  }
}

/** Throws `code` unless one more is allowed. */
export function requireOne(count: WindowCount, max: number, code: ApiErrorCode, what: string): void {
  if (count.allows(max)) return
  const wait = secondsUntil(count.allowedAgain(max))
  throw new LimitError(code, `more than ${Math.min(count.hits, max)} ${what}; try again in ${wait} seconds`, wait)
}

const windowLeft = (limit: number, { hits, windowEnds }: Count): WindowLeft => ({
  limit,
  remaining: Math.max(0, limit - hits),
  windowEnds,
})

/** At least 1. `time` is in ms since 1970. */
export const secondsUntil = (time: number): number => Math.max(1, Math.ceil((time - Date.now()) / 1000))
