import { type Parameters, type Path, writeAddress } from './address.ts'
import type { Failure, Meta } from './endpoints.ts'
import type { Answer, ChosenRow, DefaultRow } from './rows.ts'

export interface Options {
  /** Of the service, such as http://127.0.0.1:3000. */
  readonly url: string
  /** An API key; without one there are the newest 60 days of basic metrics. */
  readonly key?: string | undefined
  /** How often a request is sent again that was refused for its number (429) or may pass by itself (5xx). */
  readonly retries?: number
  /** Longest time to wait before that, in seconds: what asks for more fails at once. */
  readonly longestWait?: number
}

export interface RowsOptions {
  /** Also answers that hold only the days and fields which the tier of the caller sees. */
  readonly partial?: boolean
}

type Asked<P extends Path> = Omit<Parameters<P>, 'fields' | 'format' | 'cursor'>

/** The service answered, and not with what was asked for. */
export class RequestError extends Error {
  readonly status: number
  /** Such as `invalid_parameter`, `missing_api_key`, `rate_limited`. */
  readonly code: string
  readonly details: Failure['error']['details']

  constructor(status: number, { code, message, details }: Failure['error']) {
    super(message)
    this.name = 'RequestError'
    this.status = status
    this.code = code
    this.details = details
  }
}

/** The service answered less than was asked for, because the tier of the caller sees no more. */
export class PartialAnswerError extends Error {
  /** What is missing: `history_limited_to`, `withheld` and `withheld_tier`. */
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

const passing = [429, 500, 502, 503, 504]

/** Reads a Coinstrata service. Every method throws `RequestError`. */
export class Coinstrata {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #retries: number
  readonly #longestWait: number

  constructor({ url, key, retries = 2, longestWait = 60 }: Options) {
    this.#url = url.replace(/\/+$/, '')
    this.#headers = key === undefined ? {} : { Authorization: `Bearer ${key}` }
    this.#retries = retries
    this.#longestWait = longestWait
  }

  /** One answer: the rows that an endpoint names, or with `fields` these columns. */
  get<P extends Path>(path: P, asked?: Asked<P>): Promise<Answer<DefaultRow<P>>>
  get<P extends Path, const Field extends string>(
    path: P,
    asked: Asked<P> | undefined,
    fields: readonly Field[],
  ): Promise<Answer<ChosenRow<P, Field>>>
  async get(path: Path, asked: object = {}, fields?: readonly string[]): Promise<unknown> {
    return (await this.#send(writeAddress(path, { ...asked, fields: fields?.join() }))).json()
  }

  /**
   * All rows, answer by answer, also where there are more than one answer holds. Throws `PartialAnswerError` where the
   * tier of the caller does not see all of them, unless `partial` accepts those that it sees.
   */
  rows<P extends Path>(
    path: P,
    asked?: Asked<P>,
    fields?: undefined,
    options?: RowsOptions,
  ): AsyncGenerator<DefaultRow<P>>
  rows<P extends Path, const Field extends string>(
    path: P,
    asked: Asked<P> | undefined,
    fields: readonly Field[],
    options?: RowsOptions,
  ): AsyncGenerator<ChosenRow<P, Field>>
  async *rows(
    path: Path,
    asked: object = {},
    fields?: readonly string[],
    { partial = false }: RowsOptions = {},
  ): AsyncGenerator<unknown> {
    let cursor: string | undefined
    do {
      const response = await this.#send(writeAddress(path, { ...asked, fields: fields?.join(), cursor }))
      const { data, meta }: Answer<unknown> = await response.json()
      if (isPartial(meta) && !partial) throw new PartialAnswerError(path, meta)
      yield* data
      cursor = meta.next_cursor
    } while (cursor !== undefined)
  }

  /** A chart of what the body of `POST /v1/chart/snapshot` describes, as the bytes of a file of its `format`. */
  async chart(body: { readonly [field: string]: unknown }): Promise<Uint8Array> {
    const response = await this.#send('/v1/chart/snapshot', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    return new Uint8Array(await response.arrayBuffer())
  }

  async #send(address: string, init: RequestInit = {}): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      const response = await fetch(this.#url + address, { ...init, headers: { ...this.#headers, ...init.headers } })
      if (response.ok) return response
      const wait = Number(response.headers.get('Retry-After') ?? 2 ** attempt / 4)
      const mayPass = passing.includes(response.status) && attempt < this.#retries && wait <= this.#longestWait
      if (!mayPass) throw await failureOf(response)
      await response.body?.cancel()
      await new Promise((resolve) => setTimeout(resolve, wait * 1000))
    }
  }
}

async function failureOf(response: Response): Promise<RequestError> {
  const body: Partial<Failure> = await response.json().catch(() => ({}))
  const unknown = { code: 'unknown', message: `the service answered with status ${response.status}` }
  return new RequestError(response.status, body.error ?? unknown)
}
