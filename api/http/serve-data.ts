import type { Request, RequestHandler } from 'express'
import type { Caller } from '#contract/caller.ts'
import type { Format } from '#contract/parameters.ts'
import { tiers } from '#contract/tiers.ts'
import { LimitError, type RequestLimits, sharedLimit } from '#limits/limiter.ts'
import type { Work } from '#limits/work.ts'
import { insufficientTier } from '#query/view.ts'
import { type AnswerCache, acceptedTypes, type DataAnswer, parseContentType } from './answer-cache.ts'
import { findCaller, requireCall, setCall } from './calls.ts'
import { addBudgetHeaders, setLimitHeaders } from './limit-headers.ts'
import { allowAnyOrigin } from './open-origins.ts'
import type { ParsedRequest, Route } from './route.ts'
import { prepareAnswer, smallBytes } from './send-answer.ts'

export function serveData(route: Route, store: AnswerCache, work: Work): RequestHandler {
  const { access, path } = route.endpoint
  /**
   * Answers in progress by caller and request: repeated requests of one caller wait for a single
   * turn.
   */
  const underWay = new Map<string, Promise<DataAnswer>>()
  return async (request, response) => {
    const { caller } = requireCall(request)
    if (access === 'pro') requirePro(caller, path)
    const url = request.originalUrl
    let parsed: ParsedRequest | undefined
    const dataRequest = {
      url,
      accepted: acceptedFormat(request),
      caller,
      parse: () =>
        (parsed ??= route.parse(pathParameters(request), url.includes('?') ? url.slice(url.indexOf('?')) : '')),
    }
    const ready = (answer: DataAnswer) => prepareAnswer(request, response, answer, caller, work)
    // After a publication, nobody waits for an answer of the generation before.
    const key = `${store.state} ${caller.name} ${dataRequest.accepted} ${url}`
    const known = await underWay.get(key)?.catch(() => undefined)
    if (known?.kind === 'encoded' && known.beginning.length < smallBytes) {
      const send = await ready(known)
      await send()
      return
    }
    // A caller without budget need not queue to be refused.
    const expectedMs = work.cells.hasLeft(caller) ? store.expectedMs(dataRequest) : 0
    const { promise, resolve, reject } = Promise.withResolvers<DataAnswer>()
    // Prevents an unhandled rejection if nobody else waits for it.
    promise.catch(() => undefined)
    underWay.set(key, promise)
    try {
      const send = await work.make(caller, expectedMs, async () => {
        if (response.destroyed) throw new Left()
        const answer = store.cached(dataRequest) ?? (await store.find(dataRequest))
        resolve(answer)
        addBudgetHeaders(response, work.left(caller))
        return ready(answer)
      })
      await send()
    } catch (error) {
      reject(error)
      if (error instanceof LimitError) addBudgetHeaders(response, work.left(caller))
      if (!(error instanceof Left)) throw error
    } finally {
      if (underWay.get(key) === promise) underWay.delete(key)
    }
  }
}

/** The client disconnected while its request was queued. */
class Left extends Error {}

/** Throws `missing_api_key` or `insufficient_tier` for callers below tier pro. */
export function requirePro({ tier }: Caller, what: string): void {
  if (tiers[tier].grade >= tiers.pro.grade) return
  throw insufficientTier(what, tier, 'pro')
}

/** The format requested by the Accept header; undefined if it names none that is served. */
export function acceptedFormat(request: Request): Format | undefined {
  const { accept } = request.headers
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json'
  const type = request.accepts(acceptedTypes)
  return type === false ? undefined : parseContentType(type)
}

function pathParameters(request: Request): Record<string, string> {
  return Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)]))
}

interface CacheParts {
  readonly limits: RequestLimits
  readonly work: Work
  readonly requestsPerMinute: number
}

/** Sends small cached answers without going through the router. */
export function serveCached(store: AnswerCache, { limits, work, requestsPerMinute }: CacheParts): RequestHandler {
  return async (request, response, next) => {
    const { method, originalUrl: url } = request
    const caller = findCaller(request)
    if (!caller || caller.refusal || (method !== 'GET' && method !== 'HEAD')) return next()
    const answer = store.cached({ url, accepted: acceptedFormat(request), caller })
    if (!answer || answer.beginning.length >= smallBytes) return next()
    const { path: endpoint, limitShare } = answer.endpoint
    const call = setCall(request, { caller, endpoint, requestsPerMinute: sharedLimit(requestsPerMinute, limitShare) })
    allowAnyOrigin(response)
    limits.count(call, (left) => setLimitHeaders(response, left))
    const send = await prepareAnswer(request, response, answer, caller, work)
    await send()
  }
}
