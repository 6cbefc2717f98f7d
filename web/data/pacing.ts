import { signal } from '@preact/signals'
import { RequestError } from '#clients/typescript/request.ts'

/** Requests left in this minute. */
interface Left {
  readonly limit: number
  readonly remaining: number
  /** In ms since 1970. */
  readonly endsAt: number
}

const lefts = new Map<string, Left>()
/** Longer waits fail, such as until midnight. */
const maxWaitMs = 61_000
const maxRetries = 2
/** Default of the service. Answers for shared caches have no limit headers. */
const assumedLimit = 100
const windowMs = 60_000
const reportedWaitMs = 3_000

/** Requests waiting longer than `reportedWaitMs`. */
export const longWaits = signal(0)

/** The reader left before the request was sent. */
export class PageLeft extends Error {}

let page = new AbortController()

/** Drops waiting requests. Sent ones are finished, because they are counted. */
export function leavePage(): void {
  page.abort(new PageLeft())
  page = new AbortController()
}

/**
 * Repeats a request if the service asks to wait up to a minute. Spreads the second half of a
 * minute's requests over its rest, so that briefly visited pages use none. Throws `PageLeft`.
 */
export async function sendPaced(endpoint: string, send: () => Promise<Response>): Promise<Response> {
  const left = lefts.get(endpoint)
  if (left && left.remaining <= left.limit / 2) await wait((left.endsAt - Date.now()) / (left.remaining + 1))
  for (let attempt = 0; ; attempt++) {
    const now = lefts.get(endpoint)
    if (now?.remaining === 0) await wait(now.endsAt - Date.now())
    else if (now) lefts.set(endpoint, { ...now, remaining: now.remaining - 1 })
    try {
      const response = await send()
      note(endpoint, response.headers)
      return response
    } catch (error) {
      const waitMs = 1000 * Number(error instanceof RequestError && error.status === 429 && error.details.retry_after)
      if (!(waitMs > 0 && waitMs <= maxWaitMs) || attempt === maxRetries) throw error
      await wait(waitMs)
    }
  }
}

function note(endpoint: string, headers: Headers): void {
  const [, r, t] = /"minute";r=(\d+);t=(\d+)/.exec(headers.get('RateLimit') ?? '') ?? []
  const known = lefts.get(endpoint)
  if (r === undefined) {
    // Unlimited callers get no limit headers.
    if (!headers.get('Cache-Control')?.includes('s-maxage')) return
    if (known && known.endsAt > Date.now()) return
    lefts.set(endpoint, { limit: assumedLimit, remaining: assumedLimit - 1, endsAt: Date.now() + windowMs })
    return
  }
  const endsAt = Date.now() + 1000 * Number(t)
  // Requests on their way are not counted yet.
  const remaining = known && known.endsAt > endsAt - 2_000 ? Math.min(known.remaining, Number(r)) : Number(r)
  lefts.set(endpoint, { limit: Number(headers.get('X-RateLimit-Limit')), remaining, endsAt })
}

async function wait(ms: number): Promise<void> {
  if (ms <= 0) return
  const { signal: left } = page
  const isLong = ms > reportedWaitMs
  if (isLong) longWaits.value++
  try {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      left.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(left.reason)
      })
    })
  } finally {
    if (isLong) longWaits.value--
  }
}
