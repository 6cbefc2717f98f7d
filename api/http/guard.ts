import type { Request, RequestHandler, Response } from 'express'
import { andThen } from '#base/maybe-promise.ts'
import type { AccountAction } from '#contract/accounts/actions.ts'
import { ApiError } from '#contract/api-error.ts'
import type { Call } from '#contract/caller.ts'
import { type RequestLimits, sharedLimit } from '#limits/limiter.ts'
import { type Identify, type IdentifyAddress, readLink } from './caller.ts'
import { findCaller, setCall, setCaller } from './calls.ts'
import { setLimitHeaders } from './limit-headers.ts'
import { isOwnSite } from './open-origins.ts'

/**
 * Creates the first handler of an endpoint, which identifies and counts the caller. `limitShare` is
 * a share of the requests per minute.
 */
export type Guard = (
  endpoint: string,
  limitShare?: number,
  countedBy?: AccountAction['countedBy'] | Identify,
) => RequestHandler

export interface GuardParts {
  readonly limits: RequestLimits
  readonly requestsPerMinute: number
  readonly identify: Identify
}

/** Endpoints open before signing in count by `identifyVisitor`. */
export function createGuard(
  { limits, requestsPerMinute, identify }: GuardParts,
  identifyVisitor: IdentifyAddress,
): Guard {
  const identifierFor = (countedBy: 'caller' | 'address' | Identify): Identify => {
    if (typeof countedBy === 'function') return countedBy
    return countedBy === 'address' ? identifyVisitor : (request) => findCaller(request) ?? identify(request)
  }
  return (endpoint, limitShare, countedBy = 'caller') => {
    const identifyCaller = identifierFor(countedBy)
    const limit = sharedLimit(requestsPerMinute, limitShare)
    return (request, response, next) =>
      andThen(identifyCaller(request), (caller) => {
        countCall(limits, request, response, { caller, endpoint, requestsPerMinute: limit })
        if (caller.refusal) throw caller.refusal
        next()
      })
  }
}

/** Counts a request and sets the headers of its limits. */
export function countCall(limits: RequestLimits, request: Request, response: Response, call: Call): void {
  setCall(request, call)
  limits.count(call, (left) => setLimitHeaders(response, left))
}

export const refuseMethod =
  (allowed: readonly string[]): RequestHandler =>
  ({ method }) => {
    throw new ApiError('method_not_allowed', `${method} is not served here; use ${allowed.join(', ')}`, { allowed })
  }

export const requireJson: RequestHandler = (request, _, next) => {
  if (request.is('application/json')) return next()
  throw new ApiError('unsupported_media_type', 'send a JSON body with the header Content-Type: application/json')
}

/** Stops pages of other sites from using a visitor's cookie. */
export const refuseOtherSites =
  (publicUrl: string | undefined): RequestHandler =>
  (request, _, next) => {
    if (isOwnSite(request, publicUrl)) return next()
    throw new ApiError('forbidden', 'only pages of this service can use accounts')
  }

/** Answers a data link by the request that it stands for; others go to the next handler. */
export const followLinks =
  ({ identify }: GuardParts, refuse: RequestHandler): RequestHandler =>
  (request, response, next) => {
    const link = readLink(request)
    if (!link) return next()
    return andThen(identify(request), (caller) => {
      setCaller(request, caller)
      const { request: target } = caller
      if (target === undefined) return refuse(request, response, next)
      response.setHeader('X-Robots-Tag', 'noindex')
      request.url = request.originalUrl = `${target}${target.includes('?') ? '&' : '?'}format=${link.format}`
      next()
    })
  }
