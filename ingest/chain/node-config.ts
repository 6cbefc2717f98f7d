import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Network } from './networks.ts'

export interface NodeConfig {
  readonly blocksdir: string | undefined
  /** RPC address as seen from this machine. */
  readonly rpcHost: string | undefined
  readonly rpcPort: number | undefined
  /** A node with a login writes no cookie. */
  readonly rpcLogin: { readonly user: string; readonly password: string } | undefined
  readonly cookieFile: string | undefined
  /** `rpcauth` holds only password hashes, useless for logging in. */
  readonly hasRpcAuth: boolean
  readonly isPruned: boolean
}

const sections: Readonly<Record<Network['name'], string>> = {
  mainnet: 'main',
  testnet3: 'test',
  testnet4: 'testnet4',
  signet: 'signet',
  regtest: 'regtest',
  simulated: '',
}

/** Outside of sections, for mainnet only (Bitcoin Core, `ArgsManager::NETWORK_ONLY`). */
const mainnetOnly: ReadonlySet<string> = new Set(['rpcport', 'rpcbind'])

/**
 * Reads `bitcoin.conf` and its included files by Bitcoin Core's rules: the network's section
 * overrides other lines, and the first of several values counts. Returns `undefined` if the file is
 * unreadable, which is common, as it may hold a password.
 */
export function readNodeConfig(datadir: string, network: Network): NodeConfig | undefined {
  const main = readLines(path.join(datadir, 'bitcoin.conf'))
  if (!main) return undefined
  const lines = [...main, ...includedFiles(main, datadir, network).flatMap((file) => readLines(file) ?? [])]
  const inSection = lines.filter(({ section }) => section === sections[network.name])
  const outside = lines.filter(
    ({ section, name }) => section === '' && (network.name === 'mainnet' || !mainnetOnly.has(name)),
  )
  const value = (name: string): string | undefined =>
    [...inSection, ...outside].find((line) => line.name === name)?.value
  const [user, password] = [value('rpcuser'), value('rpcpassword')]
  const port = Number(value('rpcport'))
  const cookie = value('rpccookiefile')
  const blocksdir = value('blocksdir')
  return {
    blocksdir: blocksdir === undefined || blocksdir === '' ? undefined : path.resolve(datadir, blocksdir),
    rpcHost: reachableHost(value('rpcbind')),
    rpcPort: Number.isInteger(port) && port > 0 ? port : undefined,
    rpcLogin: user !== undefined && password ? { user, password } : undefined,
    cookieFile: cookie ? path.resolve(datadir, network.datadirFolder, cookie) : undefined,
    hasRpcAuth: value('rpcauth') !== undefined,
    isPruned: Number(value('prune') ?? 0) > 0,
  }
}

interface Line {
  readonly section: string
  readonly name: string
  readonly value: string
}

function readLines(file: string): Line[] | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  const lines: Line[] = []
  let section = ''
  for (const raw of text.split('\n')) {
    const line = raw.replace(/#.*/, '').trim()
    const [, opened] = /^\[(.+)\]$/.exec(line) ?? []
    if (opened !== undefined) section = opened
    const [, prefix, name, value] = /^(?:(\w+)\.)?-?(\w+)\s*=\s*(.*)$/.exec(line) ?? []
    // "regtest.rpcport=1" belongs to the section "regtest".
    if (name !== undefined && value !== undefined) lines.push({ section: prefix ?? section, name, value })
  }
  return lines
}

/** Like the node, ignores `includeconf` in included files. */
const includedFiles = (lines: readonly Line[], datadir: string, network: Network): string[] =>
  lines
    .filter(({ section, name }) => name === 'includeconf' && (section === '' || section === sections[network.name]))
    .map(({ value }) => path.resolve(datadir, value))

/** Host of an address such as `192.168.1.2:8332` or `[::1]`; its port is of that address only. */
function reachableHost(bound: string | undefined): string | undefined {
  if (bound === undefined) return undefined
  const host = /^\[(.+)\](?::\d+)?$/.exec(bound)?.[1] ?? bound.replace(/^([^:]+):\d+$/, '$1')
  if (host === '0.0.0.0' || host === '::' || host === '') return undefined
  return host.includes(':') ? `[${host}]` : host
}
