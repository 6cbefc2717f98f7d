import { type Parameters, type Path, writeAddress } from './address.ts'
import type { Meta } from './endpoints.ts'
import { RecentAnswers, type Retries, sendRequest } from './request.ts'
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
  readonly longestWait?: number
}

export interface RowsOptions {
  /** Accept only the days and fields of the caller's tier. */
  readonly partial?: boolean
}

type Query<P extends Path> = Omit<Parameters<P>, 'fields' | 'format' | 'cursor'>

/** The answer lacks data that the caller's tier may not see. */
export class PartialAnswerError extends Error {
  /** Missing parts: `history_limited_to`, `withheld`, `withheld_tier`. */
  readonly meta: Meta

  constructor(path: string, meta: Meta) {
    const { history_limited_to: firstDay, withheld = [], withheld_tier: tier } = meta
    const missing = [
      ...(firstDay === undefined ? [] : [`no days before ${firstDay}`]),
      ...(withheld.length === 0 ? [] : [`no ${withheld.join(', ')} below tier ${tier}`]),
    ]
    super(`${path} answers only a part to this caller: ${missing.join('; ')}. { partial: true } accepts that`)
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

  constructor({ url, key, retries = 2, longestWait = 60 }: Options) {
    this.#url = url.replace(/\/+$/, '')
    this.#headers = key === undefined ? {} : { Authorization: `Bearer ${key}` }
    this.#retries = { maxRetries: retries, maxWaitSeconds: longestWait }
  }

  /** One page of rows with the default fields, or with `fields`. */
  get<P extends Path>(path: P, query?: Query<P>): Promise<Answer<DefaultRow<P>>>
  get<P extends Path, const Field extends FieldName<P>>(
    path: P,
    query: Query<P> | undefined,
    fields: readonly Field[],
  ): Promise<Answer<ChosenRow<P, Field>>>
  async get(path: Path, query: object = {}, fields?: readonly string[]): Promise<unknown> {
    const address = writeAddress(path, { ...query, fields: fields?.join() })
    return JSON.parse(await this.#answers.read(address, (headers) => this.#send(address, { headers })))
  }

  /**
   * All rows, page by page. Unless `partial` is set, throws `PartialAnswerError` if the caller's
   * tier does not see all.
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
    { partial = false }: RowsOptions = {},
  ): AsyncGenerator<unknown> {
    let cursor: string | undefined
    do {
      const response = await this.#send(writeAddress(path, { ...query, fields: fields?.join(), cursor }))
      const { data, meta }: Answer<unknown> = await response.json()
      if (isPartial(meta) && !partial) throw new PartialAnswerError(path, meta)
      yield* data
      cursor = meta.next_cursor
    } while (cursor !== undefined)
  }

  /** Draws the chart of a `POST /v1/chart/snapshot` body; returns the bytes of its `format`. */
  async chart(body: { readonly [field: string]: unknown }): Promise<Uint8Array> {
    const response = await this.#send('/v1/chart/snapshot', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    return new Uint8Array(await response.arrayBuffer())
  }

  #send(address: string, init: RequestInit = {}): Promise<Response> {
    return sendRequest(this.#url + address, { ...init, headers: { ...this.#headers, ...init.headers } }, this.#retries)
  }
}
