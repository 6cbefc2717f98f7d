import type { Request } from 'express'
import { socketUrl } from '#base/socket-address.ts'
import { accountToolPath, toolPath } from '#contract/oauth.ts'
import type { ServiceAddress } from '../http/service-address.ts'

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

/** Addresses by which this service is known to OAuth clients. */
export class OAuthAddresses {
  readonly #service: ServiceAddress

  constructor(place: ServiceAddress) {
    this.#service = place
  }

  /**
   * Who issues tokens: the service, without a slash at the end. Without `PUBLIC_URL` the address that was connected to, by the name
   * that the caller gives this machine, since clients compare it with the one that they were given.
   */
  issuer(request: Request): string {
    const { publicUrl, basePath } = this.#service
    if (publicUrl !== undefined) return publicUrl
    const { host = '' } = request.headers
    return (loopbackHost.test(host) ? `http://${host}` : socketUrl(request.socket)) + basePath
  }

  /** Where it is described what is needed for one of the paths of the tools (RFC 9728). */
  metadataUrl(request: Request, path: string): string {
    return `${this.issuer(request)}/.well-known/oauth-protected-resource${path}`
  }

  /** The path of a well-known document of this service, as RFC 8414 and RFC 9728 write it: before that of the service. */
  wellKnown(name: string, path = ''): string[] {
    const { basePath } = this.#service
    return [...new Set([`/.well-known/${name}${path}`, `/.well-known/${name}${basePath}${path}`])]
  }
}

/** Resources for which an issuer gives tokens. */
export const toolResources = (issuer: string): string[] => [accountToolPath, toolPath].map((path) => issuer + path)
