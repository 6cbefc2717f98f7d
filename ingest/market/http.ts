import { setTimeout as sleep } from 'node:timers/promises'
import pRetry from 'p-retry'
import pThrottle from 'p-throttle'
import type { z } from 'zod'
import { fetchWithinOrigin, readBytes } from '#base/bounded-fetch.ts'
import { CoinstrataError } from '#base/errors.ts'

export interface HttpSettings {
  readonly source: string
  readonly baseUrl: string
  readonly requestsPerMinute: number
  readonly headers?: Readonly<Record<string, string>>
  /** For the error message when a key is refused. */
  readonly wantedKey?: string
  /** Detects a refusal with status 200; `retry` if asking again may help. */
  readonly refusal?: (body: unknown) => Refusal | undefined
  /** The source also limits requests by 403. */
  readonly limitsBy403?: boolean
  /** Before the first retry; doubles for further ones, with jitter. */
  readonly retryDelayMs?: number
  readonly retries?: number
}

export interface Refusal {
  readonly message: string
  readonly retry: boolean
}

export type Query = Readonly<Record<string, string | number>>

/**
 * Spaces requests by the source's rate limit; retries network failures, 418, 429 and 5xx, no sooner
 * than `Retry-After`. Throws `market_source_blocked` for 403 and 451 without a key, otherwise
 * `market_source_failed`.
 */
export interface HttpClient {
  readonly sent: () => number
  /** Source's clock minus ours at the last response; undefined without Date header. */
  readonly clockAheadMs: () => number | undefined
  /** A request with `body` is a POST. */
  json<T>(schema: z.ZodType<T>, path: string, query?: Query, body?: unknown): Promise<T>
  /** Undefined for 404. */
  bytes(path: string, query?: Query): Promise<Buffer | undefined>
}

const timeoutMs = 30_000
/** Decompressed; the longest documented answers have some megabytes. */
const maxAnswerBytes = 64 * 2 ** 20
const maxErrorBytes = 100_000
const defaultRetries = 4
/** Longer waits are left to later runs. */
const maxWaitMs = 120_000
/** Shortest ban Binance documents for 418; used without `Retry-After`. */
const minBanMs = 120_000
/** Bybit's documented wait after "403, access too frequent". */
const waitAfter403Ms = 600_000
/** Marks a 403 as a blocked country, not a rate limit. */
const refusesCountry = /country|region|restricted location|jurisdiction/i

export function createHttpClient(settings: HttpSettings): HttpClient {
  const { source, baseUrl, requestsPerMinute, refusal, retryDelayMs = 1_000, retries = defaultRetries } = settings
  let sent = 0
  let clockAhead: number | undefined
  const throttled = pThrottle({ limit: 1, interval: 60_000 / requestsPerMinute, strict: true })(request)

  async function request<T>(path: string, query: Query, body: unknown, read: (response: Response) => Promise<T>) {
    const url = new URL(baseUrl.replace(/\/$/, '') + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    const init: RequestInit =
      body === undefined
        ? {}
        : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const headers = { 'user-agent': 'coinstrata', ...settings.headers, ...init.headers }
    let response: Response | undefined
    sent++
    try {
      response = await fetchWithinOrigin(url, { ...init, headers, signal: AbortSignal.timeout(timeoutMs) })
      const serverTime = Date.parse(response.headers.get('date') ?? '')
      clockAhead = Number.isFinite(serverTime) ? serverTime - Date.now() : undefined
      if (response.ok) return await read(response)
    } catch (cause) {
      if (cause instanceof RequestFailure || cause instanceof CoinstrataError) throw cause
      const isTooLong = cause instanceof RangeError
      const what = cause instanceof SyntaxError ? 'answered something other than JSON' : 'cannot be reached'
      const unreached = response === undefined
      const message = isTooLong ? `${url.origin} ${cause.message}` : `${url.origin} ${what} (${describeCause(cause)})`
      throw new RequestFailure(message, { retry: !isTooLong, unreached, cause })
    }
    const text = (await readBytes(response, maxErrorBytes).catch(() => '')).toString().slice(0, 200)
    const { status } = response
    const limited403 = status === 403 && settings.limitsBy403 === true && !refusesCountry.test(text)
    const defaultWaitMs = limited403 ? waitAfter403Ms : status === 418 ? minBanMs : 0
    throw new RequestFailure(`${url.origin}${url.pathname} answered ${status} ${text}`.trim(), {
      retry: status === 408 || status === 418 || status === 429 || status >= 500 || limited403,
      status,
      waitMs: parseRetryAfter(response.headers.get('retry-after')) ?? defaultWaitMs,
    })
  }

  const ask = <T>(path: string, query: Query, body: unknown, read: (response: Response) => Promise<T>): Promise<T> =>
    pRetry(() => throttled<T>(path, query, body, read), {
      retries,
      minTimeout: retryDelayMs,
      randomize: true,
      shouldRetry: ({ error }) => error instanceof RequestFailure && error.retry && error.waitMs <= maxWaitMs,
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (error instanceof RequestFailure && error.retry && error.waitMs <= maxWaitMs && retriesLeft > 0)
          await sleep(error.waitMs)
      },
    }).catch((cause: unknown) => {
      throw cause instanceof RequestFailure ? toCoinstrataError(source, settings, cause) : cause
    })

  return {
    sent: () => sent,
    clockAheadMs: () => clockAhead,
    json: (schema, path, query = {}, body) =>
      ask(path, query, body, async (response) => {
        const answer: unknown = JSON.parse((await readBytes(response, maxAnswerBytes)).toString())
        const refused = refusal?.(answer)
        if (refused) throw new RequestFailure(`${source} refused ${path}: ${refused.message}`, { retry: refused.retry })
        const parsed = schema.safeParse(answer)
        if (parsed.success) return parsed.data
        const issue = parsed.error.issues[0]!
        const what = `${issue.path.join('.')}: ${issue.message}`
        throw undocumented(`${source} answered ${path} in another form than documented: ${what}`)
      }),
    bytes: (path, query = {}) =>
      ask(path, query, undefined, (response) => readBytes(response, maxAnswerBytes)).catch((error: unknown) => {
        if (error instanceof CoinstrataError && error.cause instanceof RequestFailure && error.cause.status === 404)
          return undefined
        throw error
      }),
  }
}

