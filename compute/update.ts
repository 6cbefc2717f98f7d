import type { DuckDBConnection } from '@duckdb/node-api'
import { maxTimeAheadMs } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'
import { networks } from '#ingest/chain/networks.ts'
import { readDailyPrices } from '#ingest/market/prices.ts'
import { findDamagedTables } from '#sql/file-digest.ts'
import { type Generation, listNewerGenerations, readableGeneration } from '#sql/generation.ts'
import { type SessionLimits, withSession } from '#sql/session.ts'
import { withProvedSegments } from '#state/proved-segments.ts'
import { addressStores } from './addresses/address-stores.ts'
import { BalanceStore, type FindBasis } from './addresses/balance-store.ts'
import { comparableSums, compareWithNode } from './audit/audit.ts'
import { createCostBasis } from './cohorts/cost-basis.ts'
import { proveCoins } from './coins/prove-coins.ts'
import { claimDataFolder, temporaryFolder, withDataFolder } from './data-folder.ts'
import { readLabels } from './labels/label-files.ts'
import type { Progress } from './progress.ts'
import { buildGeneration } from './publish/build-generation.ts'
import { type Choices, inputKey } from './publish/input-key.ts'
import { discardHistory, historyRefused, readBootstrapHistory, recordProvedHistory } from './scan/bootstrap-history.ts'
import { ingest } from './scan/ingest.ts'
import { joinSegments } from './scan/join-segments.ts'
import { preflight } from './scan/preflight.ts'
import { chooseScan, publishedAddresses } from './scan/rescan.ts'
import { readScannedBlocks, readScannedChain, type ScannedChain, scannedUnits } from './scan/scanned-chain.ts'
import { hasAll, labelStore, removeOtherSegments, segmentStore } from './scan/segment-parts.ts'
import { simulateNode } from './scan/simulated-node.ts'
import type { UpdateSettings } from './update-settings.ts'

export interface UpdateReport {
  /** Missing after a step that does not publish. */
  readonly generation?: Generation
  readonly tipHeight: number
  readonly blocks: number
  readonly bytes: number
  readonly scanSeconds: number
  readonly computeSeconds: number
  /** True if nothing had changed: the current generation stays. */
  readonly unchanged?: boolean
  /** After a rollback: the newer generation that these inputs would repeat. */
  readonly newerId?: string
  /** Notes of this run, set only if `unchanged`: the generation's may be outdated. */
  readonly notes?: readonly string[]
}

export interface UpdateOptions {
  /** Bytes of the newest blocks to prove before publishing; infinite for all. */
  readonly proveBytes?: number
  /** Compute and publish even if nothing has changed. */
  readonly force?: boolean
  /** Accept block files with a shorter chain than before although no node confirms it. */
  readonly allowShorter?: boolean
  /** Read all blocks again if settings, lists or the program have changed so. */
  readonly rescan?: boolean
}

/**
 * Runs a whole update: ingest, compute, audit, publish. If the audit fails, finds damaged blocks,
 * corrects them and computes again. If nothing has changed since the current generation, or since a
 * newer one before a rollback, the current one stays. A failed update leaves the published data
 * unchanged.
 */
export function update(
  settings: UpdateSettings,
  progress: Progress,
  options: UpdateOptions = {},
): Promise<UpdateReport> {
  return withDataFolder(settings.dataDir, async () => {
    let ingested = await ingestStep(settings, progress, options)
    for (let scans = 1; ; ) {
      try {
        return { ...ingested, ...(await computeStep(settings, progress, options.force ?? false)) }
      } catch (error) {
        if (!(error instanceof CoinstrataError) || error.code === 'history_refused') throw error
        if (scans < maxScans && !isScanned(settings, readScannedChain(settings.dataDir))) {
          progress.say(`${error.message}; scanning their blocks again`)
          ingested = await ingestStep(settings, progress, options)
          scans++
          continue
        }
        if (error.code !== 'audit_failed') throw error
        progress.say(`${error.message}; looking for damage in blocks that are not proved yet, newest first`)
        if (!(await correctSegments(settings, progress, options))) throw withAllProved(error)
      }
    }
  })
}

/** If a disk damages what was just written, more scans are useless. */
const maxScans = 3

const isScanned = (
  { dataDir, addresses = 'off' }: Pick<UpdateSettings, 'dataDir' | 'addresses'>,
  scanned: ScannedChain | undefined,
): scanned is ScannedChain =>
  scanned !== undefined &&
  hasAll(segmentStore(dataDir), scanned.segments) &&
  hasAll(labelStore(dataDir), scanned.labelled?.keys ?? []) &&
  addressStores(dataDir, publishedAddresses(addresses, scanned)).every((store) =>
    store.isComplete(readScannedBlocks(dataDir, scanned), scannedUnits(scanned)),
  )

