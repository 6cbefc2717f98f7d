import type { Request, RequestHandler } from 'express'
import { andThen } from '#base/maybe-promise.ts'
import type { AccountAction } from '#contract/accounts/actions.ts'
import { ApiError } from '#contract/api-error.ts'
import { type RequestLimits, sharedLimit } from '#limits/limiter.ts'
import type { Identify, IdentifyAddress } from './caller.ts'
import { findCaller, requireCall, setCall } from './calls.ts'
import { setLimitHeaders } from './limit-headers.ts'

/**
 * Handlers that come first at an endpoint: they identify and count the caller, and refuse it if
 * need be. `limitShare` is the endpoint's share of the requests per minute.
 */
export type Guard = (
  endpoint: string,
  limitShare?: number,
  countedBy?: AccountAction['countedBy'] | Identify,
) => RequestHandler[]

interface GuardParts {
  readonly limits: RequestLimits
  readonly requestsPerMinute: number
  readonly identify: Identify
  /** Identifies by network address, for endpoints that are open before signing in. */
  readonly identifyVisitor: IdentifyAddress
}

export function createGuard({ limits, requestsPerMinute, identify, identifyVisitor }: GuardParts): Guard {
  const identifierFor = (countedBy: 'caller' | 'address' | Identify): Identify => {
    if (typeof countedBy === 'function') return countedBy
    return countedBy === 'address' ? identifyVisitor : (request) => findCaller(request) ?? identify(request)
  }
  return (endpoint, limitShare = 1, countedBy = 'caller') => [
    (request, _, next) =>
      andThen(identifierFor(countedBy)(request), (caller) => {
        setCall(request, { caller, endpoint, requestsPerMinute: sharedLimit(requestsPerMinute, limitShare) })
        next()
      }),
    (request, response, next) => {
      const call = requireCall(request)
      limits.count(call, (left) => setLimitHeaders(response, left))
      if (call.caller.refusal) throw call.caller.refusal
      next()
    },
  ]
}

/** Throws `unsupported_media_type` unless Content-Type is JSON. */
export const requireJson: RequestHandler = (request, _, next) => {
  if (request.is('application/json')) return next()
  throw new ApiError('unsupported_media_type', 'send a JSON body with the header Content-Type: application/json')
}

/**
 * Prevents pages of other sites from acting with a visitor's cookie. Browsers name the source of a
 * request in Sec-Fetch-Site, or at least in Origin if something may change; programs send neither.
 * `publicUrl` counts as this site because proxies may rewrite Host.
 */
export function refuseOtherSites(publicUrl: string | undefined): RequestHandler {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin
  return (request, _, next) => {
    const { origin } = request.headers
    const site = request.headers['sec-fetch-site']
    const isOwn = site === undefined ? isSameOrigin(request, origin) : site === 'same-origin' || site === 'none'
    if (isOwn || (origin !== undefined && origin === publicOrigin)) return next()
    throw new ApiError('forbidden', 'only pages of this service can use accounts')
  }
}

const isSameOrigin = ({ host }: Request, origin: string | undefined): boolean =>
  origin === undefined || URL.parse(origin)?.host === host
