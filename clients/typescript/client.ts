import { type Parameters, type Path, writeAddress } from './address.ts'
import { type Meta, pagedPaths } from './endpoints.ts'
import { errorText, RecentAnswers, RequestError, type Retries, sendRequest } from './request.ts'
import type { Answer, ChosenRow, DefaultRow, FieldName } from './rows.ts'

export { RequestError } from './request.ts'

export interface Options {
  /** Base URL of the service, for example http://127.0.0.1:3000. */
  readonly url: string
  /** API key. Without it, the newest 60 days of basic metrics are available. */
  readonly key?: string | undefined
  /** Repetitions after status 429 or a temporary error (500, 502, 503, 504); default 2. */
  readonly retries?: number
  /**
   * Longest pause before a retry in seconds (default 60); if the service asks for more, the request
   * fails.
   */
  readonly maxWait?: number
  /** Seconds that one attempt may take; default 60. */
  readonly timeout?: number
}

export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface RowsOptions extends CallOptions {
  /** Accept only the days and fields of the caller's tier. */
  readonly partial?: boolean
}

type Query<P extends Path> = Omit<Parameters<P>, 'fields' | 'format' | 'cursor'>

/** The answer lacks data that the caller's tier may not see. */
export class PartialAnswerError extends RequestError {
  /** Missing parts: `history_limited_to`, `withheld`, `withheld_tier`. */
  readonly meta: Meta

  constructor(path: string, meta: Meta) {
    const { history_limited_to: firstDay, withheld = [], withheld_tier: tier } = meta
    const missing = [
      ...(firstDay === undefined ? [] : [`no days before ${firstDay}`]),
      ...(withheld.length === 0 ? [] : [`no ${withheld.join(', ')} below tier ${tier}`]),
    ]
    const message = `${path} answers only a part to this caller: ${missing.join('; ')}. { partial: true } accepts that`
    super('partial_answer', message, {}, 200)
    this.name = 'PartialAnswerError'
    this.meta = meta
  }
}

const isPartial = ({ history_limited_to, withheld }: Meta): boolean =>
  history_limited_to !== undefined || withheld !== undefined

/** Reads a Coinstrata service. Every method throws `RequestError`. */
export class Coinstrata {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #retries: Retries
  readonly #answers = new RecentAnswers()

  constructor({ url, key, retries = 2, maxWait = 60, timeout = 60 }: Options) {
    // Errors of fetch would print both.
    if (key !== undefined && !/^[!-~]+$/.test(key)) {
      throw new RequestError('invalid_key', 'the key has characters that no key contains: copy it again')
    }
    const { username, password } = URL.canParse(url) ? new URL(url) : { username: 'none', password: '' }
    if (username || password) {
      throw new RequestError('invalid_url', 'url must be an address such as http://127.0.0.1:3000, without credentials')
    }
    this.#url = url.replace(/\/+$/, '')
    this.#headers = key === undefined ? {} : { Authorization: `Bearer ${key}` }
    this.#retries = { maxRetries: retries, maxWaitSeconds: maxWait, timeoutMs: 1000 * timeout }
  }

  /** One page of rows with the default fields, or with `fields`. */
  get<P extends Path>(
    path: P,
    query?: Query<P>,
    fields?: undefined,
    options?: CallOptions,
  ): Promise<Answer<DefaultRow<P>>>
  get<P extends Path, const Field extends FieldName<P>>(
    path: P,
    query: Query<P> | undefined,
    fields: readonly Field[],
    options?: CallOptions,
  ): Promise<Answer<ChosenRow<P, Field>>>
  async get(
    path: Path,
    query: object = {},
    fields?: readonly string[],
    { signal }: CallOptions = {},
  ): Promise<unknown> {
    const address = writeAddress(path, { ...query, fields: fields?.join() })
    return this.#read(address, { signal }, (send) => this.#answers.read(address, send))
  }

  /**
   * All rows, page by page, of one generation. Unless `partial` is set, throws
   * `PartialAnswerError` if the caller's tier does not see all.
   */
  rows<P extends Path>(
    path: P,
    query?: Query<P>,
    fields?: undefined,
    options?: RowsOptions,
  ): AsyncGenerator<DefaultRow<P>>
  rows<P extends Path, const Field extends FieldName<P>>(
    path: P,
    query: Query<P> | undefined,
    fields: readonly Field[],
    options?: RowsOptions,
  ): AsyncGenerator<ChosenRow<P, Field>>
  async *rows(
    path: Path,
    query: object = {},
    fields?: readonly string[],
    { partial = false, signal }: RowsOptions = {},
  ): AsyncGenerator<unknown> {
    const page = pagedPaths.has(path) ? { limit: maxRowsPerPage } : {}
    let next: object | undefined = {}
    while (next !== undefined) {
      const address = writeAddress(path, { ...page, ...query, fields: fields?.join(), ...next })
      const { data, meta } = await this.#read(
        address,
        { signal },
        async (send): Promise<Answer<unknown>> => (await send()).json(),
      )
      if (isPartial(meta) && !partial) throw new PartialAnswerError(path, meta)
      yield* data
      const { next_cursor: cursor, generation } = meta
      next = cursor === undefined ? undefined : { cursor, ...(hasGeneration(query) && { generation }) }
    }
  }

  /** Draws the chart of a `POST /v1/chart/snapshot` body; returns the bytes of its `format`. */
  async chart(body: { readonly [field: string]: unknown }, { signal }: CallOptions = {}): Promise<Uint8Array> {
    const headers = { 'Content-Type': 'application/json' }
    const init = { method: 'POST', body: JSON.stringify(body), signal, headers }
    return this.#read('/v1/chart/snapshot', init, async (send) => new Uint8Array(await (await send()).arrayBuffer()))
  }

  /** Requests without a body are repeated if the connection breaks, also while `read` reads. */
  async #read<T>(
    address: string,
    { signal, ...init }: Omit<RequestInit, 'signal'> & CallOptions,
    read: (send: (headers?: Readonly<Record<string, string>>) => Promise<Response>) => Promise<T>,
  ): Promise<T> {
    const retriesUnanswered = init.method === undefined
    for (let attempt = 0; ; attempt++) {
      let response: Response | undefined
      const send = async (more: Readonly<Record<string, string>> = {}) => {
        const headers = { ...this.#headers, ...init.headers, ...more }
        const retries = { ...this.#retries, retriesUnanswered }
        response = await sendRequest(this.#url + address, { ...init, signal: signal ?? null, headers }, retries)
        return response
      }
      try {
        return await read(send)
      } catch (cause) {
        signal?.throwIfAborted()
        if (cause instanceof RequestError) throw cause
        if (retriesUnanswered && attempt < this.#retries.maxRetries) continue
        const requestId = response?.headers.get('X-Request-Id') ?? null
        const message = `the answer to ${address} is cut or not JSON (${errorText(cause)})`
        throw new RequestError('unreadable', message, {}, response?.status ?? 0, { cause, requestId })
      }
    }
  }
}

const maxRowsPerPage = 10_000

/** Rows after blocks belong to no generation; `as_of` names one itself. */
const hasGeneration = (query: object): boolean =>
  !('as_of' in query) && !('interval' in query && ['block', '1h', 'hour'].includes(String(query.interval)))
