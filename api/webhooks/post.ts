import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { type Address, hostOf, type TargetPolicy } from './target.ts'

/** What came of a message: it was taken, or why not. */
export interface Outcome {
  readonly taken: boolean
  readonly problem: string | null
  /** The receiver wants no more of them (410). */
  readonly isGone: boolean
}

export interface Message {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const failed = (problem: string): Outcome => ({ taken: false, problem, isGone: false })

/**
 * Sends a message, within so many milliseconds in all. The connection leads to an address that was checked: the name is
 * asked once, so that it cannot be another one's a moment later. Redirects are not followed, and bodies not read.
 */
export async function post(
  { url, headers, body }: Message,
  policy: TargetPolicy,
  timeLimit: number,
  stop: AbortSignal,
): Promise<Outcome> {
  const target = new URL(url)
  const host = hostOf(target)
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeLimit)])
  try {
    const addresses =
      isIP(host) === 0 ? await until(signal, policy.resolve(host)) : [{ address: host, family: isIP(host) }]
    if (addresses.length === 0) return failed(`${host} has no address`)
    if (!addresses.every(({ address }) => policy.allows(address))) return failed(`${host} is no public address`)
    const status = await statusOf(target, headers, body, addresses, signal)
    if (status >= 200 && status < 300) return { taken: true, problem: null, isGone: false }
    const hint = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
    return { taken: false, problem: `it answered ${status}${hint}`, isGone: status === 410 }
  } catch (error) {
    return failed(signal.aborted ? `it did not answer within ${timeLimit / 1000} seconds` : problemOf(error, host))
  }
}

function statusOf(
  target: URL,
  headers: Message['headers'],
  body: string,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = (target.protocol === 'https:' ? https : http).request(target, {
      method: 'POST',
      agent: false,
      signal,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      lookup: (_, { all }, callback) => {
        const [first] = addresses
        if (all) callback(null, [...addresses])
        else callback(null, first!.address, first!.family)
      },
    })
    request.on('error', reject)
    request.on('response', ({ statusCode = 0 }) => {
      resolve(statusCode)
      request.destroy()
    })
    request.end(body)
  })
}

/** What a promise resolves to, or the failure of the signal where that comes first. */
function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}

const problems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'broke the connection off',
  ENOTFOUND: 'is not known to the name servers',
  ENODATA: 'is not known to the name servers',
}

function problemOf(error: unknown, host: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return `${host} ${problems[code] ?? `cannot be reached${code && ` (${code})`}`}`
}
