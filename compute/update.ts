import { maxTimeAheadMs } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'
import type { ChainSource } from '#ingest/chain/locate-source.ts'
import { networks } from '#ingest/chain/networks.ts'
import { currentGeneration, type Generation, hasAllFiles, listNewerGenerations } from '#sql/generation.ts'
import { type SessionLimits, withSession } from '#sql/session.ts'
import { withProvedSegments } from '#state/proved-segments.ts'
import { comparableSums, compareWithNode } from './audit/audit.ts'
import {
  claimDataFolder,
  folderNetwork,
  isUnused,
  refuseOtherNetwork,
  temporaryFolder,
  withDataFolder,
} from './data-folder.ts'
import type { Progress } from './progress.ts'
import { buildGeneration } from './publish/build-generation.ts'
import { inputKey } from './publish/input-key.ts'
import { ingest } from './scan/ingest.ts'
import { joinSegments } from './scan/join-segments.ts'
import { readScannedChain, type ScannedChain } from './scan/scanned-chain.ts'
import { intactSegments, removeOtherSegments } from './scan/segment-parts.ts'
import { simulateNode } from './scan/simulated-node.ts'
import { locateNode, type UpdateSettings } from './update-settings.ts'

export interface UpdateReport {
  /** Missing after a step that does not publish. */
  readonly generation?: Generation
  readonly tipHeight: number
  readonly blocks: number
  readonly bytes: number
  readonly scanSeconds: number
  readonly computeSeconds: number
  /** True if nothing had changed, so the current generation stays and none was built. */
  readonly unchanged?: boolean
  /** After a rollback: the newer generation that building from these inputs would repeat. */
  readonly newerId?: string
  /** Notes of this run, set only if `unchanged`: those of the generation may be out of date. */
  readonly notes?: readonly string[]
}

export interface UpdateOptions {
  /** Bytes of the newest blocks to prove before anything is published; infinite for all. */
  readonly proveBytes?: number
  /** Compute and publish even if nothing has changed since the current generation. */
  readonly force?: boolean
  /** Accept block files with a shorter chain than before although no node confirms it. */
  readonly allowShorter?: boolean
}

/**
 * Runs a whole update: ingest, compute, audit, publish. If the audit fails, it searches for damaged blocks, corrects them
 * and computes again. If nothing has changed since the current generation, or since a newer one before a rollback, the
 * current one stays. A failed update leaves the published data as it was.
 */
export function update(
  settings: UpdateSettings,
  progress: Progress,
  options: UpdateOptions = {},
): Promise<UpdateReport> {
  return withDataFolder(settings.dataDir, async () => {
    const ingested = await ingestStep(settings, progress, options)
    for (;;) {
      try {
        return { ...ingested, ...(await computeStep(settings, progress, options.force ?? false)) }
      } catch (error) {
        if (!(error instanceof CoinstrataError) || error.code !== 'audit_failed') throw error
        progress.say(`${error.message}; looking for damage in blocks that are not proved yet, newest first`)
        if (!(await correctSegments(settings, progress, options))) throw withAllProved(error)
      }
    }
  })
}

/** Bytes of the newest blocks to prove first after a failed audit; each further step proves four times as many. */
const firstSearchBytes = 4e9

/** Proves blocks, newest first, until one segment is corrected. Throws `block_corrupt` for a damaged block. */
async function correctSegments(settings: UpdateSettings, progress: Progress, options: UpdateOptions): Promise<boolean> {
  for (let bytes = firstSearchBytes; ; bytes *= 4) {
    const { blocks, of: totalBlocks } = await withProvedSegments(settings.dataDir, ({ counts }) => counts)
    if (blocks === totalBlocks) return false
    const { corrected } = await ingestStep(settings, progress, { ...options, proveBytes: bytes })
    if (corrected > 0) return true
  }
}

const withAllProved = (error: CoinstrataError): CoinstrataError =>
  new CoinstrataError(
    error.code,
    `${error.message}; every block is proved against its hash, so the block files are not the cause`,
    { cause: error, cure: error.cure },
  )

/** Runs the first step of an update alone: reads the chain into segments and publishes nothing. */
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

/** Runs the second step of an update alone: computes, audits and publishes what was ingested before. */
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
  const source = chooseSource(settings)
  const network = source ? settings.network : 'simulated'
  refuseOtherNetwork(dataDir, network)
  const from = source ?? (await simulate(settings, progress))
  const begin = performance.now()
  progress.part?.('headers')
  const { scanned, blocks, bytes, corrected } = await ingest({
    dataDir,
    network: networks[network],
    source: from,
    progress,
    ...options,
  })
  return { tipHeight: scanned.tip.height, blocks, bytes, corrected, scanSeconds: (performance.now() - begin) / 1000 }
}

