import { constants, existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { canAccess } from '#base/file-access.ts'
import { errorCode, folderCure } from './file-errors.ts'
import type { Network } from './networks.ts'
import { findNodeConfig, type NodeConfig } from './node-config.ts'
import { cookieFile, type RpcCredentials, type RpcEndpoint } from './rpc-endpoint.ts'

export interface SourceSettings {
  readonly source: 'auto' | 'files' | 'rpc'
  readonly datadir: string | undefined
  readonly blocksdir: string | undefined
  readonly rpcUrl: string | undefined
  readonly rpcUser: string | undefined
  readonly rpcPassword: string | undefined
  /** Use RPC if reachable, always, or never. */
  readonly rpc?: 'auto' | 'required' | 'off'
}

export type ChainSource =
  | {
      readonly kind: 'files'
      readonly blocksFolder: string
      /**
       * The node that writes the files: decides the best chain, and its unspent outputs are
       * compared.
       */
      readonly endpoint: RpcEndpoint | undefined
      /** The user configured RPC, so it must not be skipped. */
      readonly isEndpointRequired: boolean
      /** Publication requires comparison with the node. */
      readonly isComparisonRequired?: boolean
    }
  | { readonly kind: 'rpc'; readonly endpoint: RpcEndpoint; readonly isComparisonRequired?: boolean }

/**
 * Finds the node in the settings, or in `defaultDatadir`; reads missing settings from its
 * configuration. Returns `undefined` without a node.
 */
export function locateSource(
  settings: SourceSettings,
  network: Network,
  defaultDatadir: string,
): ChainSource | undefined {
  const { source, rpc } = settings
  const config = findNodeConfig(settings.datadir, defaultDatadir, network)
  const datadir = config?.datadir ?? settings.datadir ?? (existsSync(defaultDatadir) ? defaultDatadir : undefined)
  const blocksdir = settings.blocksdir ?? config?.blocksdir
  const endpoint = rpc === 'off' ? undefined : rpcEndpoint(settings, network, datadir, config)
  const isComparisonRequired = rpc === 'required'
  if (isComparisonRequired && !endpoint) throw noEndpoint(datadir, config)
  const blocksFolder = source === 'rpc' ? undefined : findBlocksFolder(blocksdir ?? datadir, network)
  if (blocksFolder) {
    const isEndpointRequired = settings.rpcUrl !== undefined || isComparisonRequired
    return { kind: 'files', blocksFolder, endpoint, isEndpointRequired, isComparisonRequired }
  }
  if (source === 'files' || settings.datadir !== undefined || settings.blocksdir !== undefined) {
    if (source !== 'rpc') throw noBlockFiles(blocksdir ?? datadir, network)
  }
  if (endpoint) return { kind: 'rpc', endpoint, isComparisonRequired }
  if (source === 'rpc') {
    if (datadir !== undefined) throw noEndpoint(datadir, config)
    throw new CoinstrataError('source_not_found', 'no RPC of a node is configured', {
      cure: 'set BITCOIN_RPC_URL (and BITCOIN_RPC_USER with BITCOIN_RPC_PASSWORD), or name the data directory whose cookie to use',
    })
  }
  return undefined
}

/** Accepts the data directory, a `-blocksdir`, or the block folder itself. */
function findBlocksFolder(folder: string | undefined, network: Network): string | undefined {
  if (!folder) return undefined
  const candidates = [path.join(folder, network.datadirFolder, 'blocks'), path.join(folder, 'blocks'), folder]
  return candidates.find((candidate) => {
    try {
      return readdirSync(candidate).some((name) => /^blk\d+\.dat$/.test(name))
    } catch (cause) {
      const code = errorCode(cause)
      if (code === 'ENOENT' || code === 'ENOTDIR') return false
      const refused = canAccess(folder, constants.X_OK) ? candidate : folder
      throw new CoinstrataError('source_unreadable', `cannot read the folder ${refused} (${code})`, {
        cause,
        cure: 'run as the user of the node, because Bitcoin Core lets nobody else read its files, or read over RPC (--source rpc)',
      })
    }
  })
}

function noBlockFiles(folder: string | undefined, network: Network): CoinstrataError {
  const where = folder ?? 'the usual data directory'
  const isFile = folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isFile()
  const why = isFile ? ', which is a file, not a folder' : ''
  return new CoinstrataError('source_not_found', `no block files of ${network.name} in ${where}${why}`, {
    cure: `${folderCure}, and check --network`,
  })
}

function noEndpoint(datadir: string | undefined, config: NodeConfig | undefined): CoinstrataError {
  const where = datadir === undefined ? 'there is no data directory' : `there is no cookie in ${datadir}`
  const hashed = config?.hasRpcAuth ? '; its bitcoin.conf uses rpcauth, which holds no password' : ''
  return new CoinstrataError(
    'rpc_unreachable',
    `the settings require the RPC of the node, but ${where} and no RPC user is set${hashed}`,
    {
      cure: 'start the node with server=1, or set BITCOIN_RPC_URL, BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD',
    },
  )
}

function rpcEndpoint(
  { rpcUrl, rpcUser, rpcPassword }: SourceSettings,
  network: Network,
  datadir: string | undefined,
  config: NodeConfig | undefined,
): RpcEndpoint | undefined {
  const cookie = config?.cookieFile ?? (datadir && cookieFile(datadir, network))
  const credentials: RpcCredentials | undefined =
    rpcUser !== undefined
      ? { user: rpcUser, password: rpcPassword ?? '' }
      : (config?.rpcLogin ?? (cookie ? { cookieFile: cookie } : undefined))
  if (rpcUrl !== undefined) {
    if (credentials) return { url: rpcUrl, credentials }
    throw new CoinstrataError('invalid_configuration', 'BITCOIN_RPC_URL is set, but no user or cookie to log in with', {
      cure: 'set BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD, or BITCOIN_DATADIR, whose cookie is then used',
    })
  }
  const url = `http://${config?.rpcHost ?? '127.0.0.1'}:${config?.rpcPort ?? network.rpcPort}`
  if (credentials && 'user' in credentials) return { url, credentials }
  // The cookie file exists while the node runs.
  return cookie && existsSync(cookie) ? { url, credentials: { cookieFile: cookie } } : undefined
}
