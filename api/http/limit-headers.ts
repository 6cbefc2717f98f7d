import type { Response } from 'express'
import type { BudgetLeft } from '#limits/budget.ts'
import { type RequestsLeft, secondsUntil } from '#limits/limiter.ts'

/** draft-ietf-httpapi-ratelimit-headers, and the older X-RateLimit ones for the minute. */
export function setLimitHeaders(response: Response, { minute, day }: RequestsLeft): void {
  response.setHeader(
    'RateLimit',
    `"minute";r=${minute.remaining};t=${secondsUntil(minute.windowEnds)}, "day";r=${day.remaining};t=${secondsUntil(day.windowEnds)}`,
  )
  response.setHeader('RateLimit-Policy', `"minute";q=${minute.limit};w=60, "day";q=${day.limit};w=86400`)
  response.setHeader('X-RateLimit-Limit', minute.limit)
  response.setHeader('X-RateLimit-Remaining', minute.remaining)
  response.setHeader('X-RateLimit-Reset', Math.ceil(minute.windowEnds / 1000))
}

/** Adds budgets to the same headers. */
export function addBudgetHeaders(response: Response, budgets: readonly BudgetLeft[]): void {
  for (const { budget, limit, remaining, whole_in } of budgets) {
    response.appendHeader('RateLimit', `"${budget}";r=${remaining};t=${whole_in}`)
    response.appendHeader('RateLimit-Policy', `"${budget}";q=${limit};w=60`)
  }
}

const limitHeaders = [
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]

/** For answers that shared caches give to other callers. */
export function removeLimitHeaders(response: Response): void {
  for (const name of limitHeaders) response.removeHeader(name)
}
