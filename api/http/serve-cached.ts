import type { RequestHandler } from 'express'
import { type RequestLimits, sharedLimit } from '#limits/limiter.ts'
import type { Work } from '#limits/work.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { Calls } from './calls.ts'
import { setLimitHeaders } from './limit-headers.ts'
import { allowAnyOrigin } from './open-origins.ts'
import { prepareAnswer, smallBytes } from './send-answer.ts'
import { acceptedFormat } from './serve-data.ts'

interface CacheParts {
  readonly calls: Calls
  readonly limits: RequestLimits
  readonly work: Work
  readonly requestsPerMinute: number
}

/** Sends small cached answers without going through the router. */
export function serveCached(
  store: AnswerCache,
  { calls, limits, work, requestsPerMinute }: CacheParts,
): RequestHandler {
  return async (request, response, next) => {
    const { method, originalUrl: url } = request
    const caller = calls.arrivedFrom(request)
    if (!caller || caller.refusal || (method !== 'GET' && method !== 'HEAD')) return next()
    const answer = store.cached({ url, accepted: acceptedFormat(request), caller })
    if (!answer || answer.beginning.length >= smallBytes) return next()
    const { path: endpoint, limitShare } = answer.endpoint
    const call = { caller, endpoint, requestsPerMinute: sharedLimit(requestsPerMinute, limitShare) }
    calls.set(request, call)
    allowAnyOrigin(response)
    limits.count(call, (left) => setLimitHeaders(response, left))
    const send = await prepareAnswer(request, response, answer, caller, work)
    await send()
  }
}
