import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { freeMemory } from '#base/free-memory.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import { hashAt } from '#ingest/chain/header-chain.ts'
import { readIntact, writeIntact } from '#sql/intact-file.ts'
import { AddressStore, type ChainDays, heightOn, type UnitBlocks } from './address-store.ts'
import { activityColumns, countActive, daysBefore } from './count-active.ts'

/** Raise it if the same blocks yield other counts or files. */
const formatVersion = 2

/** Unix days of a calendar month, from the first day of the chain on. */
interface Month {
  readonly first: number
  readonly last: number
}

/**
 * Stores the active addresses of each unit by day until their months are counted, and the counts of
 * closed months. Counts are named after the last block of the month, which commits to all earlier
 * blocks.
 */
export class ActivityStore extends AddressStore {
  readonly content = 'activeSets'

  constructor(dataDir: string) {
    super(path.join(dataDir, 'raw', 'addresses'))
  }

  firstNeededHeight(chain: ChainDays): number {
    const { closed, open } = listMonths(chain)
    const needed = closed.find((month) => !existsSync(this.#monthFile(chain, month))) ?? open
    return heightOn(chain, needed.first - daysBefore)
  }

  /** Counts closed months. */
  count(chain: ChainDays, units: readonly UnitBlocks[]): readonly string[] {
    let counted = 0
    /** Sets that the next month also needs. */
    const read = new Map<string, Uint32Array>()
    for (const month of listMonths(chain).closed) {
      if (existsSync(this.#monthFile(chain, month))) continue
      const from = heightOn(chain, month.first - daysBefore)
      const end = heightOn(chain, month.last + 1)
      const needed = units.filter(({ firstHeight, lastHeight }) => lastHeight >= from && firstHeight < end)
      const blocks = needed.reduce((sum, { blocksIn }) => sum + (blocksIn?.(from, end) ?? Number.POSITIVE_INFINITY), 0)
      if (blocks < end - from) break
      const counts = this.#readAndCount(needed, month, read)
      if (!counts) break
      writeIntact(this.#monthFile(chain, month), [counts])
      counted++
    }
    return counted > 0 ? this.removeCounted(chain, units) : []
  }

  forget(chain: ChainDays, firstHeight: number, lastHeight: number): void {
    for (const month of listMonths(chain).closed) {
      const from = heightOn(chain, month.first - daysBefore)
      if (lastHeight >= from && firstHeight < heightOn(chain, month.last + 1)) {
        rmSync(this.#monthFile(chain, month), { force: true })
      }
    }
  }

  /**
   * Returns the counts of all days up to `last`, one column per entry of `activityColumns`. Throws
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
    this.count(chain, units)
    const { closed, open } = listMonths(chain)
    for (const month of closed) add(month, this.#readMonth(chain, month))
    const from = heightOn(chain, open.first - daysBefore)
    const needed = units.filter(({ lastHeight }) => lastHeight >= from)
    const upToLast = { ...open, last }
    if (open.first <= last) add(upToLast, this.#readAndCount(needed, upToLast))
    return columns
  }

  protected countFiles(chain: ChainDays): string[] {
    return listMonths(chain).closed.map((month) => this.#monthFile(chain, month))
  }

  #readMonth(chain: ChainDays, month: Month): Float64Array | undefined {
    const content = readOrRemove(this.#monthFile(chain, month))
    return content && new Float64Array(content.buffer)
  }

  /** Returns `undefined` if sets are missing or damaged. */
  #readAndCount(units: readonly UnitBlocks[], { first, last }: Month, read = new Map<string, Uint32Array>()) {
    const needed = new Set(units.map(({ key }) => key))
    for (const [key, words] of read) {
      if (needed.has(key)) continue
      freeMemory(words)
      read.delete(key)
    }
    for (const key of needed) {
      const content = read.has(key) ? undefined : readOrRemove(this.unitFile(key))
      if (content) read.set(key, new Uint32Array(content.buffer))
    }
    return read.size < needed.size ? undefined : countActive([...read.values()], first, last)
  }

  #monthFile(chain: ChainDays, { first, last }: Month): string {
    const height = heightOn(chain, last + 1) - 1
    const blockHash = displayHash(hashAt(chain, height))
    return path.join(this.folder, `${isoDate(first).slice(0, 7)}-${blockHash.slice(-24)}.v${formatVersion}.counts`)
  }
}

/** Removes a damaged file, so that the next scan reads its blocks again. */
function readOrRemove(file: string): Uint8Array<ArrayBuffer> | undefined {
  const content = readIntact(file)
  if (!content) rmSync(file, { force: true })
  return content
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
