import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import type { Network } from './networks.ts'

export type RpcCredentials = { readonly user: string; readonly password: string } | { readonly cookieFile: string }

/** Where a node listens, and how to be let in. Plain data, so that it can be handed to worker threads. */
export interface RpcEndpoint {
  /** `http://host:port` or `https://host:port`, nothing else. */
  readonly url: string
  readonly credentials: RpcCredentials
}

/** The file in which a node leaves a fresh password for local programs at each start. */
export const cookieFile = (datadir: string, network: Network): string =>
  path.join(datadir, network.datadirFolder, '.cookie')

/** Throws `invalid_configuration` unless `url` is of the form `http://host:port` or `https://host:port`. */
export function parseRpcUrl(url: string): URL {
  const parsed = URL.parse(url)
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  const bare = isHttp && parsed.href === `${parsed.protocol}//${parsed.host}/`
  if (bare) return parsed
  // The URL is not repeated: it may hold a password.
  throw new CoinstrataError('invalid_configuration', 'the RPC URL of the node is not of the form http://host:port', {
    cure: 'set BITCOIN_RPC_URL like http://127.0.0.1:8332; user and password have their own variables',
  })
}

/** The HTTP header that lets us in. Throws `rpc_unreachable` without a cookie file, `rpc_refused` if it cannot be read. */
export function readAuthorization(credentials: RpcCredentials): string {
  if ('user' in credentials) return basic(`${credentials.user}:${credentials.password}`)
  const file = credentials.cookieFile
  try {
    return basic(readFileSync(file, 'utf8').trim())
  } catch (cause) {
    const passwordInstead = 'or set BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD'
    throw errorCode(cause) === 'ENOENT'
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

/** The system's word for a failure, such as `ECONNREFUSED`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
