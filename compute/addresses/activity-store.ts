import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { freeMemory } from '#base/free-memory.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import { readIntact, writeIntact } from '#sql/intact-file.ts'
import { activityColumns, countActive, daysBefore } from './count-active.ts'

/** Raise it if the same blocks yield other counts, or other files. */
const formatVersion = 2

/** Hashes and days of the blocks of a chain, by height; days never decrease. */
export interface ChainDays {
  readonly hashes: Uint8Array
  readonly days: Int32Array
}

/** The blocks of a segment. */
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

/** Unix days of the part of a calendar month from the first day of the chain on. */
interface Month {
  readonly first: number
  readonly last: number
}

/**
 * Stores the active addresses by day of each unit, in a file per unit, until the months of its
 * blocks are counted; and the counts of closed months. These are named after the last block of the
 * month, which commits to all blocks before it.
 */
export class ActivityStore {
  readonly #folder: string

  constructor(dataDir: string) {
    this.#folder = path.join(dataDir, 'raw', 'addresses')
  }

  writeSets(key: string, words: Uint32Array): void {
    // Not synced: the blocks of a file that a crash damages are scanned again.
    writeIntact(this.#setsFile(key), [words], false)
  }

  hasSets(key: string): boolean {
    return existsSync(this.#setsFile(key))
  }

  /** Height of the first block whose addresses must be stored: earlier months are counted. */
  firstNeededHeight(chain: ChainDays): number {
    const { closed, open } = listMonths(chain)
    const needed = closed.find((month) => !existsSync(this.#monthFile(chain, month))) ?? open
    return heightOn(chain, needed.first - daysBefore)
  }

  /**
   * Counts the closed months whose blocks are all in `units` with sets, and removes the sets that
   * no other month needs. Returns the keys of these.
   */
  countMonths(chain: ChainDays, units: readonly UnitBlocks[]): readonly string[] {
    let counted = 0
    /** Sets that the next month needs too. */
    const read = new Map<string, Uint32Array>()
    for (const month of listMonths(chain).closed) {
      if (existsSync(this.#monthFile(chain, month))) continue
      const from = heightOn(chain, month.first - daysBefore)
      const end = heightOn(chain, month.last + 1)
      const needed = units.filter(({ firstHeight, lastHeight }) => lastHeight >= from && firstHeight < end)
      const blocks = needed.reduce((sum, { blocksIn }) => sum + (blocksIn?.(from, end) ?? Number.POSITIVE_INFINITY), 0)
      if (blocks < end - from) break
      const counts = this.#count(needed, month, read)
      if (!counts) break
      writeIntact(this.#monthFile(chain, month), [counts])
      counted++
    }
    if (counted === 0) return []
    const firstNeeded = this.firstNeededHeight(chain)
    const done = units.filter(({ lastHeight }) => lastHeight < firstNeeded).map(({ key }) => key)
    for (const key of done) rmSync(this.#setsFile(key), { force: true })
    return done
  }

  /** Removes the counts of months with blocks between two heights, which were replaced. */
  forgetMonths(chain: ChainDays, firstHeight: number, lastHeight: number): void {
    for (const month of listMonths(chain).closed) {
      const from = heightOn(chain, month.first - daysBefore)
      if (lastHeight >= from && firstHeight < heightOn(chain, month.last + 1)) {
        rmSync(this.#monthFile(chain, month), { force: true })
      }
    }
  }

  /** Returns whether every day is counted or can be. */
  isComplete(chain: ChainDays, units: readonly UnitBlocks[]): boolean {
    const firstNeeded = this.firstNeededHeight(chain)
    return units.every(({ key, lastHeight }) => lastHeight < firstNeeded || this.hasSets(key))
  }

  /**
   * Returns the counts of all days up to `last`, a column for each of `activityColumns`. Throws
   * `data_not_ready` if files are missing or damaged.
   */
  readCounts(chain: ChainDays, last: number, units: readonly UnitBlocks[]): readonly Float64Array[] {
    const columns = activityColumns.map(() => new Float64Array(last - chain.days[0]! + 1))
    const add = ({ first, last }: Month, counts: Float64Array | undefined): void => {
      if (!counts) {
        const message = `files with the active addresses of ${isoDate(first).slice(0, 7)} are missing or damaged`
        const cure = 'run "coinstrata update", which scans their blocks again'
        throw new CoinstrataError('data_not_ready', message, { cure })
      }
      const days = last - first + 1
      for (const [i, column] of columns.entries()) {
        column.set(counts.subarray(i * days, (i + 1) * days), first - chain.days[0]!)
      }
    }
    this.countMonths(chain, units)
    const { closed, open } = listMonths(chain)
    for (const month of closed) add(month, this.#readMonth(chain, month))
    const from = heightOn(chain, open.first - daysBefore)
    const needed = units.filter(({ lastHeight }) => lastHeight >= from)
    const upToLast = { ...open, last }
    if (open.first <= last) add(upToLast, this.#count(needed, upToLast))
    return columns
  }

  /** The stored files of units and of a chain. */
  files(chain: ChainDays, units: readonly UnitBlocks[]): string[] {
    const months = listMonths(chain).closed.map((month) => this.#monthFile(chain, month))
    return [...months, ...units.map(({ key }) => this.#setsFile(key))].filter((file) => existsSync(file))
  }

  /** Removes sets of other units, and counts of other chains. */
  removeOthers(chain: ChainDays, units: readonly UnitBlocks[]): void {
    if (!existsSync(this.#folder)) return
    const keep = new Set(this.files(chain, units).map((file) => path.basename(file)))
    for (const name of readdirSync(this.#folder)) if (!keep.has(name)) rmSync(path.join(this.#folder, name))
  }

  #readMonth(chain: ChainDays, month: Month): Float64Array | undefined {
    const content = readOrRemove(this.#monthFile(chain, month))
    return content && new Float64Array(content.buffer)
  }

  /** Returns `undefined` if sets are missing or damaged. */
  #count(units: readonly UnitBlocks[], { first, last }: Month, read = new Map<string, Uint32Array>()) {
    const needed = new Set(units.map(({ key }) => key))
    for (const [key, words] of read) {
      if (needed.has(key)) continue
      freeMemory(words)
      read.delete(key)
    }
    for (const key of needed) {
      const content = read.has(key) ? undefined : readOrRemove(this.#setsFile(key))
      if (content) read.set(key, new Uint32Array(content.buffer))
    }
    return read.size < needed.size ? undefined : countActive([...read.values()], first, last)
  }

  #setsFile(key: string): string {
    return path.join(this.#folder, `${key}.sets`)
  }

  #monthFile(chain: ChainDays, { first, last }: Month): string {
    const height = heightOn(chain, last + 1) - 1
    const blockHash = displayHash(chain.hashes.subarray(32 * height, 32 * height + 32))
    return path.join(this.#folder, `${isoDate(first).slice(0, 7)}-${blockHash.slice(-24)}.v${formatVersion}.counts`)
  }
}

/** Removes a damaged file, so that the next scan reads its blocks again. */
function readOrRemove(file: string): Uint8Array<ArrayBuffer> | undefined {
  const content = readIntact(file)
  if (!content) rmSync(file, { force: true })
  return content
}

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

/** The months of a chain: the one of its last block is open. */
function listMonths({ days }: ChainDays): { closed: Month[]; open: Month } {
  const closed: Month[] = []
  for (let first = days[0]!; ; ) {
    const date = new Date(first * msPerDay)
    const last = dayAt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)) - 1
    if (last >= days.at(-1)!) return { closed, open: { first, last } }
    closed.push({ first, last })
    first = last + 1
  }
}