/** Returns the node to read, or `undefined` for the simulated chain, which never replaces real data. */
function chooseSource(settings: UpdateSettings): ChainSource | undefined {
  const { dataDir, source } = settings
  const owner = folderNetwork(dataDir)
  const mayBeSimulated = owner === 'simulated' || isUnused(dataDir)
  if (source === 'simulated') {
    if (mayBeSimulated) return undefined
    throw new CoinstrataError(
      'data_folder_mismatch',
      `${dataDir} holds real data, and simulated data never mixes with real data`,
      {
        cure: 'give the simulated chain its own data folder: set DATA_DIR (or --data-dir) to another folder',
      },
    )
  }
  const found = locateNode(settings)
  if (found) return found
  if (mayBeSimulated) return undefined
  throw new CoinstrataError('source_not_found', `no node was found, and ${dataDir} holds real data`, {
    cure: 'mount the disk of the node, or name its data directory with --datadir (BITCOIN_DATADIR)',
  })
}

async function simulate(settings: UpdateSettings, progress: Progress) {
  claimDataFolder(settings.dataDir, 'simulated')
  progress.say(
    'no node is configured or found: making a simulated chain with simulated prices to show what Coinstrata does',
  )
  const now = Math.floor(Date.now() / 1000)
  return simulateNode(settings.dataDir, sessionLimits(settings), settings.simulatedSeed, now, progress)
}

/** On shorter chains DuckDB is faster with a single thread. */
const blocksForThreads = 50_000

async function computeStep(settings: UpdateSettings, progress: Progress, force: boolean) {
  const { dataDir } = settings
  const begin = performance.now()
  progress.part?.('check of segments')
  const scanned = readScannedChain(dataDir)
  const stored = intactSegments(dataDir)
  if (!scanned?.segments.every((key) => stored.has(key))) {
    throw new CoinstrataError('data_not_ready', `${dataDir} has no complete scan of a chain`, {
      cure: 'run "coinstrata update" (or "coinstrata ingest") first',
    })
  }
  progress.part?.('inputs')
  const tipHeight = scanned.tip.height
  const unchanged = force ? undefined : findUnchanged(dataDir, scanned, inputKey(dataDir, scanned, settings))
  const report = unchanged ?? {
    generation: await withSession(
      { ...sessionLimits(settings), ...(tipHeight < blocksForThreads && { threads: 1 }) },
      async (connection) => {
        progress.part?.('joining')
        await joinSegments(connection, dataDir, scanned.segments)
        progress.say('computing cohorts and tables')
        return buildGeneration(connection, dataDir, scanned, settings, progress)
      },
    ),
  }
  const { time } = report.generation.tip
  if (Date.parse(time) > Date.now() + maxTimeAheadMs) {
    progress.say(`the newest block is from ${time}, hours ahead of the clock of this machine: set the clock (NTP)`)
  }
  progress.part?.('clearing')
  // Needed for an unchanged generation too: the run that published it may have been killed before this point.
  removeOtherSegments(dataDir, scanned.segments)
  await withProvedSegments(dataDir, (registry) => registry.recordPublished())
  return { ...report, tipHeight, computeSeconds: (performance.now() - begin) / 1000 }
}

interface UnchangedGeneration {
  readonly generation: Generation
  readonly unchanged: true
  readonly newerId?: string
  readonly notes: readonly string[]
}

/**
 * Returns the current generation if computing from these inputs would repeat it, or repeat a newer one from before a
 * rollback. A generation that was never compared with the node is built again once the node answers. Throws
 * `audit_failed` if the node counts other unspent outputs.
 */
function findUnchanged(
  dataDir: string,
  { network, tip, node, notes }: ScannedChain,
  inputs: string,
): UnchangedGeneration | undefined {
  const current = currentGeneration(dataDir)
  if (!current || !hasAllFiles(current)) return undefined
  const { generation } = current
  const sums = comparableSums(networks[network], tip.height, node)
  const compare = ({ tip: { supply_sats, utxo_count } }: Generation): void => {
    if (sums) compareWithNode({ height: tip.height, supplySats: supply_sats, utxoCount: utxo_count }, sums)
  }
  if (generation.inputs === inputs) {
    if (sums && !generation.audit.node) return undefined
    compare(generation)
    return { generation, unchanged: true, notes }
  }
  const newer = listNewerGenerations(dataDir).find(({ opened }) => opened?.generation.inputs === inputs)
  if (!newer?.opened) return undefined
  compare(newer.opened.generation)
  return { generation, unchanged: true, newerId: newer.id, notes }
}
