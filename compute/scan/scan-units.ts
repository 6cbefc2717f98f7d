import { rmSync } from 'node:fs'
import os from 'node:os'
import { Piscina } from 'piscina'
import { CoinstrataError } from '#base/errors.ts'
import { prunedCure } from '#ingest/chain/block-index.ts'
import { FileUnitReader } from '#ingest/chain/file-unit-reader.ts'
import type { HeaderChain } from '#ingest/chain/header-chain.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import { type ProvedSegments, withProvedSegments } from '#state/proved-segments.ts'
import { checkpointsFolder } from '../data-folder.ts'
import { type ScanOutcome, type ScanTask, scanUnit } from './scan-task.ts'
import { bytesOf, firstHeight, hashesOf, newestUnits, type ScanUnit } from './scan-unit.ts'
import { intactSegments } from './segment-parts.ts'
import { segmentKey, writeSegment } from './segments.ts'
import { errorOf } from './worker-failure.ts'

export interface UnitScannerOptions {
  readonly dataDir: string
  readonly network: NetworkName
  readonly referee: RpcEndpoint | undefined
  /** So many bytes of the newest blocks are proved, also where their segments stand already. */
  readonly proveBytes: number
  /** Hears of every finished unit, of so many blocks that are to be scanned; both count from the first unit. */
  readonly onProgress: (blocks: number, totalBlocks: number, bytes: number) => void
}

export interface ScannedUnits {
  /** Segment of each unit, in their order. */
  readonly keys: readonly string[]
  /** Heights whose undo record is missing; their units have no segment. */
  readonly unproved: readonly number[]
  /** Undo records beside these units that belong to no block of theirs, as far as this scanner read them. */
  readonly unclaimedUndo: number
  /** Of these the ones in the last undo file. */
  readonly unclaimedAtEnd: number
  /** Segments whose content was not that of their blocks, and now is. */
  readonly corrected: number
  /** Blocks that are damaged in their file and came over RPC: sentences for people. */
  readonly refetched: readonly string[]
  /** Blocks and bytes read; what was scanned before does not count. */
  readonly blocks: number
  readonly bytes: number
}

/** A part of the units, scanned before all others are known, in a run that will come to scan so many blocks. */
export interface EarlyScan {
  readonly totalBlocks: number
}

/**
 * Scans the units of a chain that have no segment yet, and those anew that are to be proved and are not, or are known to
 * be wrong. In an `early` scan, where the newest are still to come, nothing is proved unless everything is. Throws what
 * the first unit that fails throws.
 */
export type ScanUnits = (chain: HeaderChain, units: readonly ScanUnit[], early?: EarlyScan) => Promise<ScannedUnits>

interface OpenSegment {
  readonly unit: ScanUnit
  readonly key: string
  readonly blocks: number
  readonly prove: boolean
}

/** To start a thread takes longer than to scan so few bytes. */
const bytesWithoutThread = 4e6