/**
 * Bytes of the newest blocks to prove first after a failed audit; each further step proves four
 * times as many.
 */
const firstSearchBytes = 4e9
/** More than any chain has. */
const maxSearchBytes = 1e15

/**
 * Proves blocks, newest first, until one segment is corrected. Throws `block_corrupt` for a damaged
 * block.
 */
async function correctSegments(settings: UpdateSettings, progress: Progress, options: UpdateOptions): Promise<boolean> {
  for (let bytes = firstSearchBytes; bytes < maxSearchBytes; bytes *= 4) {
    const { blocks, of: totalBlocks } = await withProvedSegments(settings.dataDir, ({ counts }) => counts)
    if (blocks === totalBlocks) return false
    const { corrected } = await ingestStep(settings, progress, { ...options, proveBytes: bytes })
    if (corrected > 0) return true
  }
  // Pruned blocks cannot be proved.
  return false
}

const withAllProved = (error: CoinstrataError): CoinstrataError =>
  new CoinstrataError(
    error.code,
    `${error.message}; every block is proved against its hash, so the block files are not the cause`,
    { cause: error, cure: error.cure },
  )

/** Runs only the first step of an update: reads the chain into segments, publishes nothing. */
export function updateSegments(
  settings: UpdateSettings,
  progress: Progress,
  options: UpdateOptions = {},
): Promise<UpdateReport> {
  return withDataFolder(settings.dataDir, async () => ({
    ...(await ingestStep(settings, progress, options)),
    computeSeconds: 0,
  }))
}

/** Runs only the second step of an update: computes, audits and publishes earlier ingested data. */
export function publishSegments(settings: UpdateSettings, progress: Progress): Promise<UpdateReport> {
  return withDataFolder(settings.dataDir, async () => ({
    ...(await computeStep(settings, progress, true)),
    blocks: 0,
    bytes: 0,
    scanSeconds: 0,
  }))
}

const sessionLimits = ({ dataDir, memory }: UpdateSettings): SessionLimits => ({
  temporaryFolder: temporaryFolder(dataDir),
  memory,
})

async function ingestStep(settings: UpdateSettings, progress: Progress, options: UpdateOptions) {
  const { dataDir } = settings
  const notes: string[] = []
  const stopOrNote = ({ error, note }: { error?: CoinstrataError; note?: string }): void => {
    if (error) throw error
    if (note !== undefined) notes.push(note)
  }
  const { source, node, blockBytes, isPruned } = await preflight(settings, stopOrNote, progress.say)
  const network = source ? settings.network : 'simulated'
  const from = source ?? (await simulate(settings, progress))
  const labels = readLabels(dataDir, network)
  for (const warning of labels?.warnings ?? []) progress.say(`${warning}; this line is left out`)
  const isAllowed = options.rescan === true || source === undefined
  const addable = isPruned ? undefined : labels
  const { addresses, labelLimit } = chooseScan(settings, addable, blockBytes, isAllowed, progress.say)
  const begin = performance.now()
  progress.part?.('headers')
  const { scanned, blocks, bytes, corrected } = await ingest({
    dataDir,
    network: networks[network],
    source: from,
    node,
    notes,
    progress,
    addresses,
    ...(addresses === 'all' && { stores: addressStores(dataDir, addresses, await readBasis(settings)) }),
    labels,
    labelLimit,
    ...options,
    // Other versions simulate other chains, perhaps with less work.
    ...(!source && { allowShorter: true }),
  })
  return { tipHeight: scanned.tip.height, blocks, bytes, corrected, scanSeconds: (performance.now() - begin) / 1000 }
}

/** Uses the prices stored before the scan. */
async function readBasis(settings: UpdateSettings): Promise<FindBasis> {
  const prices = await withSession(sessionLimits(settings), (connection) =>
    readDailyPrices(connection, settings.dataDir),
  )
  return ({ days }) => createCostBasis(prices, days[0]!, days.at(-1)! - days[0]!)
}

async function simulate(settings: UpdateSettings, progress: Progress) {
  claimDataFolder(settings.dataDir, 'simulated')
  progress.say(
    'no node is configured or found: making a simulated chain with simulated prices to show what Coinstrata does',
  )
  const now = Math.floor(Date.now() / 1000)
  return simulateNode(settings.dataDir, sessionLimits(settings), settings.simulatedSeed, now, progress)
}

/** On shorter chains DuckDB is faster with one thread. */
const blocksForThreads = 50_000

