import type { RequestHandler } from 'express'
import { ApiError } from '#contract/api-error.ts'

/** IP addresses, and names that no web site can have. */
const privateHost = /^\[|^[\d.]+$|^[^.]+$|\.(home\.arpa|internal|lan|local|localhost|onion)\.?$/

/**
 * Refuses several Host headers. With open access, serves only private hosts and `allowed` ones:
 * pages of other sites could read everything by resolving their own name to this machine (DNS
 * rebinding).
 */
export function checkHost(isOpen: boolean, allowed: readonly string[]): RequestHandler {
  return ({ headers: { host = 'localhost' }, rawHeaders }, _, next) => {
    if (rawHeaders.filter((text, i) => i % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host').length > 1)
      throw new ApiError('invalid_parameter', 'the request has more than one Host header: send one')
    const name = isOpen ? (URL.parse(`http://${host}`)?.hostname ?? '') : 'localhost'
    if (privateHost.test(name) || allowed.includes(name)) return next()
    const message = `this service is open to everyone, but not at the name '${name.slice(0, 100)}'`
    throw new ApiError(
      'forbidden',
      `${message}: use its IP address, or set PUBLIC_URL or MCP_ALLOWED_HOSTS to that name`,
    )
  }
}
