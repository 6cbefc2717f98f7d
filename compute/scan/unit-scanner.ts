import os from 'node:os'
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
import type { AddressStore, UnitBlocks } from '../addresses/address-store.ts'
import { removeSavedStates } from '../data-folder.ts'
import type { KnownAddresses } from '../labels/known-addresses.ts'
import { createLabelTable } from '../labels/label-table.ts'
import { withThreads } from '../threads.ts'
import { outcomeArrays, type ScanOutcome, type ScanTask, scanUnit } from './scan-task.ts'
import { firstHeight, lastHeight, newestUnits, type ScanUnit, unitBytes } from './scan-unit.ts'
import type { ScannedChain } from './scanned-chain.ts'
import { labelStore, segmentStore, storedSegments } from './segment-parts.ts'
import { segmentKey, writeLabels, writeSegment } from './segments.ts'

export interface UnitScannerOptions {
  readonly dataDir: string
  readonly network: NetworkName
  readonly referee: RpcEndpoint | undefined
  /** Bytes of the newest blocks to prove, including those with segments. */
  readonly proveBytes: number
  readonly addresses: AddressMode
  readonly addressStores: readonly AddressStore[]
  /** Addresses whose outputs are listed apart. */
  readonly known: KnownAddresses
  /** Leading known addresses for which stored segments are scanned again; default: all. */
  readonly labelLimit?: number
  /** Called after each unit with the totals of all scans of this scanner. */
  readonly onProgress: (blocks: number, totalBlocks: number, bytes: number) => void
}

export interface ScannedUnits {
  readonly keys: readonly string[]
  /** Last height of each unit. */
  readonly lastHeights: readonly number[]
  readonly labelled?: ScannedChain['labelled']
  /** Stored units that must be read again, in other units; nothing is scanned then. */
  readonly unreadable?: ReadonlySet<string>
  /** Heights without undo record; their units have no segment. */
  readonly unproved: readonly number[]
  /** Undo records in the files of units read by this scanner that belong to no block. */
  readonly unclaimedUndo: number
  /** Part of `unclaimedUndo` in the last undo file. */
  readonly unclaimedAtEnd: number
  /** Segments whose content differed from their blocks, in all scans so far. */
  readonly corrected: number
  /** One sentence per damaged block that was read over RPC instead, in all scans so far. */
  readonly refetched: readonly string[]
  /** Blocks read in all scans so far. */
  readonly blocks: number
  readonly bytes: number
}

/** A scan of some units before all are known. */
export interface EarlyScan {
  /** Expected number of blocks of the whole run. */
  readonly totalBlocks: number
}

/**
 * Scans the units of a chain without a segment, and rescans those that must be proved or are known
 * to be wrong. An `early` scan proves nothing unless everything is to be proved, since the newest
 * units are not known yet.
 */
export type ScanUnits = (chain: HeaderChain, units: readonly ScanUnit[], early?: EarlyScan) => Promise<ScannedUnits>

interface Segment {
  readonly unit: ScanUnit
  readonly key: string
  readonly blocks: number
}

type PendingSegment = Segment & { readonly prove: boolean }

/** Below this, starting a thread takes longer than the scan. */
const bytesWithoutThread = 4e6
/** Assumed of a block over RPC: hundreds of blocks of tests need no thread. */
const regtestBlockBytes = 1e4

/** Runs `work` with a function that scans units on all cores. Workers live until `work` ends. */
export async function withUnitScanner<T>(
  options: UnitScannerOptions,
  work: (scanUnits: ScanUnits) => Promise<T>,
): Promise<T> {
  const module = new URL('./scan-worker.ts', import.meta.url)
  return withThreads<ScanTask, ScanOutcome, T>(module, os.availableParallelism(), (runInThread) => {
    const scanner = new UnitScanner(options, runInThread)
    return work((chain, units, early) =>
      withProvedSegments(options.dataDir, (registry) => scanner.scan(chain, units, registry, early)),
    )
  })
}

type RunTask = (task: ScanTask) => Promise<ScanOutcome>

class UnitScanner {
  readonly #options: UnitScannerOptions
  readonly #runInThread: RunTask
  readonly #files = new FileUnitReader()
  /** Stored segments, listed once. */
  #stored: Set<string> | undefined
  /** Leading known addresses whose outputs are stored, by segment; listed once. */
  #labelCounts: Map<string, number> | undefined
  readonly #labelTable: Uint32Array | undefined
  readonly #unclaimedUndo = new Map<string, number>()
  /** Each store of addresses, with the units of this or an earlier scan that have a file in it. */
  readonly #addresses: readonly { readonly store: AddressStore; readonly stored: Map<string, ScanUnit> }[]
  #writing = Promise.resolve()
  #written = 0
  #totalBlocks = 0
  #blocks = 0
  #bytes = 0
  #corrected = 0
  readonly #refetched: string[] = []

