import http from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import pRetry from 'p-retry'
import { z } from 'zod'
import { maxMoneySats, satsToBtc } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'
import { parseJson } from '#base/parse-json.ts'
import { errorCode } from './file-errors.ts'
import { parseRpcUrl, type RpcCredentials, type RpcEndpoint, readAuthorization } from './rpc-endpoint.ts'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export class RpcError extends CoinstrataError {
  readonly rpcCode: number
  /** The node's own message. */
  readonly reason: string

  constructor(call: string, rpcCode: number, message: string, options: { cure?: string } = {}) {
    super('rpc_failed', `the node could not answer ${call}: ${message} (RPC error ${rpcCode})`, {
      cure: options.cure ?? 'check the log of the node (debug.log), then run again',
    })
    this.rpcCode = rpcCode
    this.reason = message
  }
}

/** The node forbids this user a method (`rpcwhitelist`), or this machine all (`rpcallowip`). */
export class ForbiddenMethod extends CoinstrataError {}

const methodNotFound = -32_601

/** For methods that are not needed: undefined if the node forbids one, or is too old for it. */
export const ifOffered = <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((error: unknown) => {
    const isMissing = error instanceof RpcError && error.rpcCode === methodNotFound
    if (isMissing || error instanceof ForbiddenMethod) return undefined
    throw error
  })

class TemporaryFailure extends CoinstrataError {
  readonly retryForMs: number

  constructor(retryForMs: number, ...[code, message, options]: ConstructorParameters<typeof CoinstrataError>) {
    super(code, message, options)
    this.retryForMs = retryForMs
  }
}

const repliesSchema = z.array(
  z.object({
    id: z.number(),
    result: z.unknown(),
    error: z.object({ code: z.number(), message: z.string() }).nullish(),
  }),
)
type Replies = z.infer<typeof repliesSchema>

const warmingUp = -28
const refusedRetryMs = 2_000
const busyRetryMs = 60_000

/** JSON-RPC client. `fetch` aborts after five minutes, but `gettxoutsetinfo` may take longer. */
export class RpcClient {
  readonly #url: URL
  readonly #credentials: RpcCredentials
  readonly #agent: http.Agent
  readonly #onWait: (reason: string) => void
  #authorization: string | undefined

  /** Without credentials. */
  get url(): string {
    return this.#url.origin
  }

  /** `onWait` receives the reason for each retry. */
  constructor(endpoint: RpcEndpoint, onWait: (reason: string) => void = () => {}) {
    this.#url = parseRpcUrl(endpoint.url)
    const { Agent } = this.#url.protocol === 'https:' ? https : http
    this.#agent = new Agent({ keepAlive: true })
    this.#credentials = endpoint.credentials
    this.#onWait = onWait
  }

