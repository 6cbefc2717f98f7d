import type { Failure } from './endpoints.ts'

/**
 * A refused or unanswered request (then `code` is `unreachable`, `status` 0), or an answer that is
 * cut or not JSON (`unreadable`).
 */
export class RequestError extends Error {
  readonly status: number
  /** For example `invalid_parameter`, `missing_api_key` or `rate_limited`. */
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  /** Names the request in the service's log; undefined without an answer. */
  readonly requestId: string | undefined

  constructor(
    code: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    status = 0,
    options: ErrorOptions & { readonly requestId?: string | null } = {},
  ) {
    super(message, options)
    this.name = 'RequestError'
    this.status = status
    this.code = code
    this.details = details
    this.requestId = options.requestId ?? undefined
  }
}

export interface Retries {
  readonly maxRetries: number
  readonly maxWaitSeconds: number
  /** Also repeat requests without an answer. */
  readonly retriesUnanswered?: boolean
  /** Limit of each attempt, until its answer is read. */
  readonly timeoutMs?: number
}

const temporaryStatuses = [429, 500, 502, 503, 504]

/**
 * Repeats a request after temporary errors. Returns a success, or 304 if `init` has If-None-Match.
 * Throws `RequestError`, or the reason of an aborted signal.
 */
export async function sendRequest(
  url: string,
  init: RequestInit,
  { maxRetries, maxWaitSeconds, retriesUnanswered = false, timeoutMs }: Retries,
): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const timeout = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]
    const signals = [...(init.signal ? [init.signal] : []), ...timeout]
    const limited = timeout.length === 0 ? init : { ...init, signal: AbortSignal.any(signals) }
    const response = await fetch(url, limited).catch((cause: unknown) => {
      init.signal?.throwIfAborted()
      if (retriesUnanswered && attempt < maxRetries) return undefined
      const message = `the service at ${new URL(url).host} does not answer (${errorText(cause)})`
      throw new RequestError('unreachable', message, {}, 0, { cause })
    })
    if (response?.ok || response?.status === 304) return response
    const wait = secondsToWait(response?.headers.get('Retry-After')) ?? 2 ** attempt / 4
    if (response) {
      const canRetry = temporaryStatuses.includes(response.status) && attempt < maxRetries && wait <= maxWaitSeconds
      if (!canRetry) throw await readFailure(response)
      await response.body?.cancel()
    }
    init.signal?.throwIfAborted()
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait * 1000)
      // The next request then throws the reason.
      const stop = (): void => {
        clearTimeout(timer)
        resolve()
      }
      init.signal?.addEventListener('abort', stop, { once: true })
    })
  }
}

/** Proxies write a date, the service seconds. */
function secondsToWait(retryAfter: string | null | undefined): number | undefined {
  if (!retryAfter) return undefined
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

async function readFailure(response: Response): Promise<RequestError> {
  const { status } = response
  const requestId = response.headers.get('X-Request-Id')
  const body: Partial<Failure> | null = await response.json().catch(() => null)
  const { code, message, details }: Partial<Failure['error']> = body?.error ?? {}
  // Proxies may answer in another format.
  if (typeof code !== 'string' || typeof message !== 'string') {
    return new RequestError('unknown', `the service answered with status ${status}`, {}, status, { requestId })
  }
  return new RequestError(code, message, details, status, { requestId })
}

/** Node.js's fetch gives the reason as its error's cause. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

const maxAnswers = 20

/** JSON of the last answers by address, reused while their ETag is current. */
export class RecentAnswers {
  readonly #answers = new Map<string, { readonly tag: string; readonly json: string }>()

  async read(
    address: string,
    send: (headers: Readonly<Record<string, string>>) => Promise<Response>,
  ): Promise<unknown> {
    const known = this.#answers.get(address)
    const response = await send(known ? { 'If-None-Match': known.tag } : {})
    const json = known && response.status === 304 ? known.json : await response.text()
    this.#answers.delete(address)
    const answer: unknown = JSON.parse(json)
    const tag = response.headers.get('ETag')
    if (tag !== null) this.#answers.set(address, { tag, json })
    for (const oldest of [...this.#answers.keys()].slice(0, -maxAnswers)) this.#answers.delete(oldest)
    return answer
  }
}
