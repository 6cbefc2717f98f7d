import type { RequestHandler } from 'express'
import { type RequestLimits, sharedLimit } from '#limits/limiter.ts'
import type { Work } from '#limits/work.ts'
import type { AnswerStore } from './answer-store.ts'
import type { Calls } from './calls.ts'
import { setLimitHeaders } from './limit-headers.ts'
import { setOpenHeaders } from './open-origins.ts'
import { readyAnswer, smallBytes } from './send-answer.ts'
import { acceptedFormat } from './serve-data.ts'

interface KeptParts {
  readonly calls: Calls
  readonly limits: RequestLimits
  readonly work: Work
  readonly requestsPerMinute: number
}

/** Answers what has been made before and is small, without going through the routes; all else goes on to these. */
export function serveKept(store: AnswerStore, { calls, limits, work, requestsPerMinute }: KeptParts): RequestHandler {
  return async (request, response, next) => {
    const { method, originalUrl: url } = request
    const caller = calls.arrivedFrom(request)
    if (!caller || caller.refusal || (method !== 'GET' && method !== 'HEAD')) return next()
    const answer = store.kept({ url, accepted: acceptedFormat(request), caller })
    if (!answer || answer.beginning.length >= smallBytes) return next()
    const { path: endpoint, limitShare } = answer.endpoint
    const call = { caller, endpoint, requestsPerMinute: sharedLimit(requestsPerMinute, limitShare) }
    calls.set(request, call)
    setOpenHeaders(response)
    limits.count(call, (left) => setLimitHeaders(response, left))
    const send = await readyAnswer(request, response, answer, caller, work)
    await send()
  }
}
