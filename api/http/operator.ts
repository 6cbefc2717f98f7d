import type { Request } from 'express'
import type { AccountServices } from '#accounts/services.ts'
import { isLoopback } from '#base/socket-address.ts'
import { forwardedAddressHeader } from '#contract/forwarded-address.ts'
import { requireCall } from './calls.ts'
import { isOwnSite } from './open-origins.ts'
import type { ServiceAddress } from './service-address.ts'

export interface OperatorAccess extends ServiceAddress, Pick<AccountServices, 'accounts'> {
  readonly trustProxy: number | string
  /** E-mail address of the operator's account. */
  readonly walletsAccount: string | undefined
}

/** Completes a refusal. */
export const howOperator =
  'open this page on the machine itself, at http://127.0.0.1, or sign in with the account that WALLETS_ACCOUNT names'

/** On the machine itself, or signed in to the operator's account; never from a page of another site. */
export const isOperator = async (request: Request, access: OperatorAccess): Promise<boolean> =>
  isOwnSite(request, access.publicUrl) && (isLocal(request, access) || (await isOwner(request, access)))

/** Headers that proxies add. */
const forwarding = /^(x-forwarded|x-real-ip|x-client-ip|x-cluster|forwarded$|via$|true-client|cf-|fastly)/

/**
 * From a browser or program of this machine. Proxies without such headers are recognised by the
 * settings for them, by a Host that is no loopback name, or by HTTP 1.0.
 */
function isLocal(request: Request, { trustProxy, publicUrl, basePath }: OperatorAccess): boolean {
  const { headers, httpVersion, socket } = request
  const isBehindProxy = (trustProxy !== '' && trustProxy !== 0) || publicUrl !== undefined || basePath !== ''
  const isForwarded = Object.keys(headers).some((name) => forwarding.test(name) || name === forwardedAddressHeader)
  const host = URL.parse(`http://${headers.host}`)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? ''
  const isFromHere = isLoopback(host) && isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
  return isFromHere && !isBehindProxy && !isForwarded && httpVersion !== '1.0'
}

/** Signed in; a key is not enough, because programs and assistants have keys. */
async function isOwner(request: Request, { accounts, walletsAccount }: OperatorAccess): Promise<boolean> {
  const { by, accountId } = requireCall(request).caller
  if (walletsAccount === undefined || by !== 'session') return false
  return (await accounts.find(walletsAccount))?.id === accountId
}
