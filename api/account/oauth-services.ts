import type { Request } from 'express'
import { AuthorizationRequests } from '#accounts/oauth/authorization.ts'
import { ClientDocuments } from '#accounts/oauth/client-documents.ts'
import type { Clients } from '#accounts/oauth/clients.ts'
import type { TargetPolicy } from '#accounts/webhooks/target.ts'
import { socketUrl } from '#base/socket-address.ts'
import { accountToolPath, toolPath } from '#contract/oauth.ts'
import type { ServiceAddress } from '../http/service-address.ts'

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

/** URLs as OAuth clients know them. */
export class OAuthAddresses {
  readonly #service: ServiceAddress

  constructor(service: ServiceAddress) {
    this.#service = service
  }

  /**
   * Without a trailing slash. Without `PUBLIC_URL` it has the loopback host of the request, since
   * clients compare it with the URL that they were given.
   */
  issuer(request: Request): string {
    const { publicUrl, basePath } = this.#service
    if (publicUrl !== undefined) return publicUrl
    const { host = '' } = request.headers
    return (loopbackHost.test(host) ? `http://${host}` : socketUrl(request.socket)) + basePath
  }

  /** Protected resource metadata for a path of the tools (RFC 9728). */
  metadataUrl(request: Request, path: string): string {
    return `${this.issuer(request)}/.well-known/oauth-protected-resource${path}`
  }

  /** With and without the base path, which RFC 8414 and RFC 9728 put last. */
  wellKnown(name: string, path = ''): string[] {
    const { basePath } = this.#service
    return [...new Set([`/.well-known/${name}${path}`, `/.well-known/${name}${basePath}${path}`])]
  }
}

/** Resources for which tokens of an issuer are valid. */
export const toolResources = (issuer: string): string[] => [accountToolPath, toolPath].map((path) => issuer + path)

export interface OAuthServices {
  readonly addresses: OAuthAddresses
  readonly requests: AuthorizationRequests
}

/** `targets` limits where client documents may be hosted. */
export const createOAuthServices = (
  service: ServiceAddress,
  clients: Clients,
  targets: TargetPolicy,
): OAuthServices => ({
  addresses: new OAuthAddresses(service),
  requests: new AuthorizationRequests(clients, new ClientDocuments(targets)),
})
