import { closeSync, constants, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { PostgresAccounts } from '#accounts/database/postgres.ts'
import { maxTimeAheadMs } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'
import { canAccess } from '#base/file-access.ts'
import { type ChainSource, locateSource } from '#ingest/chain/locate-source.ts'
import { networks } from '#ingest/chain/networks.ts'
import { readNodeState } from '#ingest/chain/node.ts'
import { readNodeConfig } from '#ingest/chain/node-config.ts'
import { keyFile } from '#ingest/chain/obfuscation.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import { tables } from '#ingest/market/observations.ts'
import { storedSources } from '#ingest/market/store.ts'
import type { Settings } from '#root/config.ts'
import { currentGeneration } from '#sql/generation.ts'
import { freeBytes } from '#state/operational-state.ts'
import { formatBytes, formatCount, formatDuration, formatRate } from './numbers.ts'
import { toUpdateSettings } from './steps.ts'

export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'note' | 'problem'
  readonly says: string
  readonly cure?: string | undefined
}

const createFinding =
  (state: Finding['state']) =>
  (check: string, says: string, cure?: string): Finding => ({ check, state, says, cure })
const ok = createFinding('ok')
const note = createFinding('note')
const problem = createFinding('problem')

/** From benchmarks at mainnet size, rounded up. */
const minMemoryBytes = 2 * 2 ** 30
/** Segments, checkpoints and four generations of mainnet: three stored and one being built. */
const minDiskBytes = 5 * 2 ** 30
const cpuSecondsPerGigabyte = 1
const readTestMs = 2_000

export async function examine(settings: Settings, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { source, findings } = findSource(settings, environment)
  const files = source?.kind === 'files' ? examineFiles(source.blocksFolder) : []
  const node = source?.endpoint ? await examineNode(source, settings) : describeMissingRpc(source, settings)
  return [
    examineMachine(),
    ...examineFolder(settings),
    ...findings,
    ...files,
    ...node,
    examinePrices(settings),
    ...(await examineAccounts(settings)),
    await examinePort(settings),
  ]
}

function examineMachine(): Finding {
  const memory = process.availableMemory()
  const says = `Node.js ${process.version}, ${os.availableParallelism()} cores, ${formatBytes(memory)} of memory free`
  if (memory >= minMemoryBytes) return ok('machine', says)
  const cure = `an update of mainnet needs up to ${formatBytes(minMemoryBytes)}: stop other programs, or give this machine or container more memory`
  return problem('machine', says, cure)
}

function examineFolder({ DATA_DIR: dataDir, BITCOIN_NETWORK: network }: Settings): Finding[] {
  let existing = dataDir
  while (!existsSync(existing)) existing = path.dirname(existing)
  const writable = canAccess(existing, constants.W_OK)
    ? ok('data folder', `${dataDir} is writable`)
    : problem(
        'data folder',
        `this user cannot write to ${existing}`,
        'choose a folder that this user can write to (DATA_DIR or --data-dir), or fix its permissions',
      )
  const free = freeBytes(existing) ?? 0
  const says = `${formatBytes(free)} free on the disk of the data folder`
  // With a published generation, most of the space is already used.
  if (network !== 'mainnet' || free >= minDiskBytes || currentGeneration(dataDir)) {
    return [writable, ok('disk', says)]
  }
  const cure = `mainnet needs about ${formatBytes(minDiskBytes)}: free some space, or set DATA_DIR to a folder on a larger disk`
  return [writable, problem('disk', says, cure)]
}

function findSource(
  settings: Settings,
  environment: NodeJS.ProcessEnv,
): { readonly source: ChainSource | undefined; readonly findings: readonly Finding[] } {
  const { source: sourceKind, network, ...rest } = toUpdateSettings(settings, environment)
  if (sourceKind === 'simulated') {
    return { source: undefined, findings: [note('node', 'the settings ask for a simulated chain')] }
  }
  const findings: Finding[] = []
  const datadir = rest.datadir ?? rest.defaultDatadir
  const config = readNodeConfig(datadir, networks[network])
  if (config) findings.push(ok('node settings', `${path.join(datadir, 'bitcoin.conf')} is used`))
  if (config?.isPruned) {
    const cure =
      'the first run needs all blocks: set prune=0 and start the node with -reindex, or read another node over RPC'
    const isFirst = !existsSync(path.join(settings.DATA_DIR, 'raw', 'segments'))
    findings.push((isFirst ? problem : note)('node settings', 'the node prunes old blocks', cure))
  }
  try {
    const source = locateSource({ ...rest, source: sourceKind }, networks[network], rest.defaultDatadir)
    if (!source) {
      const cure = 'name its data directory with --datadir (BITCOIN_DATADIR), or its RPC with BITCOIN_RPC_URL'
      findings.push(problem('node', 'no node was found, so an update would simulate a chain', cure))
    }
    return { source, findings }
  } catch (error) {
    return { source: undefined, findings: [...findings, toProblem('node', error)] }
  }
}

function examineFiles(folder: string): Finding[] {
  const names = readdirSync(folder).filter((name) => /^(blk|rev)\d+\.dat$/.test(name))
  const bytes = names.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0)
  const key = existsSync(keyFile(folder))
    ? 'with the key xor.dat'
    : 'without xor.dat, as nodes before version 28 write them'
  const found = ok('block files', `${formatCount(names.length)} in ${folder}, ${formatBytes(bytes)}, ${key}`)
  try {
    const pace = measureBytesPerSecond(folder, names)
    const seconds = Math.max(bytes / pace, ((bytes / 1e9) * cpuSecondsPerGigabyte) / os.availableParallelism())
    const says = `reads ${formatRate(pace, 1)}; the first scan takes about ${formatDuration(seconds)} with ${os.availableParallelism()} cores`
    return [found, note('pace', says)]
  } catch (error) {
    return [found, toProblem('block files', error)]
  }
}

