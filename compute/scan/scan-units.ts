import os from 'node:os'
import { Piscina } from 'piscina'
import type { FileUnit } from '#ingest/chain/file-unit.ts'
import type { HeaderChain } from '#ingest/chain/header-chain.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import type { RpcUnit } from '#ingest/chain/rpc-unit.ts'
import { withSession } from '#sql/session.ts'
import { temporaryFolder } from '../data-folder.ts'
import type { ScanOutcome, ScanTask } from './scan-worker.ts'
import { hasSegment, segmentKey, writeSegment } from './segments.ts'
import { errorOf } from './worker-failure.ts'

export type ScanUnit = FileUnit | RpcUnit

export interface ScanUnitsOptions {
  readonly dataDir: string
  readonly network: NetworkName
  readonly chain: HeaderChain
  readonly units: readonly ScanUnit[]
  readonly referee: RpcEndpoint | undefined
  /** Hears of every finished unit: blocks of all to be scanned, and bytes, since the beginning. */
  readonly onProgress: (blocks: number, totalBlocks: number, bytes: number) => void
}

export interface ScannedUnits {
  /** Segment of each unit, in their order. */
  readonly keys: readonly string[]
  /** Heights whose undo record is missing; their units have no segment. */
  readonly unproved: readonly number[]
  readonly unclaimedUndo: number
  /** Blocks and bytes read in this run; what earlier runs scanned does not count. */
  readonly blocks: number
  readonly bytes: number
}

/** Scans the units that have no segment yet on all cores. Throws the error of the first unit that fails. */
export async function scanUnits(options: ScanUnitsOptions): Promise<ScannedUnits> {
  const { dataDir, chain, units } = options
  const keys = units.map((unit) => segmentKey(hashesOf(unit, chain)))
  const open = units.flatMap((unit, i) => (hasSegment(dataDir, keys[i]!) ? [] : [{ unit, key: keys[i]! }]))
  const totalBlocks = open.reduce((sum, { unit }) => sum + hashesOf(unit, chain).length / 32, 0)
  const unproved: number[] = []
  const totals = { unclaimedUndo: 0, blocks: 0, bytes: 0 }
  if (open.length === 0) return { keys, unproved, ...totals }

  const threads = Math.min(os.availableParallelism(), open.length)
  const pool = new Piscina<ScanTask, ScanOutcome>({
    filename: new URL('./scan-worker.ts', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
  })
  const times = { times: chain.times, days: chain.days }
  // The cores are busy scanning: more threads of DuckDB would only get in their way.
  const ends = await withSession({ temporaryFolder: temporaryFolder(dataDir), threads: 1 }, (connection) => {
    let writing = Promise.resolve()
    const scanUnit = async ({ unit, key }: (typeof open)[number]): Promise<void> => {
      const outcome = await pool.run({ unit, network: options.network, times, referee: options.referee })
      if (outcome.kind === 'failed') throw errorOf(outcome)
      if (outcome.kind === 'unproved') {
        unproved.push(...outcome.heights)
        return
      }
      // One segment at a time: the tables of a DuckDB connection are written one after the other anyway.
      writing = writing.then(() => writeSegment(connection, dataDir, key, outcome.tables))
      await writing
      totals.blocks += outcome.tables.blocks.height.length
      totals.bytes += outcome.bytes
      totals.unclaimedUndo += outcome.unclaimedUndo
      options.onProgress(totals.blocks, totalBlocks, totals.bytes)
    }
    const scanOpenUnits = async (): Promise<void> => {
      try {
        for (let next = open.shift(); next; next = open.shift()) await scanUnit(next)
      } finally {
        open.length = 0
      }
    }
    // One more than there are threads, so that no thread waits while a segment is written. After a failure the others
    // finish their unit too, since the session is closed next.
    return Promise.allSettled(Array.from({ length: threads + 1 }, scanOpenUnits))
  })
  await pool.destroy()
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  return { keys, unproved: unproved.sort((a, b) => a - b), ...totals }
}

function hashesOf(unit: ScanUnit, chain: HeaderChain): Uint8Array {
  if (unit.kind === 'files') return unit.hashes
  return chain.hashes.subarray(32 * unit.firstHeight, 32 * (unit.firstHeight + unit.hashes.length))
}
