import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Network } from './networks.ts'

/** What Coinstrata takes of the node's own configuration, `bitcoin.conf` in its data directory. */
export interface NodeConfig {
  readonly blocksdir: string | undefined
  /** Address and port of the RPC as a program on this machine reaches it. */
  readonly rpcHost: string | undefined
  readonly rpcPort: number | undefined
  /** Both or neither. A node that has them writes no cookie. */
  readonly rpcLogin: { readonly user: string; readonly password: string } | undefined
  readonly cookieFile: string | undefined
  /** It lets in users by hashes of their passwords, which are of no use to others. */
  readonly hasRpcAuth: boolean
  readonly isPruned: boolean
}

/** Sections of the file, by network. */
const sections: Readonly<Record<Network['name'], string>> = {
  mainnet: 'main',
  testnet3: 'test',
  testnet4: 'testnet4',
  signet: 'signet',
  regtest: 'regtest',
  simulated: '',
}

/** Outside of sections these hold for mainnet alone (Bitcoin Core, `ArgsManager::NETWORK_ONLY`). */
const mainnetOnly: ReadonlySet<string> = new Set(['rpcport', 'rpcbind'])

/**
 * Reads `bitcoin.conf` with the files that it includes, as Bitcoin Core does: the section of the network comes before what
 * stands outside of sections, and the first of several values counts. Undefined where there is none that may be read: it
 * often holds a password, and is closed to others.
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
  /** Empty outside of sections. */
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
    // "regtest.rpcport=1" stands for a line of that section.
    if (name !== undefined && value !== undefined) lines.push({ section: prefix ?? section, name, value })
  }
  return lines
}

/** Files that are included by included ones are passed over, as the node does. */
const includedFiles = (lines: readonly Line[], datadir: string, network: Network): string[] =>
  lines
    .filter(({ section, name }) => name === 'includeconf' && (section === '' || section === sections[network.name]))
    .map(({ value }) => path.resolve(datadir, value))

/** The host of an address to which the RPC is bound, such as `192.168.1.2:8332` or `[::1]`; a port there is that of this address alone. */
function reachableHost(bound: string | undefined): string | undefined {
  if (bound === undefined) return undefined
  const host = /^\[(.+)\](?::\d+)?$/.exec(bound)?.[1] ?? bound.replace(/^([^:]+):\d+$/, '$1')
  if (host === '0.0.0.0' || host === '::' || host === '') return undefined
  return host.includes(':') ? `[${host}]` : host
}
