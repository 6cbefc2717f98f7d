import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Piscina } from 'piscina'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { balanceMeasureNames } from '#contract/balance-measures.ts'
import { asBytes } from '#ingest/chain/bytes.ts'
import { formatChecked, parseChecked } from '#sql/checked-json.ts'
import { replaceFile, syncPath, unfinishedPath } from '#sql/files.ts'
import { samples } from '../address-sample.ts'
import { toError, type WorkerFailure } from '../worker-failure.ts'
import { type ChainDays, heightOn, type UnitBlocks } from './activity-store.ts'
import { BalancePass, partitions } from './balance-pass.ts'
import { type BalanceOutcome, type BalanceTask, replayPartition, type SavedPartition } from './balance-task.ts'
import { type CheckedFile, CheckedReader, CheckedWriter } from './checked-file.ts'
import { bytesPerEvent, describeEvents } from './packed-events.ts'

/** Raise it if the same blocks and prices yield other values of the same measures. */
const formatVersion = 1

/**
 * Distance of what is saved from the last closed day, beyond the reach of reorganisations and
 * corrected prices.
 */
export const settledDays = 10

const defaultLimits = {
  /**
   * Events that are replayed at a time: they take some 100 bytes of memory each, divided by
   * partitions, in each thread.
   */
  maxEvents: 64_000_000,
  /** Replaying fewer takes less time than starting threads. */
  eventsWithoutThreads: 200_000,
}

const maxThreads = 4
/**
 * With the balances of mainnet 0.4 GB, and 0.8 GB with as many events as are replayed at a time.
 */
const bytesPerThread = 1e9

const checked = z.object({ name: z.string(), crc32: z.int() })
const emptied = checked.extend({ wide: z.boolean(), records: z.int(), addresses: z.int(), until: z.int() })
const savedSchema = z.object({
  /** The last day, counted from the first of the chain. */
  day: z.int(),
  /** Hashes of the blocks, and of the prices and costs, up to the day. */
  chainKey: z.string(),
  basisKey: z.string(),
  /** Sums of the pass after the day. */
  sums: checked,
  /** The measures of each day up to it, in the order of `balanceMeasureNames`. */
  rows: checked,
  partitions: z
    .array(z.object({ funded: checked.extend({ addresses: z.int() }), emptied, newest: emptied }))
    .length(partitions),
})
type Saved = z.infer<typeof savedSchema>

const measureCount = balanceMeasureNames.length

/** Close and cost of each day of a chain; see `CostBasis`. */
interface Basis {
  readonly price: Float64Array
  readonly cost: Float64Array
}
export type FindBasis = (chain: Pick<ChainDays, 'days'>) => Basis

/**
 * The balances of all addresses: the events of each unit, in a file each, until they are merged
 * into what addresses hold after a settled day; that; and the measures of the days up to it. They
 * depend on the blocks and prices of these days: if one changes, all blocks are scanned again.
 */
export class BalanceStore {
  readonly #folder: string
  readonly #savedFile: string
  readonly #findBasis: FindBasis | undefined
  readonly #limits: typeof defaultLimits

  /** With `findBasis`, it can merge events during a scan. */
  constructor(dataDir: string, findBasis?: FindBasis, limits = defaultLimits) {
    this.#folder = path.join(dataDir, 'raw', 'balances')
    this.#savedFile = path.join(this.#folder, 'saved.json')
    this.#findBasis = findBasis
    this.#limits = limits
  }