/** Reads block files in order for at most two seconds. Recently read ones come from the page cache. */
function measureBytesPerSecond(folder: string, names: readonly string[]): number {
  const buffer = Buffer.allocUnsafe(4 * 2 ** 20)
  const begin = performance.now()
  const elapsed = (): number => Math.max(1, performance.now() - begin)
  let bytes = 0
  for (const name of names.filter((one) => one.startsWith('blk'))) {
    const descriptor = openSync(path.join(folder, name), 'r')
    try {
      for (let read = 1; read > 0 && elapsed() < readTestMs; ) bytes += read = readSync(descriptor, buffer)
    } finally {
      closeSync(descriptor)
    }
    if (elapsed() >= readTestMs) break
  }
  return (bytes / elapsed()) * 1000
}

const versionSchema = z.object({ subversion: z.string() })
const indexesSchema = z.record(z.string(), z.object({ synced: z.boolean() }))

function describeMissingRpc(source: ChainSource | undefined, { BITCOIN_RPC: rpc }: Settings): Finding[] {
  if (source?.kind !== 'files') return []
  const why =
    rpc === 'off'
      ? 'BITCOIN_RPC is off'
      : 'no cookie or password for its RPC was found, so the node is probably not running'
  const says = `${why}: blocks come from its files, and its totals are not compared`
  return [note('RPC', says, 'start the node; if it has no cookie, set BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD')]
}

async function examineNode({ endpoint }: ChainSource, { BITCOIN_NETWORK: network }: Settings): Promise<Finding[]> {
  if (!endpoint) return []
  try {
    const client = new RpcClient(endpoint)
    const state = await readNodeState(client, networks[network])
    const { subversion } = await client.call('getnetworkinfo', [], versionSchema)
    const indexes = await client.call('getindexinfo', [], indexesSchema)
    const hasSums = indexes.coinstatsindex?.synced === true
    const times = z.object({ time: z.number() })
    const newest = await client.call('getblockheader', [state.tip.hash], times)
    const height = formatCount(state.tip.height)
    return [
      ok('RPC', `${subversion} at ${endpoint.url}, block ${height} of ${formatCount(state.headersHeight)}`),
      ...(state.initialBlockDownload
        ? [note('RPC', 'the node is still syncing', 'update again when it has all blocks')]
        : []),
      ...(state.firstStored > 0
        ? [note('RPC', `the node has only the blocks from ${formatCount(state.firstStored)} on`)]
        : []),
      note(
        'RPC',
        hasSums
          ? 'its coinstatsindex gives its totals at once'
          : 'it adds up its unspent outputs for each update, which takes a few minutes on mainnet; coinstatsindex=1 avoids that',
      ),
      examineClock(newest.time * 1000),
    ]
  } catch (error) {
    return [toProblem('RPC', error)]
  }
}

function examineClock(newestBlock: number): Finding {
  const says = `the clock says ${new Date().toISOString()}`
  if (newestBlock - Date.now() < maxTimeAheadMs) return ok('clock', says)
  const cure = 'set the clock (NTP): otherwise days close late and schedules are missed'
  return problem('clock', `${says}, hours before the newest block`, cure)
}

function examinePrices({ DATA_DIR: dataDir }: Settings): Finding {
  const published = currentGeneration(dataDir)?.generation.prices
  if (published) return ok('prices', `${published.source}, ${published.first_date} to ${published.last_date}`)
  if (storedSources(dataDir, tables.prices.kind).length > 0) {
    return ok('prices', 'stored, waiting for the next update')
  }
  const cure =
    '"coinstrata fetch" gets them without a key, since 2010; "coinstrata sources --probe" tries each source once'
  return note('prices', 'there are no prices, so nothing is valued in USD', cure)
}

/** Checks PostgreSQL only; accounts in the data folder need nothing. */
async function examineAccounts({ DATABASE_URL: url }: Settings): Promise<Finding[]> {
  if (url === undefined) return []
  const check = 'accounts'
  try {
    const database = await PostgresAccounts.open(url)
    try {
      const startMs = performance.now()
      const version = await database.serverVersion()
      const elapsedMs = Math.round(performance.now() - startMs)
      const { host, pathname } = new URL(url)
      return [ok(check, `PostgreSQL ${version} at ${host}${pathname} answers within ${elapsedMs} ms`)]
    } finally {
      await database.close()
    }
  } catch (error) {
    return [toProblem(check, error)]
  }
}

/** A running service on the port is not a problem. */
async function examinePort({ HOST, PORT }: Settings): Promise<Finding> {
  const place = `${HOST} port ${PORT}`
  const server = createServer()
  const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve)
    server.listen(PORT, HOST, () => resolve(undefined))
  })
  server.close()
  if (!failure) return ok('port', `${place} is free`)
  if (failure.code !== 'EADDRINUSE') {
    return problem('port', `cannot listen on ${place}: ${failure.message}`, 'set HOST and PORT')
  }
  return note('port', `${place} is in use, by this service or another one`, 'if it is another one, set PORT')
}

function toProblem(check: string, error: unknown): Finding {
  if (!(error instanceof CoinstrataError)) throw error
  return problem(check, `${error.message} [${error.code}]`, error.cure)
}

export const describeFindings = (findings: readonly Finding[]): string =>
  findings
    .map(({ check, state, says, cure }) => {
      const line = `${state.padEnd(8)} ${check.padEnd(14)} ${says}\n`
      return state === 'ok' || cure === undefined ? line : `${line}${' '.repeat(24)}${cure}\n`
    })
    .join('')
