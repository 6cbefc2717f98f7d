import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/**
 * Rewrites X-Forwarded-For of trusted proxies to plain addresses, which Express expects: some
 * proxies add a port (Azure, IIS, AWS on request), others send only `Forwarded` (RFC 7239).
 */
export function readForwarded(trustProxy: number | string) {
  return ({ headers }: IncomingMessage, _: unknown, next: () => void): void => {
    const isTrusted = trustProxy !== '' && trustProxy !== 0
    // Node joins repeated headers of this name.
    const sent = headers['x-forwarded-for'] ?? readFor(headers.forwarded)
    if (isTrusted && typeof sent === 'string') headers['x-forwarded-for'] = sent.split(',').map(withoutPort).join(', ')
    next()
  }
}

/** The parameter `for` of each element; an element without it hides its address. */
const readFor = (forwarded: string | undefined): string | undefined =>
  forwarded
    ?.split(',')
    .map((element) => /(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^;\s]*))/i.exec(element)?.slice(1).join('') ?? 'unknown')
    .join(',')

/** `192.0.2.1:443`, `[2001:db8::1]:443` and `[2001:db8::1]` to their address; other text as it is. */
function withoutPort(text: string): string {
  const [, bracketed, plain] = /^\s*(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)\s*$/.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  return isIP(address) === 0 ? text.trim() : address
}
