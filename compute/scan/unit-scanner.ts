import { rmSync } from 'node:fs'
import os from 'node:os'
import { Piscina } from 'piscina'
import { CoinstrataError } from '#base/errors.ts'
import { freeMemory } from '#base/free-memory.ts'
import { pruned } from '#ingest/chain/block-index.ts'
import { isSameBytes } from '#ingest/chain/bytes.ts'
import { FileUnitReader } from '#ingest/chain/file-unit-reader.ts'
import { type HeaderChain, hashAt } from '#ingest/chain/header-chain.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import { type ProvedSegments, withProvedSegments } from '#state/proved-segments.ts'
import type { AddressMode } from '../address-sample.ts'
import { ActivityStore, type UnitBlocks } from '../addresses/activity-store.ts'
import { BalanceStore } from '../addresses/balance-store.ts'
import { checkpointsFolder } from '../data-folder.ts'
import type { Labels } from '../labels/label-files.ts'
import { createLabelTable } from '../labels/label-table.ts'
import { toError } from '../worker-failure.ts'
import { outcomeArrays, type ScanOutcome, type ScanTask, scanUnit } from './scan-task.ts'
import { firstHeight, lastHeight, newestUnits, type ScanUnit, unitBytes } from './scan-unit.ts'
import { labelStore, segmentStore, storedSegments } from './segment-parts.ts'
import { labelKey, segmentKey, writeLabels, writeSegment } from './segments.ts'

export interface UnitScannerOptions {
  readonly dataDir: string
  readonly network: NetworkName
  readonly referee: RpcEndpoint | undefined
  /** Bytes of the newest blocks to prove, including those with segments. */
  readonly proveBytes: number
  readonly addresses: AddressMode
  /**
   * Store of the outputs of all addresses (default: that of `dataDir`, which merges none during a
   * scan).
   */
  readonly balances?: BalanceStore | undefined
  readonly labels?: Labels | undefined
  /** Called after every unit with the totals of all scans of this scanner. */
  readonly onProgress: (blocks: number, totalBlocks: number, bytes: number) => void
}

export interface ScannedUnits {
  readonly keys: readonly string[]
  /** Height of the last block of each unit. */
  readonly lastHeights: readonly number[]
  /** Heights whose undo record is missing; their units have no segment. */
  readonly unproved: readonly number[]
  /**
   * Undo records in the files of the units read by this scanner that belong to none of their
   * blocks.
   */
  readonly unclaimedUndo: number
  /** The ones of `unclaimedUndo` in the last undo file. */
  readonly unclaimedAtEnd: number
  /** Segments that had other content than their blocks. */
  readonly corrected: number
  /** One sentence per block that is damaged in its file and was read over RPC instead. */
  readonly refetched: readonly string[]
  /** Read by this scan. */
  readonly blocks: number
  readonly bytes: number
}

/** Marks a scan of some units before all of them are known. */
export interface EarlyScan {
  /** Expected number of blocks of the whole run. */
  readonly totalBlocks: number
}

/**
 * Scans the units of a chain that have no segment yet, and rescans those that must be proved or are
 * known to be wrong. An `early` scan proves nothing unless everything is to be proved, since the
 * newest units are not known yet.
 */
export type ScanUnits = (chain: HeaderChain, units: readonly ScanUnit[], early?: EarlyScan) => Promise<ScannedUnits>

interface PendingSegment {
  readonly unit: ScanUnit
  readonly key: string
  readonly blocks: number
  readonly prove: boolean
}

/** Below this, starting a thread takes longer than the scan. */
const bytesWithoutThread = 4e6

