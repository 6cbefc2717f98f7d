import { setTimeout as sleep } from 'node:timers/promises'
import pRetry from 'p-retry'
import pThrottle from 'p-throttle'
import type { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'

/** What one source needs of the network: its address, its manners, and how it says no inside a successful answer. */
export interface HttpSettings {
  readonly source: string
  readonly baseUrl: string
  readonly requestsPerMinute: number
  readonly headers?: Readonly<Record<string, string>>
  /** Which key it wants, told where it refuses the one that it got. */
  readonly wantedKey?: string
  /** Reads a refusal out of an answer with status 200; `retry` when asking again later may help. */
  readonly refusal?: (body: unknown) => Refusal | undefined
  /** The source also answers 403 to who asks too often. */
  readonly limitsBy403?: boolean
  /** Milliseconds before the first retry; later ones wait twice as long each, with jitter. */
  readonly retryDelay?: number
  /** How often a failed request is repeated. */
  readonly retries?: number
}

export interface Refusal {
  readonly message: string
  readonly retry: boolean
}

export type Query = Readonly<Record<string, string | number>>

/**
 * Asks one source. Requests are spaced by its rate limit, time out, and are repeated after network failures, 418, 429
 * and 5xx, no sooner than `Retry-After` says; see `askAgainAfter` for longer waits. Throws `market_source_blocked` for
 * 403 and 451 without a key, `market_source_failed` for everything else.
 */
export interface HttpClient {
  /** How many requests were sent so far, repeated ones among them. */
  readonly sent: () => number
  /** By how many milliseconds the source's clock was ahead of this machine's in its last answer; undefined where it told none. */
  readonly clockAhead: () => number | undefined
  /** JSON of a known shape; `body` makes it a POST. */
  json<T>(schema: z.ZodType<T>, path: string, query?: Query, body?: unknown): Promise<T>
  /** Bytes, or undefined where there is nothing (404). */
  bytes(path: string, query?: Query): Promise<Buffer | undefined>
}

const timeout = 30_000
const usualRetries = 4
/** Who asks for more patience than this is left alone until then, by this run and by the next ones. */
const longestWait = 120_000
/** The shortest ban that Binance documents for 418, should it come without its `Retry-After`. */
const shortestBan = 120_000
/** What Bybit's documentation asks for after "403, access too frequent". */
const waitAfter403 = 600_000
/** How the venues word that they do not serve a country, in place of a limit. */
const refusesCountry = /country|region|restricted location|jurisdiction/i

export function createHttpClient(settings: HttpSettings): HttpClient {
  const { source, baseUrl, requestsPerMinute, refusal, retryDelay = 1_000, retries = usualRetries } = settings
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
      response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(timeout) })
      const told = Date.parse(response.headers.get('date') ?? '')
      clockAhead = Number.isFinite(told) ? told - Date.now() : undefined
      if (response.ok) return await read(response)
    } catch (cause) {
      if (cause instanceof RequestFailure || cause instanceof CoinstrataError) throw cause
      const what = cause instanceof SyntaxError ? 'answered something other than JSON' : 'cannot be reached'
      const unreached = response === undefined
      throw new RequestFailure(`${url.origin} ${what} (${reasonOf(cause)})`, { retry: true, unreached, cause })
    }
    const text = (await response.text().catch(() => '')).slice(0, 200)
    const { status } = response
    const limited403 = status === 403 && settings.limitsBy403 === true && !refusesCountry.test(text)
    const usual = limited403 ? waitAfter403 : status === 418 ? shortestBan : 0
    throw new RequestFailure(`${url.origin}${url.pathname} answered ${status} ${text}`.trim(), {
      retry: status === 408 || status === 418 || status === 429 || status >= 500 || limited403,
      status,
      wait: waitAskedFor(response.headers.get('retry-after')) ?? usual,
    })
  }

  const ask = <T>(path: string, query: Query, body: unknown, read: (response: Response) => Promise<T>): Promise<T> =>
    pRetry(() => throttled<T>(path, query, body, read), {
      retries,
      minTimeout: retryDelay,
      randomize: true,
      shouldRetry: ({ error }) => error instanceof RequestFailure && error.retry && error.wait <= longestWait,
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (error instanceof RequestFailure && error.retry && error.wait <= longestWait && retriesLeft > 0)
          await sleep(error.wait)
      },
    }).catch((cause: unknown) => {
      throw cause instanceof RequestFailure ? userError(source, settings, cause) : cause
    })

  return {
    sent: () => sent,
    clockAhead: () => clockAhead,
    json: (schema, path, query = {}, body) =>
      ask(path, query, body, async (response) => {
        const answer: unknown = await response.json()
        const refused = refusal?.(answer)
        if (refused) throw new RequestFailure(`${source} refused ${path}: ${refused.message}`, { retry: refused.retry })
        const parsed = schema.safeParse(answer)
        if (parsed.success) return parsed.data
        const issue = parsed.error.issues[0]!
        throw new CoinstrataError(
          'market_source_failed',
          `${source} answered ${path} in another form than documented: ${issue.path.join('.')}: ${issue.message}`,
          { cure: 'the source may have changed its interface; its stored data stay as they are' },
        )
      }),
    bytes: (path, query = {}) =>
      ask(path, query, undefined, async (response) => Buffer.from(await response.arrayBuffer())).catch(
        (error: unknown) => {
          if (error instanceof CoinstrataError && error.cause instanceof RequestFailure && error.cause.status === 404)
            return undefined
          throw error
        },
      ),
  }
}