class RequestFailure extends Error {
  readonly retry: boolean
  readonly status: number | undefined
  readonly unreached: boolean
  readonly waitMs: number

  constructor(message: string, options: FailureOptions) {
    super(message, { cause: options.cause })
    this.retry = options.retry
    this.status = options.status
    this.unreached = options.unreached ?? false
    this.waitMs = options.waitMs ?? 0
  }
}

interface FailureOptions {
  readonly retry: boolean
  readonly status?: number
  readonly unreached?: boolean
  readonly waitMs?: number
  readonly cause?: unknown
}

export const undocumented = (message: string, cause?: unknown): CoinstrataError =>
  new CoinstrataError('market_source_failed', message, {
    cure: 'the source may have changed its interface; its stored data stays as it is',
    cause,
  })

function toCoinstrataError(source: string, settings: HttpSettings, cause: RequestFailure): CoinstrataError {
  const variable = baseUrlVariable(source)
  const closed = (cause.status === 403 && !cause.retry) || cause.status === 451
  if (closed && !settings.headers)
    return new CoinstrataError('market_source_blocked', `${source} does not serve this address: ${cause.message}`, {
      cure: `nothing needs doing, the other sources go on; where you may use it from elsewhere, set ${variable}`,
      cause,
    })
  const keyRefused = settings.headers && (closed || cause.status === 401)
  const limited = cause.retry && cause.waitMs > maxWaitMs
  return new CoinstrataError('market_source_failed', `${source}: ${cause.message}`, {
    cure: keyRefused
      ? `check ${keyVariable(source)}${settings.wantedKey ? `: it takes ${settings.wantedKey}` : ''}`
      : limited
        ? `it is left alone for ${Math.ceil(cause.waitMs / 60_000)} minutes; a lower ${rateVariable(source)} asks it less often`
        : 'the next run asks again from where the stored data end',
    cause,
  })
}

/** True if other series would fail too: unreachable, or address or key refused. */
export function concernsWholeSource(error: CoinstrataError): boolean {
  if (error.code === 'market_source_blocked') return true
  if (!(error.cause instanceof RequestFailure)) return false
  const { status, retry } = error.cause
  return (status === undefined && retry) || [401, 403, 418, 429].includes(status ?? 0)
}

export const isUnreachable = ({ cause }: CoinstrataError): boolean => cause instanceof RequestFailure && cause.unreached

/** Undefined status if there was no response. */
export function failedRequest(error: CoinstrataError): { status: number | undefined } | undefined {
  return error.cause instanceof RequestFailure ? { status: error.cause.status } : undefined
}

/** Requested wait beyond a run's maximum, otherwise 0. */
export function retryAfterMs(error: CoinstrataError): number {
  const { cause } = error
  return cause instanceof RequestFailure && cause.retry && cause.waitMs > maxWaitMs ? cause.waitMs : 0
}

export const baseUrlVariable = (source: string): string => `SOURCES_${environmentName(source)}_BASE_URL`
export const keyVariable = (source: string): string => `SOURCES_${environmentName(source)}_API_KEY`
export const rateVariable = (source: string): string => `SOURCES_${environmentName(source)}_REQUESTS_PER_MINUTE`

const environmentName = (source: string): string => source.toUpperCase().replaceAll('-', '_')

/** To milliseconds, from seconds or date. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const wait = Number.isFinite(Number(header)) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

/** A host with several addresses fails with an `AggregateError` without own message. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause : error
  const failures: readonly unknown[] = cause instanceof AggregateError ? cause.errors : []
  return cause.message || failures.map(describeCause).join('; ') || cause.name
}