  constructor(options: UnitScannerOptions, runInThread: RunTask) {
    this.#options = options
    this.#runInThread = runInThread
    this.#addresses = options.addressStores.map((store) => ({ store, stored: new Map() }))
    this.#labelTable = options.known.count > 0 ? createLabelTable(options.known.words) : undefined
  }

  async scan(
    chain: HeaderChain,
    units: readonly ScanUnit[],
    registry: ProvedSegments,
    early: EarlyScan | undefined,
  ): Promise<ScannedUnits> {
    const { dataDir, network, proveBytes, addresses, known, labelLimit = Number.POSITIVE_INFINITY } = this.#options
    const segments = units.map((unit) => {
      const { hashes, heights } = unit
      return { unit, key: segmentKey(hashes, addresses), blocks: heights.length }
    })
    this.#stored ??= storedSegments(segmentStore(dataDir))
    this.#labelCounts ??= known.countBySegment(storedSegments(labelStore(dataDir)))
    const labelCounts = this.#labelCounts
    const labelCount = (key: string): number => labelCounts.get(key) ?? 0
    // Other addresses cannot be counted, so no block is read for them.
    const coverable = Math.min(
      labelLimit,
      ...segments.flatMap(({ unit, key }) => (unit.prunedReason ? labelCount(key) : [])),
    )
    const neededLabels = early ? 0 : known.countForListed(coverable)
    // The user removed all segments to start over: saved states came from them.
    if (this.#stored.size === 0) removeSavedStates(dataDir)
    const newestBytes = early && proveBytes < Number.POSITIVE_INFINITY ? 0 : proveBytes
    const needsAddresses = this.#addressesNeeded(chain, segments)
    const needsScan = (segment: Segment): boolean => needsAddresses(segment) || labelCount(segment.key) < neededLabels
    const pending = findPending(segments, this.#stored, registry, newestBytes, needsScan)
    const unreadable = new Set(pending.filter(({ unit }) => unit.kind === 'stored').map(({ key }) => key))
    // Their files must not count as those of blocks that are scanned again.
    for (const { stored } of this.#addresses) for (const key of unreadable) stored.delete(key)
    const pendingBlocks = pending.reduce((sum, { blocks }) => sum + blocks, 0)
    this.#totalBlocks = Math.max(early?.totalBlocks ?? 0, this.#blocks + pendingBlocks)
    const unproved: number[] = []
    // Those that are known to be wrong stay so until they are written and proved.
    const { wrong } = registry
    const rewritten = pending.filter(({ key, prove }) => (prove || !this.#stored!.has(key)) && !wrong.has(key))
    if (unreadable.size > 0) pending.length = 0
    else if (rewritten.length > 0) registry.forget(rewritten.map(({ key }) => key))
    const rpcBlockBytes = network === 'regtest' ? regtestBlockBytes : undefined
    const pendingBytes = pending.reduce((sum, { unit }) => sum + unitBytes(unit, rpcBlockBytes), 0)
    const inThisThread = pendingBytes <= bytesWithoutThread
    const scanOne: RunTask = inThisThread ? (task) => scanUnit(task, this.#files) : this.#runInThread
    const scanPendingUnits = async (): Promise<void> => {
      try {
        for (let next = pending.shift(); next; next = pending.shift()) {
          unproved.push(...(await this.#scanUnit(chain, next, registry, scanOne)))
        }
      } finally {
        pending.length = 0
      }
    }
    // One more than there are threads, so that none waits while a segment is written. After a
    // failure the others finish their unit, since the registry is closed next.
    const concurrency = inThisThread ? 1 : os.availableParallelism() + 1
    const ends = await Promise.allSettled(Array.from({ length: concurrency }, scanPendingUnits))
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed) throw failed.reason
    await this.#countAddresses(chain)
    if (unproved.length === 0 && unreadable.size === 0 && !early) registry.setChain(segments)
    const keys = segments.map(({ key }) => key)
    return {
      keys,
      lastHeights: units.map(lastHeight),
      labelled: {
        keys: keys.filter((key) => labelCount(key) > 0).map((key) => known.partKey(key, labelCount(key))),
        count: Math.min(...keys.map(labelCount)),
      },
      ...(unreadable.size > 0 && { unreadable }),
      unproved: unproved.sort((one, other) => one - other),
      refetched: this.#refetched,
      unclaimedUndo: keys.reduce((sum, key) => sum + (this.#unclaimedUndo.get(key) ?? 0), 0),
      unclaimedAtEnd: this.#unclaimedUndo.get(keys.at(-1) ?? '') ?? 0,
      corrected: this.#corrected,
      blocks: this.#blocks,
      bytes: this.#bytes,
    }
  }

  /** Writes a unit's segment, or returns the heights without undo record. */
  async #scanUnit(
    chain: HeaderChain,
    { unit, key, blocks, prove }: PendingSegment,
    registry: ProvedSegments,
    scanOne: RunTask,
  ): Promise<readonly number[]> {
    const { dataDir, network, referee, addresses, known, onProgress } = this.#options
    if (unit.kind === 'stored') throw new Error(`the blocks of segment ${key} cannot be read as one unit`)
    const times = { times: chain.times, days: chain.days }
    const outcome = await scanOne({ unit, network, times, referee, prove, addresses, labels: this.#labelTable })
    if (outcome.kind === 'unproved') return outcome.heights
    // One segment at a time: comparing it with a stored one takes memory.
    this.#writing = this.#writing.then(async () => {
      const isStored = this.#stored?.has(key) ?? false
      const isKept = isStored && !outcome.proved
      if (!isKept && (await writeSegment(dataDir, key, outcome.tables, isStored))) {
        this.#corrected++
        for (const { store } of this.#addresses) store.forget(chain, firstHeight(unit), lastHeight(unit))
      }
      if (outcome.labelEvents) {
        await writeLabels(dataDir, known.partKey(key, known.count), outcome.labelEvents)
        this.#labelCounts?.set(key, known.count)
      }
      for (const { store, stored } of this.#addresses) {
        store.write(key, outcome[store.content]!)
        stored.set(key, unit)
      }
      if (++this.#written % unitsPerCount === 0) await this.#countAddresses(chain)
      if (outcome.proved) registry.recordProved({ key, blocks })
      this.#stored?.add(key)
    })
    await this.#writing
    this.#blocks += outcome.tables.blocks.height.length
    for (const array of outcomeArrays(outcome)) freeMemory(array)
    this.#bytes += outcome.bytes
    const elsewhere = (unit.kind === 'files' && unit.storedBlocks) || 0
    this.#unclaimedUndo.set(key, Math.max(0, outcome.unclaimedUndo - elsewhere))
    this.#refetched.push(...outcome.refetched)
    onProgress(this.#blocks, this.#totalBlocks, this.#bytes)
    return []
  }

  /** Returns whether a segment lacks a needed file of addresses. */
  #addressesNeeded(chain: HeaderChain, segments: readonly Segment[]): (segment: Segment) => boolean {
    const needed = this.#addresses.map(({ store, stored }) => {
      for (const { unit, key } of segments) if (store.has(key)) stored.set(key, unit)
      return { stored, from: store.firstNeededHeight(chain) }
    })
    return ({ unit, key }) => needed.some(({ stored, from }) => lastHeight(unit) >= from && !stored.has(key))
  }

  async #countAddresses(chain: HeaderChain): Promise<void> {
    for (const { store, stored } of this.#addresses) {
      try {
        for (const key of await store.count(chain, unitBlocks(stored, chain))) stored.delete(key)
      } catch (error) {
        // Publishing meets the same error, and has the damaged blocks scanned again.
        if (!(error instanceof RangeError || (error instanceof CoinstrataError && error.code === 'data_not_ready')))
          throw error
      }
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

/** Months are counted, and events merged, once per this many units, which limits stored sets. */
const unitsPerCount = 16

/** Number of a unit's blocks on the chain in a range of heights. */
function countBlocks(unit: ScanUnit, chain: HeaderChain, from: number, end: number): number {
  let count = 0
  for (const [i, height] of unit.heights.entries()) {
    if (height >= from && height < end && isSameBytes(hashAt(unit, i), hashAt(chain, height))) count++
  }
  return count
}

function findPending(
  segments: readonly Segment[],
  stored: ReadonlySet<string>,
  { proved, wrong }: ProvedSegments,
  proveBytes: number,
  needsScan: (segment: Segment) => boolean,
): PendingSegment[] {
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
