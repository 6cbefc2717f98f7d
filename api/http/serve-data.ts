import type { Request, RequestHandler } from 'express'
import type { Caller } from '#contract/caller.ts'
import type { Format } from '#contract/parameters.ts'
import { tiers } from '#contract/tiers.ts'
import type { Work } from '#limits/work.ts'
import { insufficientTier } from '#query/view.ts'
import { type AnswerStore, acceptable, type DataAnswer, formatOf } from './answer-store.ts'
import type { Calls } from './calls.ts'
import { addBudgetHeaders } from './limit-headers.ts'
import type { Route } from './route.ts'
import { readyAnswer, smallBytes } from './send-answer.ts'

/** Answers requests to a data endpoint. */
export function serveData(route: Route, store: AnswerStore, calls: Calls, work: Work): RequestHandler {
  const { access, path } = route.endpoint
  /** What each caller is waiting for: asked many times at once it waits for one turn. */
  const underWay = new Map<string, Promise<DataAnswer>>()
  return async (request, response) => {
    const { caller } = calls.of(request)
    if (access === 'pro') requirePro(caller, path)
    const url = request.originalUrl
    const asked = {
      url,
      accepted: acceptedFormat(request),
      caller,
      parse: () => route.parse(pathParameters(request), url.includes('?') ? url.slice(url.indexOf('?')) : ''),
    }
    const ready = (answer: DataAnswer) => readyAnswer(request, response, answer, caller, work)
    const key = `${caller.name} ${asked.accepted} ${url}`
    const known = await underWay.get(key)?.catch(() => undefined)
    if (known?.kind === 'encoded' && known.beginning.length < smallBytes) {
      const send = await ready(known)
      await send()
      return
    }
    // Who has nothing left need not wait to be told so.
    if (!store.kept(asked)) work.cells.require(caller)
    const { promise, resolve, reject } = Promise.withResolvers<DataAnswer>()
    // Where nobody else waits for it.
    promise.catch(() => undefined)
    underWay.set(key, promise)
    try {
      const send = await work.make(caller, async () => {
        if (response.destroyed) throw new Left()
        const answer = store.kept(asked) ?? (await store.answer(asked))
        resolve(answer)
        addBudgetHeaders(response, work.left(caller))
        return ready(answer)
      })
      await send()
    } catch (error) {
      reject(error)
      if (!(error instanceof Left)) throw error
    } finally {
      if (underWay.get(key) === promise) underWay.delete(key)
    }
  }
}

/** Who asked has left; others who ask the same do not wait for it then. */
class Left extends Error {}

/** Throws `missing_api_key` or `insufficient_tier` for callers below tier pro. */
export function requirePro({ tier }: Caller, what: string): void {
  if (tiers[tier].grade >= tiers.pro.grade) return
  throw insufficientTier(what, tier, 'pro')
}

/** What is asked for by the Accept header; undefined where it names nothing that is served. */
export function acceptedFormat(request: Request): Format | undefined {
  const { accept } = request.headers
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json'
  const type = request.accepts(acceptable)
  return type === false ? undefined : formatOf(type)
}

function pathParameters(request: Request): Record<string, string> {
  return Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)]))
}
