import type { DuckDBConnection } from '@duckdb/node-api'
import { type ChainSource, locateSource } from '#ingest/chain/locate-source.ts'
import { networks } from '#ingest/chain/networks.ts'
import { CoinstrataError } from '#root/errors.ts'
import type { Generation } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
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
import { keepAuditedSegments, removeUnauditedSegments } from './scan/audited-segments.ts'
import { ingest } from './scan/ingest.ts'
import { readScannedChain } from './scan/scanned-chain.ts'
import { hasSegment } from './scan/segments.ts'
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
}

/** One whole pass: ingest, compute, audit, publish. Throws what its steps throw; what was published before then stands. */
export function update(settings: UpdateSettings, progress: Progress): Promise<UpdateReport> {
  return withWriter(settings, async (connection) => {
    const ingested = await ingestStep(connection, settings, progress)
    return { ...ingested, ...(await computeStep(connection, settings, progress)) }
  })
}

/** The first step alone: reads the chain into segments and publishes nothing. */
export function updateSegments(settings: UpdateSettings, progress: Progress): Promise<UpdateReport> {
  return withWriter(settings, async (connection) => ({
    ...(await ingestStep(connection, settings, progress)),
    computeSeconds: 0,
  }))
}

/** The second step alone: computes, audits and publishes what was ingested before. */
export function publishSegments(settings: UpdateSettings, progress: Progress): Promise<UpdateReport> {
  return withWriter(settings, async (connection) => ({
    ...(await computeStep(connection, settings, progress)),
    blocks: 0,
    bytes: 0,
    scanSeconds: 0,
  }))
}

function withWriter<T>(settings: UpdateSettings, work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const { dataDir, memory } = settings
  return withDataFolder(dataDir, () => withSession({ temporaryFolder: temporaryFolder(dataDir), memory }, work))
}

async function ingestStep(connection: DuckDBConnection, settings: UpdateSettings, progress: Progress) {
  const { dataDir } = settings
  const source = chooseSource(settings)
  const network = source ? settings.network : 'simulated'
  refuseOtherNetwork(dataDir, network)
  const from = source ?? (await simulate(connection, settings, progress))
  const begin = performance.now()
  const { scanned, blocks, bytes } = await ingest({
    connection,
    dataDir,
    network: networks[network],
    source: from,
    progress,
  })
  return { tipHeight: scanned.tip.height, blocks, bytes, scanSeconds: (performance.now() - begin) / 1000 }
}

/** The node to read; `undefined` for the simulated chain, which never takes the place of real data. */
function chooseSource(settings: UpdateSettings): ChainSource | undefined {
  const { dataDir, source } = settings
  const owner = folderNetwork(dataDir)
  const mayBeSimulated = owner === 'simulated' || isUnused(dataDir)
  if (source === 'simulated') {
    if (mayBeSimulated) return undefined
    throw new CoinstrataError('data_folder_mismatch', `${dataDir} holds real data, which simulated data never join`, {
      cure: 'give the simulated chain a data folder of its own: set DATA_DIR (or --data-dir) to another folder',
    })
  }
  const found = locateSource({ ...settings, source }, networks[settings.network], settings.defaultDatadir)
  if (found) return found
  if (mayBeSimulated) return undefined
  throw new CoinstrataError('source_not_found', `no node was found, and ${dataDir} holds real data`, {
    cure: 'mount the disk of the node, or name its data directory with --datadir (BITCOIN_DATADIR)',
  })
}

async function simulate(connection: DuckDBConnection, settings: UpdateSettings, progress: Progress) {
  claimDataFolder(settings.dataDir, 'simulated')
  progress.say(
    'no node is configured or found: making a simulated chain with simulated prices to show what Coinstrata does',
  )
  const now = Math.floor(Date.now() / 1000)
  return simulateNode(connection, settings.dataDir, settings.simulatedSeed, now, progress)
}

async function computeStep(connection: DuckDBConnection, { dataDir }: UpdateSettings, progress: Progress) {
  const begin = performance.now()
  const scanned = readScannedChain(dataDir)
  if (!scanned?.segments.every((key) => hasSegment(dataDir, key))) {
    throw new CoinstrataError('data_not_ready', `${dataDir} does not hold the scan of a whole chain`, {
      cure: 'run "coinstrata update" (or "coinstrata ingest") first',
    })
  }
  progress.say('computing cohorts and tables')
  const generation = await buildGeneration(connection, dataDir, scanned).catch((error: unknown) => {
    throw afterFailedAudit(dataDir, error) ?? error
  })
  keepAuditedSegments(dataDir, scanned.segments)
  return { generation, tipHeight: scanned.tip.height, computeSeconds: (performance.now() - begin) / 1000 }
}

/** What this run read may come from damaged files: it is dropped, and the next run reads it anew. */
function afterFailedAudit(dataDir: string, error: unknown): CoinstrataError | undefined {
  if (!(error instanceof CoinstrataError) || error.code !== 'audit_failed') return undefined
  if (removeUnauditedSegments(dataDir) === 0) return undefined
  return new CoinstrataError(error.code, error.message, {
    cause: error,
    cure:
      'run "coinstrata update" again, which reads anew what was read since the last audit that passed; if that fails too, ' +
      'let the node check its files (-reindex), and if they are in order please report it with this message',
  })
}
