import { signal } from '@preact/signals'
import { RequestError } from '#clients/typescript/request.ts'

/** What the service still answers in this minute, by endpoint. */
interface Left {
  readonly limit: number
  readonly remaining: number
  /** In ms since 1970. */
  readonly endsAt: number
}

const lefts = new Map<string, Left>()
/** Longer waits fail, such as until the end of the day. */
const maxWaitMs = 61_000
const maxRetries = 2
/**
 * Default of the service. Answers that shared caches may give to everybody do not tell what is
 * left.
 */
const assumedLimit = 100
const windowMs = 60_000
/** Readers are told of longer waits. */
const reportedWaitMs = 3_000

/** Requests that wait longer than a reader expects. */
export const longWaits = signal(0)

/** Why a request that was waiting was not sent. */
export class PageLeft extends Error {}

let page = new AbortController()

/**
 * Drops the waiting requests of the page that the reader leaves. Sent ones are finished, because
 * they are counted.
 */
export function leavePage(): void {
  page.abort(new PageLeft())
  page = new AbortController()
}

/**
 * Sends a request when it is due, and again after the service asked to wait up to a minute. When
 * half of the requests of a minute are used up, the others are spread over the rest of it, so that
 * a reader who passes by pages spends none. Throws `PageLeft`.
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
    // Who has no limit is not told of one.
    if (!headers.get('Cache-Control')?.includes('s-maxage')) return
    if (known && known.endsAt > Date.now()) return
    lefts.set(endpoint, { limit: assumedLimit, remaining: assumedLimit - 1, endsAt: Date.now() + windowMs })
    return
  }
  const endsAt = Date.now() + 1000 * Number(t)
  // Others are under way that the service had not counted yet.
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