async function computeStep(settings: UpdateSettings, progress: Progress, force: boolean) {
  const { dataDir } = settings
  const begin = performance.now()
  progress.part?.('check of segments')
  const scanned = readScannedChain(dataDir)
  if (!isScanned(settings, scanned)) {
    throw new CoinstrataError('data_not_ready', `${dataDir} has no complete scan of a chain`, {
      cure: 'run "coinstrata update" (or "coinstrata ingest") first',
    })
  }
  progress.part?.('inputs')
  const tipHeight = scanned.tip.height
  const addresses = publishedAddresses(settings.addresses ?? 'off', scanned)
  const choices = { ...settings, addresses, labels: readLabels(dataDir, scanned.network) }
  const inputs = inputKey(dataDir, scanned, choices)
  const isUnproved = readBootstrapHistory(dataDir)?.isProved === false
  const unchanged = force || isUnproved ? undefined : await findUnchanged(dataDir, scanned, inputs, progress)
  const report = unchanged ?? {
    generation: await withSession(
      { ...sessionLimits(settings), ...(tipHeight < blocksForThreads && { threads: 1 }) },
      async (connection) => {
        progress.part?.('joining')
        await joinSegments(connection, segmentStore(dataDir), scanned.segments)
        await joinSegments(connection, labelStore(dataDir), scanned.labelled?.keys ?? [])
        progress.say('computing cohorts and tables')
        if (!isUnproved) return buildGeneration(connection, dataDir, scanned, choices, progress)
        return publishHistory(connection, scanned, choices, progress)
      },
    ),
  }
  const { time } = report.generation.tip
  if (Date.parse(time) > Date.now() + maxTimeAheadMs) {
    progress.say(`the newest block is from ${time}, hours ahead of the clock of this machine: set the clock (NTP)`)
  }
  progress.part?.('clearing')
  // Needed for an unchanged generation too: the run that published it may have been killed before
  // this point.
  removeOtherSegments(segmentStore(dataDir), scanned.segments)
  removeOtherSegments(labelStore(dataDir), scanned.labelled?.keys ?? [])
  for (const store of addressStores(dataDir, addresses)) {
    store.removeOthers(readScannedBlocks(dataDir, scanned), scannedUnits(scanned))
  }
  if (addresses !== 'all') new BalanceStore(dataDir).clear()
  await withProvedSegments(dataDir, (registry) => registry.recordPublished())
  return { ...report, tipHeight, computeSeconds: (performance.now() - begin) / 1000 }
}

/**
 * Publishes another operator's scan only if it leaves exactly the node's coins. Throws
 * `history_refused`.
 */
async function publishHistory(
  connection: DuckDBConnection,
  scanned: ScannedChain,
  settings: UpdateSettings & Choices,
  progress: Progress,
): Promise<Generation> {
  const { dataDir } = settings
  try {
    const generation = await buildGeneration(connection, dataDir, scanned, settings, progress, async (built) => {
      const { coins, date } = await proveCoins(connection, settings, {}, progress, built)
      progress.say(`all ${coins} coins up to ${date} are those of the node, by day of creation and kind`)
    })
    recordProvedHistory(dataDir)
    return generation
  } catch (cause) {
    if (!(cause instanceof CoinstrataError) || cause.code !== 'audit_failed') throw cause
    discardHistory(dataDir)
    throw historyRefused(cause.message, cause)
  }
}

/**
 * Returns the current generation if its tables are intact and these inputs would repeat it, or
 * repeat a newer one before a rollback. A generation never compared with the node is built again
 * once the node responds. Throws `audit_failed` if the node's unspent outputs differ.
 */
async function findUnchanged(
  dataDir: string,
  { network, tip, node, notes }: ScannedChain,
  inputs: string,
  progress: Progress,
) {
  const current = readableGeneration(dataDir)
  if (!current) return undefined
  const { generation } = current
  const isCurrent = generation.inputs === inputs
  const newer = isCurrent
    ? undefined
    : listNewerGenerations(dataDir).find(({ opened }) => opened?.generation.inputs === inputs)
  if (!isCurrent && !newer) return undefined
  progress.part?.('check of what is published')
  const damaged = await findDamagedTables(current)
  if (damaged.length > 0) {
    progress.say(`the published tables ${damaged.join(', ')} are damaged: publishing again`)
    return undefined
  }
  const sums = comparableSums(networks[network], tip.height, node)
  if (sums) {
    if (isCurrent && !generation.audit.node) return undefined
    const { supply_sats: supplySats, utxo_count: utxoCount } = (newer?.opened?.generation ?? generation).tip
    compareWithNode({ height: tip.height, supplySats, utxoCount }, sums)
  }
  return { generation, unchanged: true as const, ...(newer && { newerId: newer.id }), notes }
}