  writeEvents(key: string, words: Uint32Array): void {
    mkdirSync(this.#folder, { recursive: true })
    const unfinished = unfinishedPath(this.#eventsFile(key))
    // Not synced to the disk: checksums tell what a crash leaves of it, and its blocks are scanned
    // again.
    writeFileSync(unfinished, asBytes(words))
    renameSync(unfinished, this.#eventsFile(key))
  }

  hasEvents(key: string): boolean {
    return existsSync(this.#eventsFile(key))
  }

  /**
   * Height of the first block whose events are needed. Unless it can find them, prices count as
   * unchanged.
   */
  firstNeededHeight(chain: ChainDays): number {
    const saved = this.#readSaved(chain, this.#findBasis?.(chain))
    return saved ? heightOn(chain, chain.days[0]! + saved.day + 1) : 0
  }

  /** True if every day is merged or can be. */
  isComplete(chain: ChainDays, units: readonly UnitBlocks[]): boolean {
    return this.#missing(units, this.firstNeededHeight(chain)).length === 0
  }

  /** Forgets what is merged if it includes a height, whose block was not what it seemed. */
  forgetFrom(chain: ChainDays, height: number): void {
    if (height < this.firstNeededHeight(chain)) rmSync(this.#savedFile)
  }

  /**
   * Merges the events of settled days of which units have all blocks, if there are many, and
   * removes them. Returns the keys of units without other events. Throws `data_not_ready` for
   * damaged files.
   */
  async mergeMany(chain: ChainDays, known: readonly UnitBlocks[]): Promise<readonly string[]> {
    const basis = this.#findBasis?.(chain)
    const units = known.filter(({ key }) => this.hasEvents(key))
    const size = units.reduce((sum, { key }) => sum + statSync(this.#eventsFile(key)).size, 0)
    if (!basis || size < this.#limits.maxEvents * bytesPerEvent) return []
    const from = this.firstNeededHeight(chain)
    const end = coveredEnd(units, from, chain.days.length)
    if (end <= from) return []
    await this.#mergeUntil(
      chain,
      units,
      basis,
      Math.min(chain.days[end - 1]! - 1, chain.days.at(-1)! - 1 - settledDays),
    )
    return this.#removeMerged(chain, units)
  }

  /**
   * The measures of all days up to `last`, the last closed one: a row of `balanceMeasureNames`
   * each. Merges the events of settled days. Throws `data_not_ready` if events are missing or
   * damaged, or the prices of merged days have changed.
   */
  async compute(chain: ChainDays, units: readonly UnitBlocks[], basis: Basis, last: number): Promise<Float64Array> {
    const saved = this.#readSaved(chain, basis)
    if (!saved) rmSync(this.#savedFile, { force: true })
    const missing = this.#missing(units, this.firstNeededHeight(chain))
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
    this.#removeMerged(chain, units)
    return rows
  }

  /** Removes everything, so that all blocks are scanned again. */
  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Removes the events of other units, and what does not belong to the saved balances. */
  removeOthers(units: readonly UnitBlocks[]): void {
    if (!existsSync(this.#folder)) return
    const files = new Set(units.map(({ key }) => this.#eventsFile(key)))
    this.#removeExcept((file) => files.has(file))
  }

  #removeExcept(isKept: (file: string) => boolean): void {
    const saved = this.#parse()
    const files = new Set(saved ? [this.#savedFile, ...this.#filesOf(saved)] : [])
    for (const name of readdirSync(this.#folder)) {
      const file = path.join(this.#folder, name)
      if (!files.has(file) && !isKept(file)) rmSync(file)
    }
  }

  /** Merges days while more events than fit into memory are left, and returns when fewer are. */
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
   * Returns the measures of all days up to `last`; saves what addresses hold after `cut` if that is
   * a new day.
   */
  async #replay(
    chain: ChainDays,
    units: readonly UnitBlocks[],
    { price, cost }: Basis,
    last: number,
    cut: number,
  ): Promise<Float64Array> {
    const firstDay = chain.days[0]!
    const saved = this.#readSaved(chain, { price, cost })
    const after = saved?.day ?? -1
    const inputs = {
      ...{ firstDay, after, days: last - firstDay + 1, price, cost },
      cut: cut - firstDay > after ? cut - firstDay : undefined,
    }
    const files = this.#eventsAfter(chain, units, firstDay + after)
    const read = (file: CheckedFile): Float64Array => {
      const values = new Float64Array(statSync(path.join(this.#folder, file.name)).size / 8)
      const reader = new CheckedReader(this.#folder, file)
      reader.read(values)
      reader.finish()
      return values
    }
    const pass = new BalancePass({
      ...inputs,
      sample: samples.all!,
      before: saved && read(saved.sums),
      onCut: () => {},
    })
    mkdirSync(this.#folder, { recursive: true })
    const tasks = Array.from(
      { length: partitions },
      (_, partition): BalanceTask => ({
        ...inputs,
        partition,
        events: files.map(({ file }) => file),
        saved: saved?.partitions[partition],
        folder: this.#folder,
      }),
    )
    const savedAtCut: SavedPartition[] = []
    const isLarge = files.reduce((sum, { events }) => sum + events, 0) > this.#limits.eventsWithoutThreads
    await runInOrder(tasks, isLarge, ({ columns, saved: own }) => {
      pass.addColumns(columns)
      if (own) savedAtCut.push(own)
    })
    const rows = new Float64Array(measureCount * inputs.days)
    const known = measureCount * (after + 1)
    if (saved) rows.set(read(saved.rows))
    const everBefore = saved ? rows[known - measureCount + balanceMeasureNames.indexOf('ever')]! : 0
    const measured = pass.finish(undefined, new Float64Array(inputs.days - after - 1), everBefore)
    for (const [place, name] of balanceMeasureNames.entries()) {
      for (const [i, { value }] of measured.get(name)!.entries()) rows[known + measureCount * i + place] = value
    }
    if (inputs.cut === undefined) return rows
    const write = (name: string, values: Float64Array): CheckedFile => {
      const writer = new CheckedWriter(this.#folder, `${inputs.cut}-${name}`)
      writer.write(values)
      return writer.finish()
    }
    const content: Saved = {
      day: inputs.cut,
      chainKey: chainKey(chain, inputs.cut),
      basisKey: basisKey({ price, cost }, inputs.cut),
      sums: write('sums', pass.sumsAfter(inputs.cut)),
      rows: write('rows', rows.subarray(0, measureCount * (inputs.cut + 1))),
      partitions: savedAtCut,
    }
    syncPath(this.#folder)
    replaceFile(this.#savedFile, formatChecked(content))
    this.#removeExcept((file) => file.endsWith('.events'))
    return rows
  }

  #eventsAfter(chain: ChainDays, units: readonly UnitBlocks[], day: number) {
    const firstHeight = heightOn(chain, day + 1)
    return units
      .filter(({ lastHeight }) => lastHeight >= firstHeight)
      .map(({ key }) => ({ file: this.#eventsFile(key), ...describeEvents(this.#eventsFile(key)) }))
      .filter(({ lastDay }) => lastDay > day)
  }

  #removeMerged(chain: ChainDays, units: readonly UnitBlocks[]): string[] {
    const firstNeeded = this.firstNeededHeight(chain)
    const merged = units.filter(({ lastHeight }) => lastHeight < firstNeeded).map(({ key }) => key)
    for (const key of merged) rmSync(this.#eventsFile(key), { force: true })
    return merged
  }

  #missing(units: readonly UnitBlocks[], firstNeeded: number): readonly UnitBlocks[] {
    return units.filter(({ key, lastHeight }) => lastHeight >= firstNeeded && !this.hasEvents(key))
  }

  /** `undefined` if there are none of this chain and these prices, or if a file is missing. */
  #readSaved(chain: ChainDays, basis?: Basis): Saved | undefined {
    const saved = this.#parse()
    if (!saved || chain.days[0]! + saved.day >= chain.days.at(-1)!) return undefined
    if (saved.chainKey !== chainKey(chain, saved.day)) return undefined
    if (basis && saved.basisKey !== basisKey(basis, saved.day)) return undefined
    return this.#filesOf(saved).every((file) => existsSync(file)) ? saved : undefined
  }

  #parse(): Saved | undefined {
    try {
      return savedSchema.parse(parseChecked(readFileSync(this.#savedFile, 'utf8')))
    } catch {
      return undefined
    }
  }

  #filesOf({ sums, rows, partitions }: Saved): string[] {
    const files = [sums, rows, ...partitions.flatMap((own) => [own.funded, own.emptied, own.newest])]
    return files.map(({ name }) => path.join(this.#folder, name))
  }

  #eventsFile(key: string): string {
    return path.join(this.#folder, `${key}.events`)
  }
}

/**
 * Runs tasks, and passes their outcomes to `take` in their order, because sums of rounded values
 * depend on it.
 */
async function runInOrder(
  tasks: readonly BalanceTask[],
  inThreads: boolean,
  take: (outcome: BalanceOutcome) => void,
): Promise<void> {
  if (!inThreads) {
    for (const task of tasks) take(replayPartition(task))
    return
  }
  const pool = new Piscina<BalanceTask, BalanceOutcome | WorkerFailure>({
    filename: new URL('./balance-worker.ts', import.meta.url).href,
    maxThreads: Math.max(
      1,
      Math.min(maxThreads, os.availableParallelism(), Math.floor(process.availableMemory() / bytesPerThread)),
    ),
  })
  try {
    const outcomes = tasks.map((task) => pool.run(task))
    // Those that are not awaited yet may fail, too.
    for (const one of outcomes) one.catch(() => {})
    for (const one of outcomes) {
      const outcome = await one
      if ('kind' in outcome) throw toError(outcome)
      take(outcome)
    }
  } finally {
    await pool.destroy()
  }
}

/** The first height from `from` on that is in none of the units. */
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

/** The last block up to a day commits to all before it. */
function chainKey(chain: ChainDays, day: number): string {
  const height = heightOn(chain, chain.days[0]! + day + 1) - 1
  const hash = chain.hashes.subarray(32 * height, 32 * height + 32)
  return createHash('sha256')
    .update(`balances ${formatVersion} ${balanceMeasureNames} ${chain.days[0]} ${day} ${height}\n`)
    .update(hash)
    .digest('hex')
}

function basisKey({ price, cost }: Basis, day: number): string {
  const hash = createHash('sha256')
  for (const values of [price, cost]) {
    hash.update(new Uint8Array(values.buffer, values.byteOffset, values.BYTES_PER_ELEMENT * (day + 1)))
  }
  return hash.digest('hex')
}
