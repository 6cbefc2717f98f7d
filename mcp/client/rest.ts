import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { z } from 'zod'
import { forwardedAddressHeader, writeForwardedAddress } from '#contract/forwarded-address.ts'
import { toToolError } from './rest-failure.ts'
import { ToolError } from './tool-error.ts'

export interface Caller {
  readonly authorization: string | undefined
  readonly apiKey?: string | undefined
  /** With the secret that makes the API trust it; undefined if the API sees the caller itself. */
  readonly forwarded: { readonly address: string; readonly secret: string } | undefined
}

interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs?: number
  /** Not repeated after a failure, which may have come after the change. */
  readonly isOnce?: boolean
}

const defaultTimeoutMs = 30_000
const retryDelaysMs = [250, 1_000]
const retryStatuses = [500, 502, 503, 504]

/** Client of the REST API for one caller. Every failure is a ToolError. */
export class RestClient {
  /** Without a trailing slash. */
  readonly #baseUrl: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(baseUrl: string, { authorization, apiKey, forwarded }: Caller) {
    this.#baseUrl = baseUrl
    this.#headers = {
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(apiKey !== undefined && { 'X-API-Key': apiKey }),
      ...(forwarded && { [forwardedAddressHeader]: writeForwardedAddress(forwarded.secret, forwarded.address) }),
    }
  }

  async get<Schema extends z.ZodType>(path: string, schema: Schema, signal: AbortSignal): Promise<z.output<Schema>> {
    return parse(path, schema, await this.text(await this.send(path, signal)))
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
    return parse(path, schema, await this.text(await this.send(path, signal, request)))
  }

  /** Like `get`, but returns `read(answer)`, from the cache if nothing has changed. */
  async getCached<Schema extends z.ZodType, Value extends object>(
    path: string,
    schema: Schema,
    read: (answer: z.output<Schema>) => Value,
    cache: AnswerCache<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    const tags = cache.tags(path)
    const headers: Record<string, string> = tags.length > 0 ? { 'If-None-Match': tags.join(', ') } : {}
    const response = await this.send(path, signal, { headers })
    const tag = response.headers.get('ETag')
    if (response.status === 304) {
      const found = tag === null ? undefined : cache.find(path, tag)
      return found ?? read(await this.get(path, schema, signal))
    }
    const text = await this.text(response)
    const value = read(parse(path, schema, text))
    if (tag !== null) cache.store(path, tag, value, text.length)
    return value
  }

  /** Returns a success or a 304, after retries. If aborted, throws the signal's reason. */
  async send(path: string, signal: AbortSignal, request: Request = {}): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      const result = await this.#try(path, signal, request)
      const isAnswer = result instanceof Response
      if (isAnswer && (result.ok || result.status === 304)) return result
      const isTransient = !isAnswer || retryStatuses.includes(result.status)
      if (!isTransient || request.isOnce || attempt === retryDelaysMs.length) {
        throw isAnswer ? toToolError(result.status, await readJsonIfAny(result, signal), this.#baseUrl) : result
      }
      if (isAnswer) await result.body?.cancel()
      await setTimeout(retryDelaysMs[attempt], undefined, { signal })
    }
  }

  async bytes(response: Response): Promise<Buffer> {
    try {
      return Buffer.from(await response.arrayBuffer())
    } catch (cause) {
      throw this.#unreachable(cause)
    }
  }

  async text(response: Response): Promise<string> {
    return (await this.bytes(response)).toString('utf8')
  }

  async #try(path: string, signal: AbortSignal, request: Request): Promise<Response | ToolError> {
    const { method = 'GET', headers, body, timeoutMs: milliseconds = defaultTimeoutMs } = request
    const timeout = AbortSignal.timeout(milliseconds)
    try {
      return await fetch(this.#baseUrl + path, {
        method,
        headers: { ...this.#headers, ...headers },
        ...(body !== undefined && { body }),
        redirect: 'error',
        signal: AbortSignal.any([signal, timeout]),
      })
    } catch (cause) {
      signal.throwIfAborted()
      if (timeout.aborted) {
        throw new ToolError(
          `the API did not answer within ${milliseconds / 1000} seconds`,
          'ask for less, or try again later',
          { cause },
        )
      }
      return this.#unreachable(cause)
    }
  }

  #unreachable(cause: unknown): ToolError {
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause)
    const cure = 'check that the server runs, and that COINSTRATA_URL is its address'
    return new ToolError(`the API at ${this.#baseUrl} cannot be reached: ${reason}`, cure, { cause })
  }
}

async function readJsonIfAny(response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

function parse<Schema extends z.ZodType>(path: string, schema: Schema, text: string): z.output<Schema> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw unexpectedAnswer(path, 'is no JSON', cause)
  }
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw unexpectedAnswer(path, `has an unexpected value at ${issue?.path.join('.')} (${issue?.message})`, result.error)
}

const unexpectedAnswer = (path: string, problem: string, cause: unknown): ToolError =>
  new ToolError(
    `the API's answer to ${path} ${problem}`,
    'check that COINSTRATA_URL is the address of a Coinstrata API, and that its version is the same as that of this tool server',
    { cause },
  )

/** As JSON. In memory they take about half as many bytes. */
const maxCharacters = 48_000_000
/** One per tier and generation. If there are more, the oldest are of past generations. */
const maxVariants = 5

interface Variants<Value> {
  readonly characters: number
  readonly byTag: ReadonlyMap<string, Value>
}

/** Answers by entity tag, used only if the API confirms the tag for the same caller. */
export class AnswerCache<Value extends object> {
  readonly #variants = new LRUCache<string, Variants<Value>>({
    maxSize: maxCharacters,
    sizeCalculation: ({ characters }, address) => characters + address.length,
  })

  tags(address: string): readonly string[] {
    return [...(this.#variants.get(address)?.byTag.keys() ?? [])]
  }

  find(address: string, tag: string): Value | undefined {
    return this.#variants.get(address)?.byTag.get(tag)
  }

  store(address: string, tag: string, answer: Value, characters: number): void {
    const known = [...(this.#variants.get(address)?.byTag ?? [])].filter(([other]) => other !== tag)
    const byTag = new Map([...known, [tag, answer] as const].slice(-maxVariants))
    this.#variants.set(address, { characters: characters * byTag.size, byTag })
  }
}
