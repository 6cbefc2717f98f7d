import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { MaybePromise } from '#base/maybe-promise.ts'
import { mapInTurns, ownTurn } from '#base/own-turn.ts'
import { sendRequest } from '#clients/typescript/request.ts'
import { type Meta, successSchema } from '#contract/envelope.ts'
import { forwardedAddressHeader, writeForwardedAddress } from '#contract/forwarded-address.ts'
import { toToolError } from './rest-failure.ts'
import { ToolError } from './tool-error.ts'

export interface Caller {
  readonly authorization: string | undefined
  readonly apiKey?: string | undefined
  /** With the secret that makes the API trust it; undefined if the API sees the caller. */
  readonly forwarded: { readonly address: string; readonly secret: string } | undefined
}

interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs?: number
  /** Not repeated after a failure, which may have followed the change. */
  readonly isOnce?: boolean
}

interface Answer {
  readonly tag: string | null
  readonly body: Buffer
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])
const defaultTimeoutMs = 30_000
const retries = { maxRetries: 2, maxWaitSeconds: 2, retriesUnanswered: true }
const anyRows = successSchema(z.unknown())

/** REST client for one caller. Every failure is a ToolError. */
export class RestClient {
  /** Without a trailing slash. */
  readonly #baseUrl: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(baseUrl: string, { authorization, apiKey, forwarded }: Caller) {
    this.#baseUrl = baseUrl
    this.#headers = {
      // Within a machine, compressing and unpacking take longer than sending.
      ...(loopback.has(URL.parse(baseUrl)?.hostname ?? '') && { 'Accept-Encoding': 'identity' }),
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(apiKey !== undefined && { 'X-API-Key': apiKey }),
      ...(forwarded && { [forwardedAddressHeader]: writeForwardedAddress(forwarded.secret, forwarded.address) }),
    }
  }

  async get<Schema extends z.ZodType>(path: string, schema: Schema, signal: AbortSignal): Promise<z.output<Schema>> {
    return parse(path, schema, (await this.send(path, signal)).body.toString())
  }

  async rows<Row extends z.ZodType>(path: string, row: Row, signal: AbortSignal) {
    return parseRows(path, row, await this.send(path, signal))
  }

  async post<Schema extends z.ZodType>(
    path: string,
    body: object,
    schema: Schema,
    signal: AbortSignal,
    options: Pick<Request, 'timeoutMs' | 'isOnce'> = {},
  ): Promise<z.output<Schema>> {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify(body), ...options } as const
    return parse(path, schema, (await this.send(path, signal, request)).body.toString())
  }

  /** Like `rows`, but returns `read(rows)`, cached while nothing changes. */
  async cachedRows<Row extends z.ZodType, Value extends object>(
    path: string,
    row: Row,
    read: (rows: { data: z.output<Row>[]; meta: Meta }) => MaybePromise<Value>,
    cache: AnswerCache<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    const known = cache.variants(path)
    const headers: Record<string, string> = known.size > 0 ? { 'If-None-Match': [...known.keys()].join(', ') } : {}
    const answer = await this.send(path, signal, { headers })
    const { tag, body } = answer
    const unchanged = tag === null ? undefined : known.get(tag)
    if (unchanged) return unchanged
    const value = await read(await parseRows(path, row, answer))
    if (tag !== null) cache.store(path, tag, value, body.length)
    return value
  }

  /** Returns a success or a 304, after retries. Fails with the reason of an aborted signal. */
  async send(path: string, signal: AbortSignal, request: Request = {}): Promise<Answer> {
    const { timeoutMs = defaultTimeoutMs, isOnce = false, headers, ...init } = request
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await sendRequest(
        this.#baseUrl + path,
        {
          ...init,
          headers: { ...this.#headers, ...headers },
          redirect: 'error',
          signal: AbortSignal.any([signal, timeout]),
        },
        isOnce ? { ...retries, maxRetries: 0 } : retries,
      )
      return { tag: response.headers.get('ETag'), body: Buffer.from(await response.arrayBuffer()) }
    } catch (cause) {
      signal.throwIfAborted()
      if (!timeout.aborted) throw toToolError(cause, this.#baseUrl)
      const problem = `the API did not answer within ${timeoutMs / 1000} seconds`
      throw new ToolError(problem, 'ask for less, or try again later', { cause })
    }
  }
}

/** API access until an assistant's request ends. */
export interface Access {
  readonly rest: RestClient
  readonly signal: AbortSignal
  /** Called with the metadata of all data that an answer uses, also if they were cached. */
  readonly noteMeta?: (meta: Meta) => void
}

async function parseRows<Row extends z.ZodType>(path: string, row: Row, { body }: Answer) {
  const { first, rest } = await parseFirstRows(body)
  const { data, meta } = parse(path, anyRows, rest)
  return { data: await mapInTurns([...first, ...data], (one, i) => check(path, row, one, `data.${i}.`)), meta }
}

const beforeRows = '{"success":true,"data":['
const betweenRows = '},{'
const pieceBytes = 200_000

/**
 * Parses a long answer but its last piece, which is left in `rest`, in pieces: they end between
 * rows, or if not are no JSON. Then `rest` is the whole.
 */
async function parseFirstRows(body: Buffer): Promise<{ readonly first: readonly unknown[]; readonly rest: string }> {
  const first: unknown[] = []
  let from = beforeRows.length
  if (body.toString('latin1', 0, from) !== beforeRows) return { first: [], rest: body.toString() }
  for (let end = from; ; await ownTurn()) {
    end = body.indexOf(betweenRows, from + pieceBytes) + 1
    if (end === 0) return { first, rest: beforeRows + body.toString('utf8', from) }
    try {
      first.push(...JSON.parse(`[${body.toString('utf8', from, end)}]`))
    } catch {
      return { first: [], rest: body.toString() }
    }
    from = end + 1
  }
}

function parse<Schema extends z.ZodType>(path: string, schema: Schema, text: string): z.output<Schema> {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (cause) {
    throw unexpectedAnswer(path, 'is no JSON', cause)
  }
  return check(path, schema, content)
}

function check<Schema extends z.ZodType>(path: string, schema: Schema, value: unknown, place = ''): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const problem = `has an unexpected value at ${place}${issue?.path.join('.')} (${issue?.message})`
  throw unexpectedAnswer(path, problem, result.error)
}

const unexpectedAnswer = (path: string, problem: string, cause: unknown): ToolError =>
  new ToolError(
    `the API's answer to ${path} ${problem}`,
    'check that COINSTRATA_URL is the address of a Coinstrata API, and that its version is the same as that of this tool server',
    { cause },
  )

/** JSON; takes about half as many bytes in memory. */
const maxCharacters = 48_000_000
/** One per tier and generation; the oldest are of past generations. */
const maxVariants = 5

interface Variants<Value> {
  readonly characters: number
  readonly byTag: ReadonlyMap<string, Value>
}

/** Answers by entity tag, used only if the API confirms the tag for the caller. */
export class AnswerCache<Value extends object> {
  readonly #variants = new LRUCache<string, Variants<Value>>({
    maxSize: maxCharacters,
    sizeCalculation: ({ characters }, address) => characters + address.length,
  })

  variants(address: string): ReadonlyMap<string, Value> {
    return this.#variants.get(address)?.byTag ?? new Map()
  }

  store(address: string, tag: string, answer: Value, characters: number): void {
    const known = [...this.variants(address)].filter(([other]) => other !== tag)
    const byTag = new Map([...known, [tag, answer] as const].slice(-maxVariants))
    this.#variants.set(address, { characters: characters * byTag.size, byTag })
  }
}
