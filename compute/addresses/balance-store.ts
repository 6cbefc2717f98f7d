import { createHash } from 'node:crypto'
import { existsSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { balanceMeasureNames } from '#contract/balance-measures.ts'
import { asBytes } from '#ingest/chain/bytes.ts'
import { hashAt } from '#ingest/chain/header-chain.ts'
import { IntactReader, readIntactJson, writeIntact, writeIntactJson } from '#sql/intact-file.ts'
import { samples } from '../address-sample.ts'
import { withThreads } from '../threads.ts'
import { damagedBalances } from './address-files.ts'
import { AddressStore, type ChainDays, heightOn, type UnitBlocks } from './address-store.ts'
import { BalanceSums } from './balance-sums.ts'
import { type BalanceOutcome, type BalanceTask, replayFiles } from './balance-worker.ts'
import { measureBalances } from './measure-balances.ts'
import { bytesPerEvent, describeEvents, partitions } from './packed-events.ts'
import { savedPartition } from './saved-addresses.ts'

/** Raise it if the same blocks and prices yield other values or files. */
const formatVersion = 3

/**
 * Days from the saved state to the last closed day: reorganisations and corrected prices do not
 * reach the saved state.
 */
export const settledDays = 10

const defaultLimits = {
  /**
   * Maximum events replayed at a time; each takes some 100 bytes per thread, divided by
   * `partitions`.
   */
  maxEvents: 64_000_000,
  /** Up to this many, starting threads takes longer than the replay. */
  eventsWithoutThreads: 200_000,
}

const maxThreads = 4
/** Balances of mainnet take 0.4 GB, with `maxEvents` 0.8 GB. */
const bytesPerThread = 1e9

const savedSchema = z.object({
  /** Last day, from the first of the chain. */
  day: z.int(),
  /** Hashes of the blocks, prices and costs up to the day. */
  chainKey: z.string(),
  basisKey: z.string(),
  partitions: z.array(savedPartition).length(partitions),
})
type Saved = z.infer<typeof savedSchema>

const measureCount = balanceMeasureNames.length
const sample = samples.all!

/** Close and cost of each day; see `CostBasis`. */
interface Basis {
  readonly price: Float64Array
  readonly cost: Float64Array
}
export type FindBasis = (chain: Pick<ChainDays, 'days'>) => Basis

/**
 * Stores (1) one file of events per unit, (2) all addresses after the last settled day, into which
 * events are merged, and (3) sums and measures up to that day. If a block or price up to that day
 * changes, all blocks are scanned again.
 */
export class BalanceStore extends AddressStore {
  readonly content = 'packedEvents'
  readonly #savedFile: string
  readonly #findBasis: FindBasis | undefined
  readonly #limits: typeof defaultLimits

  /** @param findBasis needed to merge events during a scan */
  constructor(dataDir: string, findBasis?: FindBasis, limits = defaultLimits) {
    super(path.join(dataDir, 'raw', 'balances'))
    this.#savedFile = path.join(this.folder, 'saved.json')
    this.#findBasis = findBasis
    this.#limits = limits
  }

  /** Without `findBasis`, assumes unchanged prices. */
  firstNeededHeight(chain: ChainDays): number {
    const saved = this.#readSaved(chain, this.#findBasis?.(chain))
    return saved ? heightOn(chain, chain.days[0]! + saved.day + 1) : 0
  }

  forget(chain: ChainDays, firstHeight: number): void {
    if (firstHeight < this.firstNeededHeight(chain)) rmSync(this.#savedFile)
  }

  async count(chain: ChainDays, known: readonly UnitBlocks[]): Promise<readonly string[]> {
    const basis = this.#findBasis?.(chain)
    const units = known.filter(({ key }) => this.has(key))
    const size = units.reduce((sum, { key }) => sum + statSync(this.unitFile(key)).size, 0)
    if (!basis || size < this.#limits.maxEvents * bytesPerEvent) return []
    const from = this.firstNeededHeight(chain)
    const end = coveredEnd(units, from, chain.days.length)
    if (end <= from) return []
    const lastCovered = chain.days[end - 1]! - 1
    await this.#mergeUntil(chain, units, basis, Math.min(lastCovered, chain.days.at(-1)! - 1 - settledDays))
    return this.removeCounted(chain, units)
  }

  /**
   * Returns the measures of all days up to `last`, a row of `balanceMeasureNames` each, and merges
   * the events of settled days. Throws `data_not_ready` if events are missing or damaged, or prices
   * of merged days have changed.
   * @param last the last closed day
   */
  async compute(chain: ChainDays, units: readonly UnitBlocks[], basis: Basis, last: number): Promise<Float64Array> {
    const saved = this.#readSaved(chain, basis)
    if (!saved) rmSync(this.#savedFile, { force: true })
    const missing = this.missing(chain, units)
    if (missing.length > 0) {
      const why = saved
        ? `the outputs of addresses of ${missing.length} segments are missing`
        : 'the outputs of all addresses are needed again: blocks or prices of merged days have changed, or a file was damaged'
      throw new CoinstrataError('data_not_ready', why, {
        cure: 'run "coinstrata update", which scans their blocks again',
      })
    }
    const settled = last - settledDays
    await this.#mergeUntil(chain, units, basis, settled)
    const rows = await this.#replay(chain, units, basis, last, settled)
    this.removeCounted(chain, units)
    return rows
  }

  /** Removes everything, so that all blocks are scanned again. */
  clear(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  protected countFiles(): string[] {
    const saved = readIntactJson(this.#savedFile, savedSchema)
    return saved ? [this.#savedFile, ...this.#filesOf(saved)] : []
  }

  /** Merges days up to `last` until the remaining events fit into memory. */
  async #mergeUntil(chain: ChainDays, units: readonly UnitBlocks[], basis: Basis, last: number): Promise<void> {
    for (;;) {
      const from = chain.days[0]! + (this.#readSaved(chain, basis)?.day ?? -1) + 1
      const files = this.#eventsAfter(chain, units, from - 1).sort((one, other) => one.lastDay - other.lastDay)
      let [next, events] = [0, 0]
      while (next < files.length && events + files[next]!.events <= this.#limits.maxEvents)
        events += files[next++]!.events
      if (next === files.length) return
      const end = Math.min(last, Math.max(from, files[Math.max(0, next - 1)]!.lastDay))
      if (end < from) return
      await this.#replay(chain, units, basis, end, end)
    }
  }

  /**
   * Returns the measures of all days up to `last`, and saves the balances after the day `cut` if
   * later than the saved ones.
   */
  async #replay(
    chain: ChainDays,
    units: readonly UnitBlocks[],
    basis: Basis,
    last: number,
    cut: number,
  ): Promise<Float64Array> {
    const firstDay = chain.days[0]!
    const saved = this.#readSaved(chain, basis)
    const after = saved?.day ?? -1
    const days = last - firstDay + 1
    const cutDay = cut - firstDay > after ? cut - firstDay : undefined
    const files = this.#eventsAfter(chain, units, firstDay + after)
    const tasks = Array.from(
      { length: partitions },
      (_, partition): BalanceTask => ({
        sample,
        firstDay,
        after,
        days,
        price: basis.price,
        cost: basis.cost,
        cut: cutDay,
        partition,
        events: files.map(({ file }) => file),
        saved: saved?.partitions[partition],
        folder: this.folder,
      }),
    )
    const isLarge = files.reduce((sum, { events }) => sum + events, 0) > this.#limits.eventsWithoutThreads
    const prices = basis.price.subarray(after + 1, days)
    const sums = new BalanceSums(sample, prices)
    const savedAtCut: Saved['partitions'] = []
    await runInOrder(tasks, isLarge, ({ rows, saved: own }) => {
      sums.addRows(rows)
      if (own) savedAtCut.push(own)
    })
    sums.accumulate(saved && this.#read(sumsFile(saved.day)))
    const measures = measureBalances(sums, { sample, firstDay: firstDay + after + 1, prices })
    const rows = new Float64Array(measureCount * days)
    if (saved) rows.set(this.#read(rowsFile(saved.day)))
    for (const [place, name] of balanceMeasureNames.entries()) {
      for (const [i, { value }] of measures.get(name)!.entries()) rows[measureCount * (after + 1 + i) + place] = value
    }
    if (cutDay === undefined) return rows
    writeIntact(path.join(this.folder, sumsFile(cutDay)), [sums.runningSums(cutDay - after - 1)])
    writeIntact(path.join(this.folder, rowsFile(cutDay)), [rows.subarray(0, measureCount * (cutDay + 1))])
    const content: Saved = {
      day: cutDay,
      chainKey: chainKey(chain, cutDay),
      basisKey: basisKey(basis, cutDay),
      partitions: savedAtCut,
    }
    writeIntactJson(this.#savedFile, content)
    const keep = new Set(this.countFiles())
    this.removeExcept((file) => keep.has(file) || file.endsWith('.events'))
    return rows
  }

  #read(name: string): Float64Array {
    const reader = new IntactReader(path.join(this.folder, name), damagedBalances)
    try {
      return reader.read(new Float64Array(Math.ceil(reader.length / 8)))
    } finally {
      reader.close()
    }
  }

  #eventsAfter(chain: ChainDays, units: readonly UnitBlocks[], day: number) {
    const firstHeight = heightOn(chain, day + 1)
    return units
      .filter(({ lastHeight }) => lastHeight >= firstHeight)
      .map(({ key }) => ({ file: this.unitFile(key), ...describeEvents(this.unitFile(key)) }))
      .filter(({ lastDay }) => lastDay > day)
  }

  /** `undefined` without a saved state for this chain and these prices, or if a file is missing. */
  #readSaved(chain: ChainDays, basis?: Basis): Saved | undefined {
    const saved = readIntactJson(this.#savedFile, savedSchema)
    if (!saved || chain.days[0]! + saved.day >= chain.days.at(-1)!) return undefined
    if (saved.chainKey !== chainKey(chain, saved.day)) return undefined
    if (basis && saved.basisKey !== basisKey(basis, saved.day)) return undefined
    return this.#filesOf(saved).every((file) => existsSync(file)) ? saved : undefined
  }

  #filesOf({ day, partitions }: Saved): string[] {
    const names = partitions.flatMap(({ funded, emptied }) => [funded, ...emptied.map(({ name }) => name)])
    return [sumsFile(day), rowsFile(day), ...names].map((name) => path.join(this.folder, name))
  }
}

const sumsFile = (day: number): string => `${day}-sums`
const rowsFile = (day: number): string => `${day}-rows`

/** Runs tasks, and handles results in order, because sums of rounded values depend on it. */
async function runInOrder(
  tasks: readonly BalanceTask[],
  inThreads: boolean,
  take: (outcome: BalanceOutcome) => void,
): Promise<void> {
  if (!inThreads) {
    for (const task of tasks) take(replayFiles(task))
    return
  }
  const threads = Math.min(os.availableParallelism(), Math.floor(process.availableMemory() / bytesPerThread))
  const module = new URL('./balance-worker.ts', import.meta.url)
  await withThreads<BalanceTask, BalanceOutcome, void>(
    module,
    Math.max(1, Math.min(maxThreads, threads)),
    async (replay) => {
      const outcomes = tasks.map((task) => replay(task))
      // Promises that are not awaited yet may reject too.
      for (const one of outcomes) one.catch(() => {})
      for (const one of outcomes) take(await one)
    },
  )
}

/** Returns the first height from `from` on that no unit covers. */
function coveredEnd(units: readonly UnitBlocks[], from: number, height: number): number {
  let [low, high] = [from, height]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const blocks = units.reduce((sum, { blocksIn }) => sum + (blocksIn?.(from, middle) ?? 0), 0)
    if (blocks === middle - from) low = middle
    else high = middle - 1
  }
  return low
}

/** The last block up to a day commits to all earlier ones. */
function chainKey(chain: ChainDays, day: number): string {
  const height = heightOn(chain, chain.days[0]! + day + 1) - 1
  return createHash('sha256')
    .update(`balances ${formatVersion} ${balanceMeasureNames} ${chain.days[0]} ${day} ${height}\n`)
    .update(hashAt(chain, height))
    .digest('hex')
}

function basisKey({ price, cost }: Basis, day: number): string {
  const hash = createHash('sha256')
  for (const values of [price, cost]) hash.update(asBytes(values.subarray(0, day + 1)))
  return hash.digest('hex')
}
