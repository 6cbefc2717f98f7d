import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError, hasErrorCode } from '#base/errors.ts'
import type { Network } from './networks.ts'

export type RpcCredentials = { readonly user: string; readonly password: string } | { readonly cookieFile: string }

/** Can be passed to worker threads. */
export interface RpcEndpoint {
  /** `http://host:port` or `https://host:port`. */
  readonly url: string
  readonly credentials: RpcCredentials
}

export const cookieFile = (datadir: string, network: Network): string =>
  path.join(datadir, network.datadirFolder, '.cookie')

export function parseRpcUrl(url: string): URL {
  const parsed = URL.parse(url)
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  const bare = isHttp && parsed.href === `${parsed.protocol}//${parsed.host}/`
  if (bare) return parsed
  // Omits the URL: it may hold a password.
  throw new CoinstrataError('invalid_configuration', 'the RPC URL of the node is not of the form http://host:port', {
    cure: 'set BITCOIN_RPC_URL like http://127.0.0.1:8332; user and password have their own variables',
  })
}

/** Throws `rpc_unreachable` without a cookie file. */
export function readAuthorization(credentials: RpcCredentials): string {
  if ('user' in credentials) return basic(`${credentials.user}:${credentials.password}`)
  const file = credentials.cookieFile
  try {
    return basic(readFileSync(file, 'utf8').trim())
  } catch (cause) {
    const passwordInstead = 'or set BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD'
    throw hasErrorCode(cause, 'ENOENT')
      ? new CoinstrataError('rpc_unreachable', `there is no cookie file ${file}`, {
          cause,
          cure: `start the node with server=1; where it runs, and lets users in by rpcauth, ${passwordInstead.slice(3)}`,
        })
      : new CoinstrataError('rpc_refused', `cannot read the cookie file ${file}`, {
          cause,
          cure: `start the node with rpccookieperms=group and join its group, ${passwordInstead}`,
        })
  }
}

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`
