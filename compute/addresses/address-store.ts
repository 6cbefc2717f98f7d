import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { bisectLeft } from 'd3-array'
import type { HeaderChain } from '#ingest/chain/header-chain.ts'
import { writeIntact } from '#sql/intact-file.ts'

/** Blocks of a chain by height; days never decrease. */
export type ChainDays = Pick<HeaderChain, 'hashes' | 'days'>

/** Blocks of a segment. */
export interface UnitBlocks {
  readonly key: string
  readonly firstHeight: number
  readonly lastHeight: number
  /**
   * Returns the number of its blocks in a range of heights. Undefined if all units together cover
   * the chain.
   */
  readonly blocksIn?: (from: number, end: number) => number
}

/** A folder with one file per unit until its days are counted, and with the counts. */
export abstract class AddressStore {
  /** The scan result in a unit's file. */
  abstract readonly content: 'activeSets' | 'packedEvents'
  protected readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** First height whose unit still needs its file: earlier blocks are counted. */
  abstract firstNeededHeight(chain: ChainDays): number

  /**
   * If enough files wait, counts the days whose blocks are all in `units`, removes the files of
   * counted units, and returns the keys of these units. Throws `data_not_ready` for damaged files.
   * @param units scanned so far
   */
  abstract count(chain: ChainDays, units: readonly UnitBlocks[]): readonly string[] | Promise<readonly string[]>

  /** Removes counts that include replaced blocks between two heights. */
  abstract forget(chain: ChainDays, firstHeight: number, lastHeight: number): void

  protected abstract countFiles(chain: ChainDays): string[]

  write(key: string, words: Uint32Array): void {
    // Not synced: after a crash, blocks of a damaged file are scanned again.
    writeIntact(this.unitFile(key), [words], false)
  }

  has(key: string): boolean {
    return existsSync(this.unitFile(key))
  }

  /** Returns whether the days of all units are counted or can be. */
  isComplete(chain: ChainDays, units: readonly UnitBlocks[]): boolean {
    return this.missing(chain, units).length === 0
  }

  /** Lists stored files of units and of a chain. */
  files(chain: ChainDays, units: readonly UnitBlocks[]): string[] {
    return [...this.countFiles(chain), ...units.map(({ key }) => this.unitFile(key))].filter((file) => existsSync(file))
  }

  /** Removes files of other units and counts of other chains. */
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

  /** Removes files of counted units, and returns their keys. */
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

/** First height on or after a day; the number of blocks if there is none. */
export const heightOn = ({ days }: Pick<ChainDays, 'days'>, day: number): number => bisectLeft(days, day)
