import { setTimeout } from 'node:timers/promises'
import type { z } from 'zod'
import { forwardedAddressHeader, writeForwardedAddress } from '#contract/forwarded-address.ts'
import type { AnswerCache } from './answer-cache.ts'
import { toToolError } from './rest-failure.ts'
import { ToolError } from './tool-error.ts'

/** For whom requests are made. */
export interface Caller {
  /** Header of the caller's request, which carries its key; undefined without one. */
  readonly authorization: string | undefined
  /** The key as the header X-API-Key carries it. */
  readonly apiKey?: string | undefined
  /** Its address, and the secret that makes the API believe it; undefined where the API sees the caller itself. */
  readonly forwarded: { readonly address: string; readonly secret: string } | undefined
}

interface Request {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 30_000
/** Of the statuses that may pass by themselves; milliseconds before each further try. */
const retryDelaysMs = [250, 1_000]
const retryStatuses = [500, 502, 503, 504]

/** The REST API as one caller sees it. Every failure is a ToolError. */
export class RestClient {
  /** Without a slash at the end. */
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

  /** The answer to a GET of a path with its query, checked. */
  async get<Schema extends z.ZodType>(path: string, schema: Schema, signal: AbortSignal): Promise<z.output<Schema>> {
    const response = await this.send(path, signal)
    return checked(path, schema, jsonOf(path, await this.text(response)))
  }

  /** The answer to a POST of JSON, checked. */
  async post<Schema extends z.ZodType>(
    path: string,
    body: object,
    schema: Schema,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<z.output<Schema>> {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' }
    const response = await this.send(path, signal, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      timeoutMs,
    })
    return checked(path, schema, jsonOf(path, await this.text(response)))
  }

  /** Like `get`, but what the API says is unchanged is taken from a cache, in the form that `read` has given it. */
  async getCached<Schema extends z.ZodType, Kept extends object>(
    path: string,
    schema: Schema,
    read: (answer: z.output<Schema>) => Kept,
    cache: AnswerCache<Kept>,
    signal: AbortSignal,
  ): Promise<Kept> {
    const tags = cache.tags(path)
    const headers: Record<string, string> = tags.length > 0 ? { 'If-None-Match': tags.join(', ') } : {}
    const response = await this.send(path, signal, { headers })
    const tag = response.headers.get('ETag')
    if (response.status === 304) {
      const found = tag === null ? undefined : cache.find(path, tag)
      return found ?? read(await this.get(path, schema, signal))
    }
    const text = await this.text(response)
    const kept = read(checked(path, schema, jsonOf(path, text)))
    if (tag !== null) cache.store(path, tag, kept, text.length)
    return kept
  }

  /** Sends a request; returns only answers of success, or 304. Aborted requests end in the signal's own error. */
  async send(path: string, signal: AbortSignal, request: Request = {}): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      const result = await this.#try(path, signal, request)
      const isAnswer = result instanceof Response
      if (isAnswer && (result.ok || result.status === 304)) return result
      const mayPass = !isAnswer || retryStatuses.includes(result.status)
      if (!mayPass || attempt === retryDelaysMs.length) {
        throw isAnswer ? toToolError(result.status, await readJsonIfAny(result, signal), this.#baseUrl) : result
      }
      if (isAnswer) await result.body?.cancel()
      await setTimeout(retryDelaysMs[attempt], undefined, { signal })
    }
  }

  /** The body of an answer. */
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
          {
            cause,
          },
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

function jsonOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unexpectedAnswer(path, 'is no JSON', cause)
  }
}

function checked<Schema extends z.ZodType>(path: string, schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw unexpectedAnswer(path, `has something else at ${issue?.path.join('.')} (${issue?.message})`, result.error)
}

const unexpectedAnswer = (path: string, problem: string, cause: unknown): ToolError =>
  new ToolError(
    `the API's answer to ${path} ${problem}`,
    'check that COINSTRATA_URL is the address of a Coinstrata API, and that its version is the same as that of this tool server',
    { cause },
  )
