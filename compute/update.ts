import { mostTimeAhead } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'
import { type ChainSource, locateSource } from '#ingest/chain/locate-source.ts'
import { networks } from '#ingest/chain/networks.ts'
import { currentGeneration, type Generation, isComplete, newerGenerations } from '#sql/generation.ts'
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
import type { UpdateSettings } from './update-settings.ts'

export interface UpdateReport {
  /** Only after a step that publishes. */
  readonly generation?: Generation
  readonly tipHeight: number
  readonly blocks: number
  readonly bytes: number
  readonly scanSeconds: number
  readonly computeSeconds: number
  /** Nothing had changed since the generation was made, so that no other was. */
  readonly kept?: boolean
  /** Where a generation was kept that was gone back to: the newer one that would be made again. */
  readonly leftId?: string
  /** What this run found, where a generation was kept that may have been made when other things were to be said. */
  readonly notes?: readonly string[]
}

export interface UpdateOptions {
  /** So many bytes of the newest blocks are proved before anything is published; infinite for all. */
  readonly proveBytes?: number
  /** Compute and publish also where nothing has changed since the current generation. */
  readonly force?: boolean
  /** Take block files whose chain is shorter than it must have been, where no node tells which chain it is. */
  readonly allowShorter?: boolean
}

/**
 * One whole pass: ingest, compute, audit, publish. After an audit that failed, damaged blocks are looked for, and where
 * they can be corrected the pass goes on. Where nothing has changed since the current generation, or since a newer one that
 * was left by going back, the current one is kept. Throws what its steps throw; what was published before then stands.
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
        if (!(await correctSegments(settings, progress, options))) throw provedAll(error)
      }
    }
  })
}

/** Bytes of the newest blocks that are proved first after an audit that failed; four times as many each time after. */
const searchedFirst = 4e9

/**
 * Proves blocks that are not proved yet, the newest first, until a segment turns out to be of damaged files and is
 * corrected. Returns whether there was one. Throws `block_corrupt` for a block that is damaged still.
 */
async function correctSegments(settings: UpdateSettings, progress: Progress, options: UpdateOptions): Promise<boolean> {
  for (let bytes = searchedFirst; ; bytes *= 4) {
    const { blocks, of } = await withProvedSegments(settings.dataDir, ({ counts }) => counts)
    if (blocks === of) return false
    const { corrected } = await ingestStep(settings, progress, { ...options, proveBytes: bytes })
    if (corrected > 0) return true
  }
}

/** Damaged block files are not the reason, which the user should not be sent to look for. */
const provedAll = (error: CoinstrataError): CoinstrataError =>
  new CoinstrataError(
    error.code,
    `${error.message}; every block is proved against its hash, so the block files are not the cause`,
    { cause: error, cure: error.cure },
  )

/** The first step alone: reads the chain into segments and publishes nothing. */
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

/** The second step alone: computes, audits and publishes what was ingested before. */
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

/** The node to read; `undefined` for the simulated chain, which never takes the place of real data. */
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
  const found = locateSource({ ...settings, source }, networks[settings.network], settings.defaultDatadir)
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

/** On shorter chains threads of DuckDB take longer to wait for each other than to compute alone. */
const blocksForThreads = 50_000

/** With `force` also where the current generation, or one that was left by going back, was made from the same. */
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
  const kept = force ? undefined : keptGeneration(dataDir, scanned, inputKey(dataDir, scanned, settings))
  const report = kept ?? {
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
  if (Date.parse(time) > Date.now() + mostTimeAhead) {
    progress.say(`the newest block is from ${time}, hours ahead of the clock of this machine: set the clock (NTP)`)
  }
  progress.part?.('clearing')
  // Also after a generation that is kept: the run that published it may have been killed before it came here.
  removeOtherSegments(dataDir, scanned.segments)
  await withProvedSegments(dataDir, (registry) => registry.notePublished())
  return { ...report, tipHeight, computeSeconds: (performance.now() - begin) / 1000 }
}

interface Kept {
  readonly generation: Generation
  readonly kept: true
  readonly leftId?: string
  readonly notes: readonly string[]
}

/**
 * The current generation, where computing from these inputs would only repeat it, or a newer one that was left. One that
 * was not compared with the node is made again once the node can be asked. Throws `audit_failed` where the node counts other
 * unspent outputs.
 */
function keptGeneration(
  dataDir: string,
  { network, tip, node, notes }: ScannedChain,
  inputs: string,
): Kept | undefined {
  const current = currentGeneration(dataDir)
  if (!current || !isComplete(current)) return undefined
  const { generation } = current
  const sums = comparableSums(networks[network], tip.height, node)
  const compare = ({ tip: { supply_sats, utxo_count } }: Generation): void => {
    if (sums) compareWithNode({ height: tip.height, supplySats: supply_sats, utxoCount: utxo_count }, sums)
  }
  if (generation.inputs === inputs) {
    if (sums && !generation.audit.node) return undefined
    compare(generation)
    return { generation, kept: true, notes }
  }
  const left = newerGenerations(dataDir).find(({ opened }) => opened?.generation.inputs === inputs)
  if (!left?.opened) return undefined
  compare(left.opened.generation)
  return { generation, kept: true, leftId: left.id, notes }
}
