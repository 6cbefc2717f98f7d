import { formatBytes } from './quantities.ts'

const maxRedirects = 5

/**
 * Like `fetch`, but redirects are followed only for GET and within the origin, or from HTTP to
 * HTTPS of the same host: another one would get keys in headers, and the caller's trust.
 */
export async function fetchWithinOrigin(address: string | URL, init: RequestInit): Promise<Response> {
  let url = new URL(address)
  for (let i = 0; i <= maxRedirects; i++) {
    const response = await fetch(url, { ...init, redirect: 'manual' })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null) return response
    await response.body?.cancel()
    const next = URL.parse(location, url)
    const isSecured = next?.hostname === url.hostname && url.protocol === 'http:' && next.protocol === 'https:'
    if (!next || init.method === 'POST' || (next.origin !== url.origin && !isSecured))
      throw new Error(`redirected to ${(next?.origin ?? location).slice(0, 200)}, which is not followed`)
    url = next
  }
  throw new Error(`redirected more than ${maxRedirects} times`)
}

/** The body of a response, decompressed; rejects with a RangeError above `maxBytes`. */
export async function readBytes({ body }: Response, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // Leaving the loop cancels the rest.
    if (bytes > maxBytes) throw new RangeError(`answered more than ${formatBytes(maxBytes)}`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
