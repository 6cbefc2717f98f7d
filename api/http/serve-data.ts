import type { Request, RequestHandler } from 'express'
import type { Format } from '#contract/parameters.ts'
import { tiers } from '#contract/tiers.ts'
import type { Work } from '../limits/work.ts'
import { insufficientTier } from '../published/view.ts'
import type { Route } from '../route.ts'
import { type AnswerStore, acceptable, formatOf } from './answer-store.ts'
import type { Caller, Calls } from './calls.ts'
import { readyAnswer, smallBytes } from './send-answer.ts'

/** Answers requests to a data endpoint. */
export function serveData(route: Route, store: AnswerStore, calls: Calls, work: Work): RequestHandler {
  const { access, path } = route.endpoint
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
    const kept = store.kept(asked)
    const ready = async () => {
      const answer = store.kept(asked) ?? (await store.answer(asked))
      return readyAnswer(request, response, answer, caller, work)
    }
    const isSmall = kept !== undefined && kept.beginning.length < smallBytes
    const send = await (isSmall ? ready() : work.make(caller, () => (response.destroyed ? nobody : ready())))
    await send()
  }
}

/** Who asked has left. */
const nobody = () => {}

/** Throws `missing_api_key` or `insufficient_tier` for callers below tier pro. */
export function requirePro({ tier }: Caller, what: string): void {
  if (tiers[tier].grade >= tiers.pro.grade) return
  throw insufficientTier(what, tier, 'pro')
}

function acceptedFormat(request: Request): Format | undefined {
  const { accept } = request.headers
  if (accept === undefined || accept === '*/*') return 'json'
  const type = request.accepts(acceptable)
  return type === false ? undefined : formatOf(type)
}

function pathParameters(request: Request): Record<string, string> {
  return Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)]))
}
