import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { invalidParameter } from '#contract/api-error.ts'
import { isPublicAddress } from './public-address.ts'

/** An IP address, as it is given to a socket. */
export interface Address {
  readonly address: string
  readonly family: number
}

/** Where webhooks may lead. */
export interface TargetPolicy {
  /** Whether http will do. */
  readonly allowsHttp: boolean
  readonly allows: (address: string) => boolean
  /** All addresses of a name. */
  readonly resolve: (name: string) => Promise<readonly Address[]>
}

/** Hosts of the internet only. Names are asked of the name servers alone, which takes no thread and knows no names of this machine. */
export const publicTargets: TargetPolicy = {
  allowsHttp: false,
  allows: isPublicAddress,
  resolve: async (name) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
    return [
      ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
      ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
    ]
  },
}

/** Any host that this machine reaches. */
export const anyTargets: TargetPolicy = {
  allowsHttp: true,
  allows: () => true,
  resolve: (name) => lookup(name, { all: true }),
}

/** The host of a URL: a name, or an IP address without brackets. */
export const socketHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * Throws `invalid_parameter` for a URL that no event is sent to, as far as that is known without asking for its name;
 * `exception` says where the policy allows it all the same.
 */
export function requireTarget(text: string, { allowsHttp: allowsPlain, allows }: TargetPolicy, exception = ''): void {
  const url = new URL(text)
  const host = socketHost(url)
  if (url.protocol !== 'https:' && !(allowsPlain && url.protocol === 'http:'))
    throw invalidParameter('url', `must begin with https:${exception}`)
  if (url.username !== '' || url.password !== '') throw invalidParameter('url', 'must not have a user or a password')
  if (url.hash !== '') throw invalidParameter('url', 'must not have a fragment')
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (port < 1024 && port !== 443 && !(port === 80 && url.protocol === 'http:')) {
    throw invalidParameter('url', 'must have port 443, or 1024 or above')
  }
  if (isIP(host) !== 0 && !allows(host)) throw invalidParameter('url', `must lead to a public address${exception}`)
}