/** A failed request, before it is known whether repeating it helps. */
class RequestFailure extends Error {
  readonly retry: boolean
  readonly status: number | undefined
  /** Nothing was heard of the source. */
  readonly unreached: boolean
  /** Milliseconds that the source asked to wait. */
  readonly wait: number

  constructor(message: string, options: FailureOptions) {
    super(message, { cause: options.cause })
    this.retry = options.retry
    this.status = options.status
    this.unreached = options.unreached ?? false
    this.wait = options.wait ?? 0
  }
}

interface FailureOptions {
  readonly retry: boolean
  readonly status?: number
  readonly unreached?: boolean
  readonly wait?: number
  readonly cause?: unknown
}

function userError(source: string, settings: HttpSettings, cause: RequestFailure): CoinstrataError {
  const variable = baseUrlVariable(source)
  const closed = (cause.status === 403 && !cause.retry) || cause.status === 451
  if (closed && !settings.headers)
    return new CoinstrataError('market_source_blocked', `${source} does not serve this address: ${cause.message}`, {
      cure: `nothing needs doing, the other sources go on; where you may use it from elsewhere, set ${variable}`,
      cause,
    })
  const keyRefused = settings.headers && (closed || cause.status === 401)
  const limited = cause.retry && cause.wait > longestWait
  return new CoinstrataError('market_source_failed', `${source}: ${cause.message}`, {
    cure: keyRefused
      ? `check ${keyVariable(source)}${settings.wantedKey ? `: it takes ${settings.wantedKey}` : ''}`
      : limited
        ? `it is left alone for ${Math.ceil(cause.wait / 60_000)} minutes; a lower ${rateVariable(source)} asks it less often`
        : 'the next run asks again from where the stored data end',
    cause,
  })
}

/** Whether the rest of a source's series would fail in the same way: it cannot be reached, or refuses address or key. */
export function concernsWholeSource(error: CoinstrataError): boolean {
  if (error.code === 'market_source_blocked') return true
  if (!(error.cause instanceof RequestFailure)) return false
  const { status, retry } = error.cause
  return (status === undefined && retry) || [401, 403, 418, 429].includes(status ?? 0)
}

/** Whether nothing was heard of the source, as without a network. */
export const wasNotReached = ({ cause }: CoinstrataError): boolean => cause instanceof RequestFailure && cause.unreached

/** What became of the last request, where one failed: the status of its answer, or none where there was no answer. */
export function failedRequest(error: CoinstrataError): { status: number | undefined } | undefined {
  return error.cause instanceof RequestFailure ? { status: error.cause.status } : undefined
}

/** Milliseconds for which the source wants to be left alone, where that is longer than a run waits; otherwise 0. */
export function askAgainAfter(error: CoinstrataError): number {
  const { cause } = error
  return cause instanceof RequestFailure && cause.retry && cause.wait > longestWait ? cause.wait : 0
}

/** The environment variable that replaces a source's address. */
export const baseUrlVariable = (source: string): string => `SOURCES_${environmentName(source)}_BASE_URL`
/** The environment variable that holds the key of a source that wants one. */
export const keyVariable = (source: string): string => `SOURCES_${environmentName(source)}_API_KEY`
/** The environment variable that replaces a source's rate limit, such as that of a paid plan. */
export const rateVariable = (source: string): string => `SOURCES_${environmentName(source)}_REQUESTS_PER_MINUTE`

const environmentName = (source: string): string => source.toUpperCase().replaceAll('-', '_')

/** Milliseconds, from the seconds or the date of a `Retry-After`. */
function waitAskedFor(header: string | null): number | undefined {
  if (header === null) return undefined
  const wait = Number.isFinite(Number(header)) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
