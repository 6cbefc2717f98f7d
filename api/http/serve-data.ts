import type { Request, RequestHandler } from 'express'
import type { Caller } from '#contract/caller.ts'
import { type Format, formats } from '#contract/parameters.ts'
import { tiers } from '#contract/tiers.ts'
import type { Admission } from '#limits/admission.ts'
import { LimitError, sharedLimit } from '#limits/limiter.ts'
import { insufficientTier } from '#query/view.ts'
import { type AnswerCache, acceptedTypes } from './answer-cache.ts'
import { findCaller, requireCall } from './calls.ts'
import { countCall, type GuardParts } from './guard.ts'
import { addBudgetHeaders } from './limit-headers.ts'
import type { OriginRules } from './open-origins.ts'
import type { ParsedRequest, Route } from './route.ts'
import { prepareAnswer, smallBytes } from './send-answer.ts'

export function serveData(route: Route, store: AnswerCache, admission: Admission): RequestHandler {
  const { access, path } = route.endpoint
  return async (request, response) => {
    const { caller } = requireCall(request)
    if (access === 'pro') requirePro(caller, path)
    const url = request.originalUrl
    let parsed: ParsedRequest | undefined
    const dataRequest = {
      url,
      accepted: acceptedFormat(request),
      caller,
      parse: () => (parsed ??= route.parse(pathParameters(request), url)),
    }
    try {
      const send = await admission.run(caller, store.expectedMs(dataRequest), async () => {
        // The client disconnected while its request was queued.
        if (response.destroyed) return
        const answer = await store.find(dataRequest)
        addBudgetHeaders(response, admission.left(caller))
        return prepareAnswer(answer, { response, caller, admission })
      })
      await send?.()
    } catch (error) {
      if (error instanceof LimitError) addBudgetHeaders(response, admission.left(caller))
      throw error
    }
  }
}

export function requirePro({ tier }: Caller, what: string): void {
  if (tiers[tier].grade >= tiers.pro.grade) return
  throw insufficientTier(what, tier, 'pro')
}

/** Undefined if Accept names no served format. */
function acceptedFormat(request: Request): Format | undefined {
  const { accept } = request.headers
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json'
  const type = request.accepts(acceptedTypes)
  return type === false ? undefined : formats[acceptedTypes.indexOf(type)]
}

export const pathParameters = ({ params }: Request): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))

/** Sends small cached answers, bypassing the router. */
export function serveCached(
  store: AnswerCache,
  admission: Admission,
  { limits, requestsPerMinute }: GuardParts,
  origins: OriginRules,
): RequestHandler {
  return async (request, response, next) => {
    const { method, originalUrl: url } = request
    const caller = findCaller(request)
    if (!caller || caller.refusal || (method !== 'GET' && method !== 'HEAD')) return next()
    const answer = store.cached({ url, accepted: acceptedFormat(request), caller })
    if (!answer || answer.beginning.length >= smallBytes) return next()
    const { path: endpoint, limitShare } = answer.endpoint
    origins.allow(request, response)
    const limit = sharedLimit(requestsPerMinute, limitShare)
    countCall(limits, request, response, { caller, endpoint, requestsPerMinute: limit })
    const send = await prepareAnswer(answer, { response, caller, admission })
    await send()
  }
}
