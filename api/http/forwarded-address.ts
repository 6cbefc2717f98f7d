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
    const given = request.headers[forwardedAddressHeader]
    // A proxy that is trusted may pass on what is no address.
    const own = isIP(request.ip ?? '') === 0 ? (request.socket.remoteAddress ?? 'unknown') : request.ip!
    if (secret === undefined || typeof given !== 'string') return own
    const [proof = '', address = ''] = given.split(' ')
    return isSame(proof, secret) && isIP(address) !== 0 ? address : own
  }
}

function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)]
  return one.length === other.length && timingSafeEqual(one, other)
}
