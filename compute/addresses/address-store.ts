import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { bisectLeft } from 'd3-array'
import type { HeaderChain } from '#ingest/chain/header-chain.ts'
import { writeIntact } from '#sql/intact-file.ts'

/** The blocks of a chain by height; days never decrease. */
export type ChainDays = Pick<HeaderChain, 'hashes' | 'days'>

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

/** A folder with one file for each unit until its days are counted, and with the counts. */
export abstract class AddressStore {
  /** The result of a scan that the file of a unit holds. */
  abstract readonly content: 'activeSets' | 'packedEvents'
  protected readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** Height of the first block whose unit needs its file: earlier ones are counted. */
  abstract firstNeededHeight(chain: ChainDays): number

  /**
   * Counts the days whose blocks are all in `units`, if they are enough to be worth it, and removes
   * files that are no longer needed. Returns the keys of these. Throws `data_not_ready` for damaged
   * files.
   * @param units scanned so far
   */
  abstract count(chain: ChainDays, units: readonly UnitBlocks[]): readonly string[] | Promise<readonly string[]>

  /** Removes counts that include blocks between two heights, which were replaced. */
  abstract forget(chain: ChainDays, firstHeight: number, lastHeight: number): void

  /** The files with counts. */
  protected abstract countFiles(chain: ChainDays): string[]

  write(key: string, words: Uint32Array): void {
    // Not synced: the blocks of a file that a crash damages are scanned again.
    writeIntact(this.unitFile(key), [words], false)
  }

  has(key: string): boolean {
    return existsSync(this.unitFile(key))
  }

  /** Returns whether the days of all units are counted or can be. */
  isComplete(chain: ChainDays, units: readonly UnitBlocks[]): boolean {
    return this.missing(chain, units).length === 0
  }

  /** The stored files of units and of a chain. */
  files(chain: ChainDays, units: readonly UnitBlocks[]): string[] {
    return [...this.countFiles(chain), ...units.map(({ key }) => this.unitFile(key))].filter((file) => existsSync(file))
  }

  /** Removes files of other units, and counts of other chains. */
  removeOthers(chain: ChainDays, units: readonly UnitBlocks[]): void {
    const keep = new Set(this.files(chain, units))
    this.removeExcept((file) => keep.has(file))
  }

  protected removeExcept(isKept: (file: string) => boolean): void {
    if (!existsSync(this.folder)) return
    const files = readdirSync(this.folder).map((name) => path.join(this.folder, name))
    for (const file of files) if (!isKept(file)) rmSync(file)
  }

  protected missing(chain: ChainDays, units: readonly UnitBlocks[]): UnitBlocks[] {
    const firstNeeded = this.firstNeededHeight(chain)
    return units.filter(({ key, lastHeight }) => lastHeight >= firstNeeded && !this.has(key))
  }

  /** Removes the files of units whose days are counted, and returns their keys. */
  protected removeCounted(chain: ChainDays, units: readonly UnitBlocks[]): string[] {
    const firstNeeded = this.firstNeededHeight(chain)
    const counted = units.filter(({ lastHeight }) => lastHeight < firstNeeded).map(({ key }) => key)
    for (const key of counted) rmSync(this.unitFile(key), { force: true })
    return counted
  }

  protected unitFile(key: string): string {
    return path.join(this.folder, `${key}.${this.content === 'activeSets' ? 'sets' : 'events'}`)
  }
}

/** Height of the first block on a day or later; the number of blocks if there is none. */
export const heightOn = ({ days }: Pick<ChainDays, 'days'>, day: number): number => bisectLeft(days, day)
