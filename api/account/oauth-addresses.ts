import type { Request } from 'express'
import { socketUrl } from '#base/socket-address.ts'
import { accountToolPath, toolPath } from '#contract/oauth.ts'
import type { ServiceAddress } from '../http/service-address.ts'

export const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

export type OAuthAddresses = ReturnType<typeof oauthAddresses>

export function oauthAddresses({ publicUrl, basePath }: ServiceAddress) {
  /**
   * Without a trailing slash. Without `PUBLIC_URL` it has the loopback host of the request: clients
   * compare it with the URL that they were given.
   */
  const issuer = ({ headers: { host = '' }, socket }: Request): string =>
    publicUrl ?? (loopbackHost.test(host) ? `http://${host}` : socketUrl(socket)) + basePath
  return {
    issuer,
    /** Protected resource metadata for a path of the tools (RFC 9728). */
    metadataUrl: (request: Request, path: string): string =>
      `${issuer(request)}/.well-known/oauth-protected-resource${path}`,
    /** With and without the base path, which RFC 8414 and RFC 9728 put last. */
    wellKnown: (name: string, path = ''): string[] => [
      ...new Set([`/.well-known/${name}${path}`, `/.well-known/${name}${basePath}${path}`]),
    ],
  }
}

/** Resources for which an issuer's tokens are valid. */
export const toolResources = (issuer: string): string[] => [accountToolPath, toolPath].map((path) => issuer + path)
