import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { PostgresAccounts } from '#accounts/database/postgres.ts'
import { maxTimeAheadMs } from '#base/bitcoin.ts'
import { CoinstrataError, hasErrorCode } from '#base/errors.ts'
import { createMailer } from '#base/mailer.ts'
import { formatBytes, formatCount, formatDuration } from '#base/quantities.ts'
import { readPrivateKey } from '#base/signing-keys.ts'
import { existingPart, folderId } from '#compute/data-folder.ts'
import { cpuSecondsPerGigabyte, preflight, type ReachedNode } from '#compute/scan/preflight.ts'
import { networks } from '#ingest/chain/networks.ts'
import { findNodeConfig } from '#ingest/chain/node-config.ts'
import { keyFile } from '#ingest/chain/obfuscation.ts'
import { ifOffered } from '#ingest/chain/rpc.ts'
import { readMiningPools } from '#ingest/market/mining-pools.ts'
import { tables } from '#ingest/market/observations.ts'
import { storedSources, verifyStored } from '#ingest/market/store.ts'
import { describeMisspelt, type Settings } from '#root/config.ts'
import { readableGeneration } from '#sql/generation.ts'
import { findDiskProblems, freeBytes } from '#state/operational-state.ts'
import { openStore } from '#store/open-store.ts'
import { publishToStore } from '#store/publish.ts'
import { formatRate } from './numbers.ts'
import { findOwnProblems } from './own-metrics.ts'
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

/** Bytes besides MEMORY_LIMIT, from benchmarks at mainnet size, rounded up. */
const minBesidesLimit = 2 * 2 ** 30 - 1e9
const readTestMs = 2_000
const readTestBytes = 1e9

export async function examine(settings: Settings, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const {
    DATA_DIR: dataDir,
    PUBLISH_KEY_FILE,
    PUBLISH_URL,
    DATABASE_URL,
    MAIL_URL,
    HOST,
    PORT,
    METRICS_PORT,
  } = settings
  const { findings, source, node } = await examineInputs(settings, environment)
  const served = readableGeneration(dataDir)?.generation
  return [
    ...describeMisspelt(environment).map((says) => problem('settings', says, 'docs/settings.md lists every setting')),
    examineMachine(settings),
    ...examineNodeConfig(settings, environment),
    ...findings,
    ...(source?.kind === 'files' ? examineFiles(source.blocksFolder) : []),
    ...(node ? await examineNode(node) : []),
    ...findDiskProblems(existingPart(dataDir), served).map(({ message, cure }) => problem('disk', message, cure)),
    ...(await examineUse('market data', dataDir, verifyMarketData)),
    examinePrices(settings),
    ...(served ? await examineOwnMetrics(settings) : []),
    ...(await examineUse('signing key', PUBLISH_KEY_FILE, (file) => `${readPrivateKey(file).type} in ${file}`)),
    ...(await examineUse('store', served && PUBLISH_URL, (url) => checkStore(url, settings))),
    ...(await examineUse('accounts', DATABASE_URL, describePostgres)),
    ...(await examineUse('mail', MAIL_URL === undefined ? undefined : settings, describeMail)),
    ...(await examinePort(HOST, PORT, 'PORT')),
    ...(await examinePort(HOST, METRICS_PORT, 'METRICS_PORT')),
  ]
}

function examineMachine({ MEMORY_LIMIT }: Settings): Finding {
  const minMemoryBytes = minBesidesLimit + Number.parseInt(MEMORY_LIMIT, 10) * (MEMORY_LIMIT.endsWith('GB') ? 1e9 : 1e6)
  const memory = process.availableMemory()
  const says = `Node.js ${process.version}, ${os.availableParallelism()} cores, ${formatBytes(memory)} of memory free`
  if (memory >= minMemoryBytes) return ok('machine', says)
  const cure = `an update of mainnet needs up to ${formatBytes(minMemoryBytes)}: stop other programs, or give this machine or container more memory`
  return problem('machine', says, cure)
}

/** Runs an update's checks and names those that found nothing wrong. */
async function examineInputs(settings: Settings, environment: NodeJS.ProcessEnv) {
  const { DATA_DIR: dataDir, BITCOIN_SOURCE: wanted } = settings
  const failed = new Set<string>()
  const findings: Finding[] = []
  const { source, node } = await preflight(
    toUpdateSettings(settings, environment),
    ({ of, error, note: says = '', cure, isProblem }) => {
      if (error) failed.add(of)
      findings.push(error ? toProblem(of, error) : (isProblem ? problem : note)(of, says, cure))
    },
  )
  const free = formatBytes(freeBytes(existingPart(dataDir)) ?? 0)
  if (!failed.has('disk')) findings.unshift(ok('disk', `${free} free on the disk of the data folder`))
  if (!failed.has('data folder')) findings.unshift(ok('data folder', `${dataDir} is writable`))
  if (!source && !failed.has('node')) findings.push(describeSimulation(wanted))
  return { findings, source, node }
}

const describeSimulation = (wanted: Settings['BITCOIN_SOURCE']): Finding =>
  wanted === 'simulated'
    ? note('node', 'the settings ask for a simulated chain')
    : problem(
        'node',
        'no node was found, so an update would simulate a chain',
        'name its data directory with --datadir (BITCOIN_DATADIR), or its RPC with BITCOIN_RPC_URL',
      )

function examineNodeConfig(settings: Settings, environment: NodeJS.ProcessEnv): Finding[] {
  const { source, network, datadir, defaultDatadir } = toUpdateSettings(settings, environment)
  const config = source === 'simulated' ? undefined : findNodeConfig(datadir, defaultDatadir, networks[network])
  if (!config) return []
  const used = ok('node settings', `${config.file} is used for the node in ${config.datadir}`)
  const cure = 'let an update scan every block before the node removes it'
  return config.isPruned ? [used, note('node settings', 'the node prunes old blocks', cure)] : [used]
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
    return hasErrorCode(error, 'EACCES') ? [found] : [found, toProblem('block files', error)]
  }
}

