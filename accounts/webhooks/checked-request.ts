import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { type Address, socketHost, type TargetPolicy } from './target.ts'

/** The caller must read the body or destroy it. */
export interface OutboundResponse {
  readonly status: number
  readonly body: Readable
}

export interface OutboundRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export class UnreachableError extends Error {}

/**
 * Requests a URL that a user chose; resolves with the response headers. Connects to the address
 * that was checked, so DNS rebinding has no effect. Follows no redirects. Throws
 * `UnreachableError`, also if the signal aborts.
 */
export async function sendChecked(
  request: OutboundRequest,
  policy: TargetPolicy,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const host = socketHost(request.url)
  try {
    const addresses =
      isIP(host) === 0 ? await raceAbort(signal, policy.resolve(host)) : [{ address: host, family: isIP(host) }]
    if (addresses.length === 0) throw new UnreachableError(`${host} has no address`)
    if (!addresses.every(({ address }) => policy.allows(address)))
      throw new UnreachableError(`${host} is no public address`)
    return await sendTo(request, addresses, signal)
  } catch (error) {
    throw error instanceof UnreachableError
      ? error
      : new UnreachableError(describeFailure(error, host), { cause: error })
  }
}

function sendTo(
  { url, method, headers, body }: OutboundRequest,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<OutboundResponse> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      agent: false,
      signal,
      headers,
      lookup: (_, { all }, callback) => {
        const [first] = addresses
        if (all) callback(null, [...addresses])
        else callback(null, first!.address, first!.family)
      },
    })
    request.on('error', reject)
    request.on('response', (body) => resolve({ status: body.statusCode ?? 0, body }))
    request.end(body)
  })
}

function raceAbort<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
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

function describeFailure(error: unknown, host: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return `${host} ${problems[code] ?? `cannot be reached${code && ` (${code})`}`}`
}
