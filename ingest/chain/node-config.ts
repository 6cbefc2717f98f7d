import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { parseJson } from '#base/parse-json.ts'
import type { Network } from './networks.ts'

export interface NodeConfig {
  /** `bitcoin.conf`, or `settings.json` without it. */
  readonly file: string
  /** Folder of the node's data, which the file may name (`datadir=`). */
  readonly datadir: string
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
 * Finds the configuration of the node in `datadir`, or in `defaultDatadir` if none is given or if
 * the one there names this `datadir`, as of a node that was started without `-datadir`.
 */
export function findNodeConfig(
  datadir: string | undefined,
  defaultDatadir: string,
  network: Network,
): NodeConfig | undefined {
  const usual = readNodeConfig(defaultDatadir, network)
  if (datadir === undefined) return usual
  const isDatadir = (config: NodeConfig | undefined): boolean =>
    config !== undefined && path.resolve(config.datadir) === path.resolve(datadir)
  const config = isDatadir(usual) ? usual : readNodeConfig(datadir, network)
  // Like `-datadir`, a setting counts more than the file, unless it only says where the file is.
  const hasBlocks = existsSync(path.join(datadir, network.datadirFolder, 'blocks'))
  return hasBlocks && !isDatadir(config) ? readNodeConfig(datadir, network, datadir) : config
}

/**
 * Reads `bitcoin.conf`, its included files and `settings.json` by Bitcoin Core's rules:
 * `settings.json` (written by the GUI) overrides the network's section, this overrides other lines,
 * and the first of several values counts. Returns `undefined` without readable files, which is
 * common, as they may hold a password. `datadir` overrides that of the file.
 */
export function readNodeConfig(folder: string, network: Network, datadir?: string): NodeConfig | undefined {
  const file = path.join(folder, 'bitcoin.conf')
  const main = readLines(file)
  const section = sections[network.name]
  const lines = [
    ...(main ?? []),
    ...includedFiles(main ?? [], folder, network).flatMap((name) => readLines(name) ?? []),
  ]
  const ofNetwork = [
    ...lines.filter((line) => line.section === section),
    ...lines.filter(({ section, name }) => section === '' && (network.name === 'mainnet' || !mainnetOnly.has(name))),
  ]
  const named = ofNetwork.find(({ name, value }) => name === 'datadir' && value !== '')?.value
  const data = datadir ?? (named === undefined ? folder : path.resolve(folder, named))
  const storedFile = path.join(data, network.datadirFolder, 'settings.json')
  const stored = readStoredSettings(storedFile)
  if (!main && !stored) return undefined
  const values = (name: string): string[] =>
    [...(stored ?? []), ...ofNetwork].filter((line) => line.name === name).map(({ value }) => value)
  const value = (name: string): string | undefined => values(name)[0]
  const [user, password] = [value('rpcuser'), value('rpcpassword')]
  const cookie = value('rpccookiefile')
  const blocksdir = value('blocksdir')
  // Without rpcallowip, the node ignores rpcbind.
  const binds = value('rpcallowip') === undefined ? [] : values('rpcbind').map(parseBind)
  const bound = binds.find(isLocal) ?? binds[0]
  const port = bound?.port ?? Number(value('rpcport'))
  return {
    file: main ? file : storedFile,
    datadir: data,
    blocksdir: blocksdir === undefined || blocksdir === '' ? undefined : path.resolve(data, blocksdir),
    rpcHost: bound?.host,
    rpcPort: Number.isInteger(port) && port > 0 ? port : undefined,
    rpcLogin: user !== undefined && password ? { user, password } : undefined,
    cookieFile: cookie ? path.resolve(data, network.datadirFolder, cookie) : undefined,
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
    // "regtest.rpcport=1" belongs to the section "regtest", unless it is in another one.
    if (name === undefined || value === undefined || (prefix !== undefined && section !== '')) continue
    lines.push({ section: prefix ?? section, name, value })
  }
  return lines
}

/** Like the node, ignores `includeconf` in included files. */
const includedFiles = (lines: readonly Line[], datadir: string, network: Network): string[] =>
  lines
    .filter(({ section, name }) => name === 'includeconf' && (section === '' || section === sections[network.name]))
    .map(({ value }) => path.resolve(datadir, value))

/** Settings that the GUI stores, as lines; `undefined` without a readable file. */
function readStoredSettings(file: string): Omit<Line, 'section'>[] | undefined {
  try {
    const stored = z.record(z.string(), z.unknown()).parse(parseJson(readFileSync(file, 'utf8')))
    return Object.entries(stored).map(([name, value]) => ({ name, value: value === true ? '1' : String(value) }))
  } catch {
    return undefined
  }
}

/** Parses `192.168.1.2:8332`, `node.lan`, `[::1]:8332` or `::1`. No host: all addresses. */
function parseBind(text: string): { host: string | undefined; port: number | undefined } {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]*|.*:.*:.*))(?::(\d+))?$/.exec(text) ?? []
  const name = bracketed ?? plain ?? ''
  const host = /^(0\.0\.0\.0|::|)$/.test(name) ? undefined : name.includes(':') ? `[${name}]` : name
  return { host, port: port === undefined ? undefined : Number(port) }
}

/** The node of this machine is reached at such an address, or at all. */
const isLocal = ({ host }: { host: string | undefined }): boolean =>
  host === undefined || /^(127\.|localhost$|\[::1\]$)/.test(host)