  /**
   * Throws `rpc_unreachable` if the node does not answer in time, `RpcError` for its own errors.
   */
  async call<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>, timeoutMs?: number): Promise<T> {
    const [answer] = await this.batch([{ method, params }], z.tuple([schema]), timeoutMs)
    return answer
  }

  /** Sends several calls in one request; the results have the same order. */
  async batch<T>(calls: readonly RpcCall[], schema: z.ZodType<T>, timeoutMs = 120_000): Promise<T> {
    const body = JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '1.0', id, method, params })))
    const methods = [...new Set(calls.map(({ method }) => method))].join(', ')
    const replies = await this.#retry(() => this.#send(body, methods, timeoutMs))
    if (replies.length !== calls.length || replies.some(({ id }, i) => id !== i)) {
      throw new CoinstrataError('rpc_failed', `the node sent ${replies.length} answers to ${calls.length} calls`)
    }
    for (const [i, { error }] of replies.entries()) {
      if (error) throw new RpcError(describeCall(calls[i]), error.code, error.message)
    }
    const answers = schema.safeParse(replies.map(({ result }) => result))
    if (answers.success) return answers.data
    const issue = answers.error.issues[0]
    const [i, ...where] = issue?.path ?? []
    const message = `the node's answer to ${describeCall(calls[Number(i)])} could not be understood: ${where.join('.')}: ${issue?.message}`
    throw new CoinstrataError('rpc_failed', message, { cure: 'Bitcoin Core 23 or newer is needed' })
  }

  #retry(send: () => Promise<Replies>): Promise<Replies> {
    const start = performance.now()
    let reported = ''
    return pRetry(send, {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: 100,
      maxTimeout: 1_000,
      shouldRetry: ({ error, retryDelay }) => {
        if (!(error instanceof TemporaryFailure)) return false
        if (performance.now() - start + retryDelay > error.retryForMs) return false
        if (error.message !== reported) this.#onWait(error.message)
        reported = error.message
        return true
      },
    })
  }

  async #send(body: string, methods: string, timeoutMs: number): Promise<Replies> {
    let response = await this.#post(body, methods, timeoutMs)
    if (response.status === 401 && 'cookieFile' in this.#credentials) {
      // The node writes a new cookie at each start.
      this.#authorization = undefined
      response = await this.#post(body, methods, timeoutMs)
    }
    const { status } = response
    if (status === 401 || status === 403) throw this.#refusalError(status, methods)
    if (status === 503) {
      const cure = 'raise rpcworkqueue in the configuration of the node, or try again when fewer programs use it'
      const message = `the node at ${this.#url.host} is too busy to answer ${methods}`
      throw new TemporaryFailure(busyRetryMs, 'node_starting', message, { cure })
    }
    const replies = repliesSchema.safeParse(parseJson(response.body))
    if (!replies.success) {
      throw new CoinstrataError(
        'rpc_failed',
        `${this.#url.host} answered ${methods} with HTTP ${status}, not with JSON-RPC`,
        {
          cure: 'check that the URL is the RPC address of the node',
        },
      )
    }
    const warming = replies.data.find(({ error }) => error?.code === warmingUp)
    if (warming?.error) {
      const message = `the node at ${this.#url.host} is starting: ${warming.error.message}`
      const cure = 'try again when the node has started'
      throw new TemporaryFailure(busyRetryMs, 'node_starting', message, { cure })
    }
    return replies.data
  }

  async #post(body: string, methods: string, timeoutMs: number): Promise<{ status: number; body: string }> {
    this.#authorization ??= readAuthorization(this.#credentials)
    const headers = {
      authorization: this.#authorization,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const signal = AbortSignal.timeout(timeoutMs)
    return new Promise((resolve, reject) => {
      const { request: send } = this.#url.protocol === 'https:' ? https : http
      const request = send(this.#url, { method: 'POST', agent: this.#agent, headers, signal })
      const fail = (cause: unknown): void => {
        // The node closes idle connections. A request sent on a closed one has not reached it.
        const closedWhileIdle = request.reusedSocket && errorCode(cause) === 'ECONNRESET'
        if (closedWhileIdle) resolve(this.#post(body, methods, timeoutMs))
        else reject(signal.aborted ? this.#timeoutError(methods, timeoutMs) : this.#connectionError(cause))
      }
      request.on('error', fail)
      request.on('response', (response) => {
        text(response).then((received) => resolve({ status: response.statusCode ?? 0, body: received }), fail)
      })
      request.end(body)
    })
  }

  #timeoutError(methods: string, timeoutMs: number): CoinstrataError {
    const message = `the node at ${this.#url.host} did not answer ${methods} within ${timeoutMs / 1000} s`
    return new CoinstrataError('rpc_unreachable', message, {
      cure: 'check that the node is running well, then try again',
    })
  }

  #connectionError(cause: unknown): Error {
    const code = errorCode(cause)
    const message = `no connection to the node at ${this.#url.host}: ${code}`
    const cure = /CERT|ISSUER|ALTNAME/.test(code)
      ? 'name the authority of its certificate by NODE_EXTRA_CA_CERTS=/path/ca.pem, and its host in BITCOIN_RPC_URL as the certificate does'
      : 'start the node with server=1, or correct BITCOIN_RPC_URL'
    return code === 'ECONNREFUSED'
      ? new TemporaryFailure(refusedRetryMs, 'rpc_unreachable', message, { cause, cure })
      : new CoinstrataError('rpc_unreachable', message, { cause, cure })
  }

  #refusalError(status: number, methods: string): CoinstrataError {
    const credentials = this.#credentials
    const [what, cure] =
      status === 403
        ? [
            `does not permit ${methods} from here`,
            'check rpcallowip and rpcwhitelist in the configuration of the node; docs/node.md lists the methods that are called',
          ]
        : 'cookieFile' in credentials
          ? [
              `refused the cookie in ${credentials.cookieFile}`,
              'check that the data directory belongs to the node that listens there',
            ]
          : [
              `refused the user ${JSON.stringify(credentials.user)} and its password`,
              'correct BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD',
            ]
    const Refusal = status === 403 ? ForbiddenMethod : CoinstrataError
    return new Refusal('rpc_refused', `the node at ${this.#url.host} ${what}`, { cure })
  }
}

const describeCall = (call: RpcCall | undefined): string =>
  call ? `${call.method} ${JSON.stringify(call.params)}`.slice(0, 120) : 'a batch'

/** In display order. */
export const hashSchema = z.string().regex(/^[0-9a-f]{64}$/)

export const heightSchema = z.int().nonnegative()

/** BTC. */
export const amountSchema = z.number().nonnegative().max(satsToBtc(maxMoneySats))
