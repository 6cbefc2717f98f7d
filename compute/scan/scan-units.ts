import os from 'node:os'
import { Piscina } from 'piscina'
import type { HeaderChain } from '#ingest/chain/header-chain.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import type { ProvedSegments } from '#sql/proved-segments.ts'
import { withSession } from '#sql/session.ts'
import { temporaryFolder } from '../data-folder.ts'
import type { ScanOutcome, ScanTask } from './scan-task.ts'
import { hashesOf, newestUnits, type ScanUnit } from './scan-unit.ts'
import { intactSegments } from './segment-parts.ts'
import { segmentKey, writeSegment } from './segments.ts'
import { errorOf } from './worker-failure.ts'

export interface ScanUnitsOptions {
  readonly dataDir: string
  readonly network: NetworkName
  readonly chain: HeaderChain
  readonly units: readonly ScanUnit[]
  readonly referee: RpcEndpoint | undefined
  /** So many bytes of the newest blocks are proved, also where their segments stand already. */
  readonly proveBytes: number
  readonly registry: ProvedSegments
  /** Hears of every finished unit: blocks of all to be scanned, and bytes, since the beginning. */
  readonly onProgress: (blocks: number, totalBlocks: number, bytes: number) => void
}

export interface ScannedUnits {
  /** Segment of each unit, in their order. */
  readonly keys: readonly string[]
  /** Heights whose undo record is missing; their units have no segment. */
  readonly unproved: readonly number[]
  readonly unclaimedUndo: number
  /** Segments whose content was not that of their blocks, and now is. */
  readonly corrected: number
  /** Blocks that are damaged in their file and came over RPC: sentences for people. */
  readonly refetched: readonly string[]
  /** Blocks and bytes read in this run; what earlier runs scanned does not count. */
  readonly blocks: number
  readonly bytes: number
}

/**
 * Scans the units that have no segment yet on all cores, and those anew that are to be proved and are not, or are known
 * to be wrong. Throws what the first unit that fails throws.
 */
export async function scanUnits(options: ScanUnitsOptions): Promise<ScannedUnits> {
  const { dataDir, chain, units, registry } = options
  const segments = units.map((unit) => {
    const hashes = hashesOf(unit, chain)
    return { unit, key: segmentKey(hashes), blocks: hashes.length / 32 }
  })
  const keys = segments.map(({ key }) => key)
  const stored = intactSegments(dataDir)
  const open = openSegments(segments, stored, options)
  const totalBlocks = open.reduce((sum, { blocks }) => sum + blocks, 0)
  const unproved: number[] = []
  const refetched: string[] = []
  const totals = { unclaimedUndo: 0, corrected: 0, blocks: 0, bytes: 0 }
  if (open.length === 0) {
    registry.setChain(segments)
    return { keys, unproved, refetched, ...totals }
  }
  registry.forget(open.map(({ key }) => key))

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
    const scanUnit = async ({ unit, key, blocks, prove }: (typeof open)[number]): Promise<void> => {
      const outcome = await pool.run({ unit, network: options.network, times, referee: options.referee, prove })
      if (outcome.kind === 'failed') throw errorOf(outcome)
      if (outcome.kind === 'unproved') {
        unproved.push(...outcome.heights)
        return
      }
      // One segment at a time: the tables of a DuckDB connection are written one after the other anyway.
      writing = writing.then(async () => {
        if (await writeSegment(connection, dataDir, key, outcome.tables, stored.has(key))) totals.corrected++
        if (outcome.proved) registry.noteProved({ key, blocks })
      })
      await writing
      refetched.push(...outcome.refetched)
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
  if (unproved.length === 0) registry.setChain(segments)
  return { keys, unproved: unproved.sort((a, b) => a - b), refetched, ...totals }
}

function openSegments<T extends { readonly unit: ScanUnit; readonly key: string }>(
  segments: readonly T[],
  stored: ReadonlySet<string>,
  { registry, proveBytes }: ScanUnitsOptions,
): Array<T & { readonly prove: boolean }> {
  const { proved, wrong } = registry
  const newest = newestUnits(
    segments.map(({ unit }) => unit),
    proveBytes,
  )
  return segments.flatMap((segment) => {
    const { unit, key } = segment
    const prove = newest.has(unit) || wrong.has(key)
    const done = stored.has(key) && (proved.has(key) || !prove)
    return done ? [] : [{ ...segment, prove }]
  })
}