/** Lets `work` scan units on all cores. Workers live as long as it does, from one scan to the next. */
export async function withUnitScanner<T>(
  options: UnitScannerOptions,
  work: (scanUnits: ScanUnits) => Promise<T>,
): Promise<T> {
  const pool = new Piscina<ScanTask, ScanOutcome>({
    filename: new URL('./scan-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: os.availableParallelism(),
    idleTimeout: 60_000,
  })
  try {
    const scanner = new UnitScanner(options, pool)
    return await work((chain, units, early) =>
      withProvedSegments(options.dataDir, (registry) => scanner.scan(chain, units, registry, early)),
    )
  } finally {
    await pool.destroy()
  }
}

class UnitScanner {
  readonly #options: UnitScannerOptions
  readonly #pool: Piscina<ScanTask, ScanOutcome>
  readonly #files = new FileUnitReader()
  /** Segments that stand whole; each is looked at once. */
  #stored: Set<string> | undefined
  readonly #unclaimedUndo = new Map<string, number>()
  #writing = Promise.resolve()
  #totalBlocks = 0
  #blocks = 0
  #bytes = 0
  #corrected = 0

  constructor(options: UnitScannerOptions, pool: Piscina<ScanTask, ScanOutcome>) {
    this.#options = options
    this.#pool = pool
  }

  async scan(
    chain: HeaderChain,
    units: readonly ScanUnit[],
    registry: ProvedSegments,
    early: EarlyScan | undefined,
  ): Promise<ScannedUnits> {
    const { dataDir, proveBytes } = this.#options
    const segments = units.map((unit) => {
      const hashes = hashesOf(unit, chain)
      return { unit, key: segmentKey(hashes), blocks: hashes.length / 32 }
    })
    this.#stored ??= intactSegments(dataDir)
    // Whoever removed all segments wants everything anew, and not what was made from them.
    if (this.#stored.size === 0) rmSync(checkpointsFolder(dataDir), { recursive: true, force: true })
    const newestBytes = early && proveBytes < Number.POSITIVE_INFINITY ? 0 : proveBytes
    const open = openSegments(segments, this.#stored, registry, newestBytes)
    const openBlocks = open.reduce((sum, { blocks }) => sum + blocks, 0)
    this.#totalBlocks = Math.max(early?.totalBlocks ?? 0, this.#blocks + openBlocks)
    const before = { blocks: this.#blocks, bytes: this.#bytes, corrected: this.#corrected }
    const unproved: number[] = []
    const refetched: string[] = []
    if (open.length > 0) registry.forget(open.map(({ key }) => key))
    const openBytes = open.reduce((sum, { unit }) => sum + bytesOf(unit), 0)
    const here = openBytes <= bytesWithoutThread
    const scanOne = (task: ScanTask): Promise<ScanOutcome> =>
      here ? scanUnit(task, this.#files) : this.#pool.run(task)
    const scanOpenUnits = async (): Promise<void> => {
      try {
        for (let next = open.shift(); next; next = open.shift()) {
          const found = await this.#scanUnit(chain, next, registry, scanOne)
          unproved.push(...found.unproved)
          refetched.push(...found.refetched)
        }
      } finally {
        open.length = 0
      }
    }
    // One more than there are threads, so that no thread waits while a segment is written. After a failure the others
    // finish their unit too, since the session is closed next.
    const atOnce = here ? 1 : this.#pool.maxThreads + 1
    const ends = await Promise.allSettled(Array.from({ length: atOnce }, scanOpenUnits))
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed) throw failed.reason
    if (unproved.length === 0 && !early) registry.setChain(segments)
    const keys = segments.map(({ key }) => key)
    return {
      keys,
      unproved: unproved.sort((one, other) => one - other),
      refetched,
      unclaimedUndo: keys.reduce((sum, key) => sum + (this.#unclaimedUndo.get(key) ?? 0), 0),
      unclaimedAtEnd: this.#unclaimedUndo.get(keys.at(-1) ?? '') ?? 0,
      corrected: this.#corrected - before.corrected,
      blocks: this.#blocks - before.blocks,
      bytes: this.#bytes - before.bytes,
    }
  }

  /** Writes the segment of a unit, or returns the heights whose undo record is missing. */
  async #scanUnit(
    chain: HeaderChain,
    { unit, key, blocks, prove }: OpenSegment,
    registry: ProvedSegments,
    scanOne: (task: ScanTask) => Promise<ScanOutcome>,
  ): Promise<Pick<ScannedUnits, 'unproved' | 'refetched'>> {
    const { dataDir, network, referee, onProgress } = this.#options
    const times = { times: chain.times, days: chain.days }
    const outcome = await scanOne({ unit, network, times, referee, prove })
    if (outcome.kind === 'failed') throw errorOf(outcome)
    if (outcome.kind === 'unproved') return { unproved: outcome.heights, refetched: [] }
    // One segment at a time: a comparison with what is stored takes memory.
    this.#writing = this.#writing.then(async () => {
      const again = this.#stored?.has(key) ?? false
      if (await writeSegment(dataDir, key, outcome.tables, again)) this.#corrected++
      if (outcome.proved) registry.noteProved({ key, blocks })
      this.#stored?.add(key)
    })
    await this.#writing
    this.#blocks += outcome.tables.blocks.height.length
    this.#bytes += outcome.bytes
    this.#unclaimedUndo.set(key, outcome.unclaimedUndo)
    onProgress(this.#blocks, this.#totalBlocks, this.#bytes)
    return { unproved: [], refetched: outcome.refetched }
  }
}

function openSegments<T extends { readonly unit: ScanUnit; readonly key: string }>(
  segments: readonly T[],
  stored: ReadonlySet<string>,
  { proved, wrong }: ProvedSegments,
  proveBytes: number,
): Array<T & { readonly prove: boolean }> {
  const newest = newestUnits(
    segments.map(({ unit }) => unit),
    proveBytes,
  )
  return segments.flatMap((segment) => {
    const { unit, key } = segment
    const prove = newest.has(unit) || wrong.has(key)
    const done = stored.has(key) && (proved.has(key) || !prove || unit.prunedReason !== undefined)
    if (!done && unit.prunedReason !== undefined) {
      const message = `${unit.prunedReason}; block ${firstHeight(unit)}, which is not scanned yet, is needed`
      throw new CoinstrataError('pruned', message, { cure: prunedCure })
    }
    return done ? [] : [{ ...segment, prove }]
  })
}
