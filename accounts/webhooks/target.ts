import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { invalidParameter } from '#contract/api-error.ts'
import { isPublicAddress } from './public-address.ts'

/** An IP address, in the form of Node's `lookup`. */
export interface Address {
  readonly address: string
  readonly family: number
}

export interface TargetPolicy {
  readonly allowsHttp: boolean
  readonly allows: (address: string) => boolean
  readonly resolve: (name: string) => Promise<readonly Address[]>
}

/**
 * Hosts on the internet. Asks name servers directly, which blocks no thread and ignores the hosts
 * file.
 */
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

export const anyTargets: TargetPolicy = {
  allowsHttp: true,
  allows: () => true,
  resolve: (name) => lookup(name, { all: true }),
}

/** Host name, or IP address without brackets. */
export const socketHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Checks a URL without resolving its name. Messages add `exception`: when it would be allowed. */
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
