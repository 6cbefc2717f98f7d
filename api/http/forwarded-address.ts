import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { Request } from 'express'
import { forwardedAddressHeader } from '#contract/forwarded-address.ts'

/**
 * Tells from which address a request comes: the one for which the tool server asks where the header proves that it is
 * the tool server, else that of the connection (or of the proxies that are trusted).
 */
export function addressReader(secret: string | undefined): (request: Request) => string {
  return (request) => {
    // A proxy that is trusted may pass on what is no address.
    const own = isIP(request.ip ?? '') === 0 ? (request.socket.remoteAddress ?? 'unknown') : request.ip!
    return forwardedAddress(request, secret) ?? own
  }
}

/** For which address the tool server asks; undefined where nothing proves that it is the tool server. */
export function forwardedAddress({ headers }: Request, secret: string | undefined): string | undefined {
  const given = headers[forwardedAddressHeader]
  if (secret === undefined || typeof given !== 'string') return undefined
  const [proof = '', address = ''] = given.split(' ')
  return isSame(proof, secret) && isIP(address) !== 0 ? address : undefined
}

function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)]
  return one.length === other.length && timingSafeEqual(one, other)
}