/**
 * Reads in order, for at most two seconds: a gigabyte says enough of fast disks. Recently read files
 * come from the page cache.
 */
function measureBytesPerSecond(folder: string, names: readonly string[]): number {
  const buffer = Buffer.allocUnsafe(4 * 2 ** 20)
  const begin = performance.now()
  const elapsed = (): number => Math.max(1, performance.now() - begin)
  let bytes = 0
  const isDone = (): boolean => bytes >= readTestBytes || elapsed() >= readTestMs
  for (const name of names.filter((one) => one.startsWith('blk'))) {
    const descriptor = openSync(path.join(folder, name), 'r')
    try {
      for (let read = 1; read > 0 && !isDone(); ) bytes += read = readSync(descriptor, buffer)
    } finally {
      closeSync(descriptor)
    }
    if (isDone()) break
  }
  return (bytes / elapsed()) * 1000
}

const versionSchema = z.object({ subversion: z.string() })
const chainSchema = z.object({ chain: z.string(), bestblockhash: z.string() })
const deploymentsSchema = z.object({ deployments: z.record(z.string(), z.unknown()) })
const indexesSchema = z.record(z.string(), z.object({ synced: z.boolean() }))

async function examineNode({ client, state: { tip, headersHeight, firstStored } }: ReachedNode): Promise<Finding[]> {
  try {
    const version = await ifOffered(client.call('getnetworkinfo', [], versionSchema))
    const { chain, bestblockhash } = await client.call('getblockchaininfo', [], chainSchema)
    // Forks of Bitcoin Core may not report the rule changes that they know.
    const enforced = (await ifOffered(client.call('getdeploymentinfo', [], deploymentsSchema)))?.deployments
    const indexes = await ifOffered(client.call('getindexinfo', [], indexesSchema))
    const hasSums = indexes?.coinstatsindex?.synced === true
    const times = z.object({ time: z.number() })
    const newest = await client.call('getblockheader', [tip.hash], times)
    const subversion = version?.subversion ?? 'a node'
    return [
      ok('RPC', `${subversion} at ${client.url}, block ${formatCount(tip.height)} of ${formatCount(headersHeight)}`),
      ok('chain', `${chain}, best block ${bestblockhash}`),
      ...(enforced && 'reduced_data' in enforced
        ? [note('chain', 'the node enforces BIP 110 (reduced_data), unlike most')]
        : []),
      ...(firstStored > 0 ? [note('RPC', `the node has only the blocks from ${formatCount(firstStored)} on`)] : []),
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
  const published = readableGeneration(dataDir)?.generation.prices
  if (published) return ok('prices', `${published.source}, ${published.first_date} to ${published.last_date}`)
  if (storedSources(dataDir, tables.prices.kind).length > 0) {
    return ok('prices', 'stored, waiting for the next update')
  }
  const cure =
    '"coinstrata fetch" gets them without a key, since 2010; "coinstrata sources --probe" tries each source once'
  return note('prices', 'there are no prices, so nothing is valued in USD', cure)
}

async function examineOwnMetrics(settings: Settings): Promise<Finding[]> {
  try {
    return (await findOwnProblems(settings)).map((error) => toProblem('own metrics', error))
  } catch (error) {
    return [toProblem('own metrics', error)]
  }
}

/** Checks what a setting names, if it is set. */
async function examineUse<T>(
  check: string,
  setting: T | undefined,
  work: (setting: T) => string | Promise<string>,
): Promise<Finding[]> {
  if (setting === undefined) return []
  try {
    return [ok(check, await work(setting))]
  } catch (error) {
    return [toProblem(check, error)]
  }
}

const verifyMarketData = (dataDir: string): string =>
  `${readMiningPools(dataDir).length} pools, and stored files, match their checksums (${verifyStored(dataDir).slice(0, 8)})`

async function checkStore(url: string, { DATA_DIR: dataDir, PUBLISH_KEY_FILE: file }: Settings): Promise<string> {
  const store = await openStore(url)
  const key = file === undefined ? undefined : readPrivateKey(file)
  await publishToStore(store, dataDir, { key, publisher: folderId(dataDir), isTrial: true })
  return `${store.name} answers, and takes what this data folder publishes`
}

async function describePostgres(url: string): Promise<string> {
  await using database = await PostgresAccounts.open(url)
  const startMs = performance.now()
  const version = await database.serverVersion()
  const elapsedMs = Math.round(performance.now() - startMs)
  const { host, pathname } = new URL(url)
  return `PostgreSQL ${version} at ${host}${pathname} answers within ${elapsedMs} ms`
}

const describeMail = async (settings: Settings): Promise<string> =>
  `${await createMailer(settings)?.verify()} accepts connections and the login`

/** A running service on the port is no problem. */
async function examinePort(host: string, port: number | undefined, setting: string): Promise<Finding[]> {
  if (port === undefined) return []
  const place = `${host} port ${port}`
  const server = createServer()
  const failure = await once(server.listen(port, host), 'listening').catch((error: NodeJS.ErrnoException) => error)
  server.close()
  if (Array.isArray(failure)) return [ok('port', `${place} is free`)]
  if (failure.code !== 'EADDRINUSE') {
    return [problem('port', `cannot listen on ${place}: ${failure.message}`, `set HOST and ${setting}`)]
  }
  return [note('port', `${place} is in use, by this service or another one`, `if it is another one, set ${setting}`)]
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
