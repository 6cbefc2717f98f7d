import { hash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { freeMemory } from '#base/free-memory.ts'
import { asBytes, displayHash } from '#ingest/chain/bytes.ts'
import { formatChecked, parseChecked } from '#sql/checked-json.ts'
import { replaceFile, unfinishedPath } from '#sql/files.ts'
import { type ActivityColumns, activityColumns, countActive, daysBefore } from './count-active.ts'

/** Raise it if the same blocks yield other counts. */
const formatVersion = 1

const digestBytes = 32

/** Hashes and monotone days of a chain, by height. */
export interface ChainDays {
  readonly hashes: Uint8Array
  readonly days: Int32Array
}

/** The blocks of a segment whose addresses are stored. */
export interface UnitBlocks {
  readonly key: string
  readonly firstHeight: number
  readonly lastHeight: number
  /**
   * Returns the number of its blocks in a range of heights; undefined if the units together have
   * all blocks of the chain.
   */
  readonly blocksIn?: (from: number, end: number) => number
}

/** Unix days of a calendar month, or of the part of it that a chain has. */
interface Month {
  readonly first: number
  readonly last: number
}

const countsSchema = z.object({
  first: z.int(),
  last: z.int(),
  columns: z.record(z.enum(activityColumns), z.array(z.int().min(0))),
})

/**
 * The active addresses of each unit by day, in a file each, until the months of its blocks are
 * counted; and the counts of closed months. Counts are named after the last block of their month,
 * which commits to all blocks before it.
 */
export class ActivityStore {
  readonly #folder: string

  constructor(dataDir: string) {
    this.#folder = path.join(dataDir, 'raw', 'addresses')
  }

  writeSets(key: string, words: Uint32Array): void {
    mkdirSync(this.#folder, { recursive: true })
    const bytes = asBytes(words)
    const unfinished = unfinishedPath(this.#setsFile(key))
    // Not synced to the disk: a checksum tells what a crash leaves of it, and its blocks are
    // scanned again.
    writeFileSync(unfinished, bytes)
    appendFileSync(unfinished, hash('sha256', bytes, 'buffer'))
    renameSync(unfinished, this.#setsFile(key))
  }

  hasSets(key: string): boolean {
    return existsSync(this.#setsFile(key))
  }

  /**
   * Height of the first block whose addresses must be stored: those before it are only in months
   * that are counted.
   */
  firstNeededHeight(chain: ChainDays): number {
    for (const month of closedMonths(chain)) {
      if (!existsSync(this.#monthFile(chain, month))) return heightOn(chain, month.first - daysBefore)
    }
    return heightOn(chain, openMonth(chain).first - daysBefore)
  }

  /**
   * Counts the closed months for which all blocks are in `units` that have sets, and removes the
   * sets that no other month needs. Returns the keys of these.
   */
  countMonths(chain: ChainDays, units: readonly UnitBlocks[]): readonly string[] {
    let counted = 0
    /** Sets that the next month needs too. */
    const read = new Map<string, Uint32Array>()
    for (const month of closedMonths(chain)) {
      if (existsSync(this.#monthFile(chain, month))) continue
      const from = heightOn(chain, month.first - daysBefore)
      const end = heightOn(chain, month.last + 1)
      const needed = units.filter(({ firstHeight, lastHeight }) => lastHeight >= from && firstHeight < end)
      const blocks = needed.reduce((sum, { blocksIn }) => sum + (blocksIn?.(from, end) ?? Number.POSITIVE_INFINITY), 0)
      if (blocks < end - from || !needed.every(({ key }) => this.hasSets(key))) break
      const columns = this.#tryCount(needed, month, read)
      if (!columns) break
      const content = Object.entries(columns).map(([name, values]) => [name, [...values]])
      replaceFile(this.#monthFile(chain, month), formatChecked({ ...month, columns: Object.fromEntries(content) }))
      counted++
    }
    if (counted === 0) return []
    const firstNeeded = this.firstNeededHeight(chain)
    const done = units.filter(({ lastHeight }) => lastHeight < firstNeeded).map(({ key }) => key)
    for (const key of done) rmSync(this.#setsFile(key), { force: true })
    return done
  }

  /**
   * Removes the counts of months that some heights belong to, whose blocks were not what they
   * seemed.
   */
  forgetMonths(chain: ChainDays, firstHeight: number, lastHeight: number): void {
    for (const month of closedMonths(chain)) {
      const from = heightOn(chain, month.first - daysBefore)
      if (lastHeight >= from && firstHeight < heightOn(chain, month.last + 1)) {
        rmSync(this.#monthFile(chain, month), { force: true })
      }
    }
  }

  /** True if every day is counted or can be. */
  isComplete(chain: ChainDays, units: readonly UnitBlocks[]): boolean {
    const firstNeeded = this.firstNeededHeight(chain)
    return units.every(({ key, lastHeight }) => lastHeight < firstNeeded || this.hasSets(key))
  }

  /**
   * Counts of all days up to `last`, the last closed one. Throws `data_not_ready` if sets are
   * missing or damaged.
   */
  readCounts(chain: ChainDays, last: number, units: readonly UnitBlocks[]): ActivityColumns {
    const first = chain.days[0]!
    const columns = Object.fromEntries(
      activityColumns.map((name) => [name, new Float64Array(last - first + 1)]),
    ) as ActivityColumns
    this.countMonths(chain, units)
    const add = (month: Month, counts: Readonly<Record<string, ArrayLike<number>>>): void => {
      for (const name of activityColumns) columns[name].set(counts[name]!, month.first - first)
    }
    for (const month of closedMonths(chain)) add(month, this.#readMonth(chain, month))
    const open = openMonth(chain)
    const from = heightOn(chain, open.first - daysBefore)
    const needed = units.filter(({ lastHeight }) => lastHeight >= from)
    if (open.first <= last) add(open, this.#count(needed, { ...open, last }))
    return columns
  }

  /** The stored sets of units and counts of a chain. */
  files(chain: ChainDays, units: readonly UnitBlocks[]): string[] {
    const months = closedMonths(chain).map((month) => this.#monthFile(chain, month))
    return [...months, ...units.map(({ key }) => this.#setsFile(key))].filter((file) => existsSync(file))
  }

  /** Removes sets of other units, and counts of other chains. */
  removeOthers(chain: ChainDays, units: readonly UnitBlocks[]): void {
    if (!existsSync(this.#folder)) return
    const keep = new Set(this.files(chain, units).map((file) => path.basename(file)))
    for (const name of readdirSync(this.#folder)) if (!keep.has(name)) rmSync(path.join(this.#folder, name))
  }

  #readMonth(chain: ChainDays, month: Month): Readonly<Record<string, readonly number[]>> {
    const file = this.#monthFile(chain, month)
    try {
      const { columns } = countsSchema.parse(parseChecked(readFileSync(file, 'utf8')))
      return columns
    } catch (cause) {
      rmSync(file, { force: true })
      throw notReady(`the counts of active addresses in ${file} are missing or damaged`, cause)
    }
  }

  /**
   * Returns `undefined` for damaged sets, which are removed: the next scan reads their blocks
   * again.
   */
  #tryCount(units: readonly UnitBlocks[], month: Month, read: Map<string, Uint32Array>): ActivityColumns | undefined {
    try {
      return this.#count(units, month, read)
    } catch (error) {
      if (error instanceof CoinstrataError && error.code === 'data_not_ready') return undefined
      throw error
    }
  }

  #count(units: readonly UnitBlocks[], { first, last }: Month, read = new Map<string, Uint32Array>()): ActivityColumns {
    const needed = new Set(units.map(({ key }) => key))
    for (const [key, words] of read) {
      if (needed.has(key)) continue
      freeMemory(words)
      read.delete(key)
    }
    const damaged: string[] = []
    for (const key of needed) {
      const words = read.get(key) ?? this.#readSets(key)
      if (words) read.set(key, words)
      else damaged.push(this.#setsFile(key))
    }
    if (damaged.length > 0) throw notReady(`sets of active addresses are missing or damaged: ${damaged.join(', ')}`)
    return countActive([...read.values()], first, last)
  }

  /** Removes a damaged file, and returns `undefined` for it. */
  #readSets(key: string): Uint32Array | undefined {
    const file = this.#setsFile(key)
    if (!existsSync(file)) return undefined
    const content = readFileSync(file)
    const bytes = content.subarray(0, -digestBytes)
    const isIntact = hash('sha256', bytes, 'buffer').equals(content.subarray(-digestBytes))
    const words = isIntact
      ? new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
      : undefined
    freeMemory(content)
    if (!words) rmSync(file)
    return words
  }

  #setsFile(key: string): string {
    return path.join(this.#folder, `${key}.sets`)
  }

  #monthFile(chain: ChainDays, { first, last }: Month): string {
    const height = heightOn(chain, last + 1) - 1
    const blockHash = displayHash(chain.hashes.subarray(32 * height, 32 * height + 32))
    return path.join(this.#folder, `${isoDate(first).slice(0, 7)}-${blockHash.slice(-24)}.v${formatVersion}.json`)
  }
}

const notReady = (message: string, cause?: unknown): CoinstrataError =>
  new CoinstrataError('data_not_ready', message, {
    cause,
    cure: 'run "coinstrata update", which scans their blocks again',
  })

/** Height of the first block on a day or later; the number of blocks if there is none. */
export function heightOn({ days }: ChainDays, day: number): number {
  let low = 0
  let high = days.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (days[middle]! < day) low = middle + 1
    else high = middle
  }
  return low
}

function monthOf(day: number): Month {
  const date = new Date(day * msPerDay)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { first: dayAt(Date.UTC(year, month)), last: dayAt(Date.UTC(year, month + 1)) - 1 }
}

/**
 * The months of a chain before the one of its last block, the first of them from its first block
 * on.
 */
function closedMonths({ days }: ChainDays): Month[] {
  const months: Month[] = []
  const lastDay = days.at(-1)!
  for (let month = monthOf(days[0]!); month.last < lastDay; month = monthOf(month.last + 1)) {
    months.push({ first: Math.max(month.first, days[0]!), last: month.last })
  }
  return months
}

function openMonth({ days }: ChainDays): Month {
  const month = monthOf(days.at(-1)!)
  return { first: Math.max(month.first, days[0]!), last: month.last }
}