/**
 * Runs `work` with a function that scans units on all cores. The workers live until `work` ends.
 */
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
  /** Stored segments, listed once. */
  #stored: Set<string> | undefined
  /** Stored outputs of labelled addresses, listed once. */
  #storedLabels: Set<string> | undefined
  readonly #labelTable: Uint32Array | undefined
  readonly #unclaimedUndo = new Map<string, number>()
  readonly #activity: ActivityStore | undefined
  readonly #balances: BalanceStore | undefined
  /**
   * Units whose active addresses, or outputs of all addresses, are stored, of this scan and the
   * early ones before it.
   */
  readonly #withSets = new Map<string, ScanUnit>()
  readonly #withEvents = new Map<string, ScanUnit>()
  #writing = Promise.resolve()
  #written = 0
  #totalBlocks = 0
  #blocks = 0
  #bytes = 0
  #corrected = 0

  constructor(options: UnitScannerOptions, pool: Piscina<ScanTask, ScanOutcome>) {
    this.#options = options
    this.#pool = pool
    this.#activity = options.addresses !== 'off' ? new ActivityStore(options.dataDir) : undefined
    this.#balances = options.addresses === 'all' ? (options.balances ?? new BalanceStore(options.dataDir)) : undefined
    this.#labelTable = options.labels && createLabelTable(options.labels.highs, options.labels.lows)
  }

  async scan(
    chain: HeaderChain,
    units: readonly ScanUnit[],
    registry: ProvedSegments,
    early: EarlyScan | undefined,
  ): Promise<ScannedUnits> {
    const { dataDir, proveBytes, addresses, labels } = this.#options
    const segments = units.map((unit) => {
      const { hashes, heights } = unit
      return { unit, key: segmentKey(hashes, addresses), blocks: heights.length }
    })
    this.#stored ??= storedSegments(segmentStore(dataDir))
    if (labels) this.#storedLabels ??= storedSegments(labelStore(dataDir))
    // The user removed all segments to start over: checkpoints were computed from them.
    if (this.#stored.size === 0) rmSync(checkpointsFolder(dataDir), { recursive: true, force: true })
    const newestBytes = early && proveBytes < Number.POSITIVE_INFINITY ? 0 : proveBytes
    const needsAddresses = this.#addressesNeeded(chain, segments)
    const storedLabels = this.#storedLabels
    const needsScan = (segment: (typeof segments)[number]): boolean =>
      needsAddresses(segment) ||
      (labels !== undefined &&
        // A pruned unit cannot be scanned: its labels stay uncounted.
        segment.unit.prunedReason === undefined &&
        storedLabels?.has(labelKey(segment.key, labels.addressesHash)) === false)
    const pending = findPending(segments, this.#stored, registry, newestBytes, needsScan)
    const pendingBlocks = pending.reduce((sum, { blocks }) => sum + blocks, 0)
    this.#totalBlocks = Math.max(early?.totalBlocks ?? 0, this.#blocks + pendingBlocks)
    const before = { blocks: this.#blocks, bytes: this.#bytes, corrected: this.#corrected }
    const unproved: number[] = []
    const refetched: string[] = []
    const rewritten = pending.filter(({ key, prove }) => prove || !this.#stored!.has(key))
    if (rewritten.length > 0) registry.forget(rewritten.map(({ key }) => key))
    const pendingBytes = pending.reduce((sum, { unit }) => sum + unitBytes(unit), 0)
    const inThisThread = pendingBytes <= bytesWithoutThread
    const scanOne = (task: ScanTask): Promise<ScanOutcome> =>
      inThisThread ? scanUnit(task, this.#files) : this.#pool.run(task)
    const scanPendingUnits = async (): Promise<void> => {
      try {
        for (let next = pending.shift(); next; next = pending.shift()) {
          const found = await this.#scanUnit(chain, next, registry, scanOne)
          unproved.push(...found.unproved)
          refetched.push(...found.refetched)
        }
      } finally {
        pending.length = 0
      }
    }
    // One more than there are threads, so that no thread waits while a segment is written. After a
    // failure the others finish their unit first, since the registry is closed next.
    const concurrency = inThisThread ? 1 : this.#pool.maxThreads + 1
    const ends = await Promise.allSettled(Array.from({ length: concurrency }, scanPendingUnits))
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed) throw failed.reason
    await this.#countAddresses(chain)
    if (unproved.length === 0 && !early) registry.setChain(segments)
    const keys = segments.map(({ key }) => key)
    return {
      keys,
      lastHeights: units.map(lastHeight),
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
    { unit, key, blocks, prove }: PendingSegment,
    registry: ProvedSegments,
    scanOne: (task: ScanTask) => Promise<ScanOutcome>,
  ): Promise<Pick<ScannedUnits, 'unproved' | 'refetched'>> {
    const { dataDir, network, referee, addresses, labels, onProgress } = this.#options
    const times = { times: chain.times, days: chain.days }
    const outcome = await scanOne({ unit, network, times, referee, prove, addresses, labels: this.#labelTable })
    if (outcome.kind === 'failed') throw toError(outcome)
    if (outcome.kind === 'unproved') return { unproved: outcome.heights, refetched: [] }
    // One segment at a time: comparing it with a stored one takes memory.
    this.#writing = this.#writing.then(async () => {
      const isStored = this.#stored?.has(key) ?? false
      const isKept = isStored && !outcome.proved
      if (!isKept && (await writeSegment(dataDir, key, outcome.tables, isStored))) {
        this.#corrected++
        this.#activity?.forgetMonths(chain, firstHeight(unit), lastHeight(unit))
        this.#balances?.forgetFrom(chain, firstHeight(unit))
      }
      if (labels && outcome.labelEvents) {
        const ownKey = labelKey(key, labels.addressesHash)
        await writeLabels(dataDir, ownKey, outcome.labelEvents)
        this.#storedLabels?.add(ownKey)
      }
      if (outcome.activeSets) this.#activity?.writeSets(key, outcome.activeSets)
      this.#withSets.set(key, unit)
      if (outcome.packedEvents) {
        this.#balances?.writeEvents(key, outcome.packedEvents)
        this.#withEvents.set(key, unit)
      }
      if (++this.#written % unitsPerCount === 0) await this.#countAddresses(chain)
      if (outcome.proved) registry.recordProved({ key, blocks })
      this.#stored?.add(key)
    })
    await this.#writing
    this.#blocks += outcome.tables.blocks.height.length
    for (const array of outcomeArrays(outcome)) freeMemory(array)
    this.#bytes += outcome.bytes
    this.#unclaimedUndo.set(key, outcome.unclaimedUndo)
    onProgress(this.#blocks, this.#totalBlocks, this.#bytes)
    return { unproved: [], refetched: outcome.refetched }
  }

  /**
   * Returns a function that tells whether what is stored apart of a segment's addresses is missing
   * and needed.
   */
  #addressesNeeded(
    chain: HeaderChain,
    segments: readonly { readonly unit: ScanUnit; readonly key: string }[],
  ): (segment: { readonly unit: ScanUnit; readonly key: string }) => boolean {
    const [activity, balances] = [this.#activity, this.#balances]
    if (!activity) return () => false
    for (const { unit, key } of segments) {
      if (activity.hasSets(key)) this.#withSets.set(key, unit)
      if (balances?.hasEvents(key)) this.#withEvents.set(key, unit)
    }
    const firstCounted = activity.firstNeededHeight(chain)
    const firstMerged = balances?.firstNeededHeight(chain) ?? Number.POSITIVE_INFINITY
    return ({ unit, key }) =>
      (lastHeight(unit) >= firstCounted && !this.#withSets.has(key)) ||
      (lastHeight(unit) >= firstMerged && !this.#withEvents.has(key))
  }

  async #countAddresses(chain: HeaderChain): Promise<void> {
    for (const key of this.#activity?.countMonths(chain, unitBlocks(this.#withSets, chain)) ?? []) {
      this.#withSets.delete(key)
    }
    try {
      const merged = await this.#balances?.mergeMany(chain, unitBlocks(this.#withEvents, chain))
      for (const key of merged ?? []) this.#withEvents.delete(key)
    } catch (error) {
      // The publication finds the same, and then has the damaged blocks searched and scanned again.
      if (!(error instanceof RangeError || (error instanceof CoinstrataError && error.code === 'data_not_ready')))
        throw error
    }
  }
}

const unitBlocks = (units: ReadonlyMap<string, ScanUnit>, chain: HeaderChain): UnitBlocks[] =>
  [...units].map(([key, unit]) => ({
    key,
    firstHeight: firstHeight(unit),
    lastHeight: lastHeight(unit),
    blocksIn: (from: number, end: number) => countBlocks(unit, chain, from, end),
  }))

/**
 * Months are counted, and events merged, once per this many units, so that few sets lie on the
 * disk.
 */
const unitsPerCount = 16

/** Number of blocks of the chain that a unit has in a range of heights. */
function countBlocks(unit: ScanUnit, chain: HeaderChain, from: number, end: number): number {
  let count = 0
  for (const [i, height] of unit.heights.entries()) {
    if (height >= from && height < end && isSameBytes(hashAt(unit, i), hashAt(chain, height))) count++
  }
  return count
}

function findPending<T extends { readonly unit: ScanUnit; readonly key: string }>(
  segments: readonly T[],
  stored: ReadonlySet<string>,
  { proved, wrong }: ProvedSegments,
  proveBytes: number,
  needsScan: (segment: T) => boolean,
): Array<T & { readonly prove: boolean }> {
  const newest = newestUnits(
    segments.map(({ unit }) => unit),
    proveBytes,
  )
  const pending = segments.flatMap((segment) => {
    const { unit, key } = segment
    const prove = newest.has(unit) || wrong.has(key)
    const done = stored.has(key) && (proved.has(key) || !prove || unit.prunedReason !== undefined)
    return done && !needsScan(segment) ? [] : [{ ...segment, prove }]
  })
  const gone = pending.flatMap(({ unit }) =>
    unit.prunedReason === undefined ? [] : [[firstHeight(unit), unit.prunedReason] as const],
  )
  const [first] = gone.sort(([one], [other]) => one - other)
  if (first) throw pruned(...first)
  return pending
}
