import type { Request, RequestHandler } from 'express'
import type { Accounts } from '#accounts/accounts.ts'
import { isLoopback } from '#base/socket-address.ts'
import { ApiError } from '#contract/api-error.ts'
import { forwardedAddressHeader } from '#contract/forwarded-address.ts'
import { readWalletReports } from '#state/wallet-reports.ts'
import { requireCall } from './calls.ts'
import { isOwnSite } from './open-origins.ts'

interface WalletAccess {
  readonly accounts: Accounts
  readonly dataDir: string
  readonly trustProxy: number | string
  readonly publicUrl: string | undefined
  readonly basePath: string
  /** E-mail address of the account that may see wallets. */
  readonly walletsAccount: string | undefined
}

/** Serves the operator's wallets to the operator alone. */
export const serveWallets =
  (access: WalletAccess): RequestHandler =>
  async (request, response) => {
    response.setHeader('Cache-Control', 'private, no-store')
    if (!isOwnSite(request, access.publicUrl) || !(isLocal(request, access) || (await isOwner(request, access)))) {
      const message = 'only the operator sees wallets: open this page on the machine itself, at http://127.0.0.1'
      throw new ApiError('forbidden', `${message}, or sign in with the account that WALLETS_ACCOUNT names`)
    }
    response.type('json').send(`{"data":[${readWalletReports(access.dataDir).join()}]}`)
  }

/** Headers that proxies add. */
const forwarding = /^(x-forwarded|x-real-ip|x-client-ip|x-cluster|forwarded$|via$|true-client|cf-|fastly)/

/**
 * From a browser or program of this machine. Proxies without such headers are recognised by the
 * settings for them, by a Host that is no loopback name, or by HTTP 1.0.
 */
function isLocal(request: Request, { trustProxy, publicUrl, basePath }: WalletAccess): boolean {
  const { headers, httpVersion, socket } = request
  const isBehindProxy = (trustProxy !== '' && trustProxy !== 0) || publicUrl !== undefined || basePath !== ''
  const isForwarded = Object.keys(headers).some((name) => forwarding.test(name) || name === forwardedAddressHeader)
  const host = URL.parse(`http://${headers.host}`)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? ''
  const isFromHere = isLoopback(host) && isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
  return isFromHere && !isBehindProxy && !isForwarded && httpVersion !== '1.0'
}

/** Signed in; a key is not enough, because programs and assistants have keys. */
async function isOwner(request: Request, { accounts, walletsAccount }: WalletAccess): Promise<boolean> {
  const { by, accountId } = requireCall(request).caller
  if (walletsAccount === undefined || by !== 'session') return false
  return (await accounts.find(walletsAccount))?.id === accountId
}
