import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { hoursPerDay } from '#base/days.ts'
import { type TableName, tableNames } from '#contract/tables/tables.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import { hashAt } from '#ingest/chain/header-chain.ts'
import type { MiningPool } from '#ingest/market/mining-pools.ts'
import { publishFolder, unfinishedPath, unfinishedPrefix } from '#sql/files.ts'
import { milestoneSchema } from '#sql/generation.ts'
import { isIntact, readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import { digestRowGroups, type FirstRowGroups, hashRowGroups } from '#sql/join-parquet.ts'
import { countRowGroups, firstRowGroups, readFooter } from '#sql/parquet-footer.ts'
import type { AddressMode } from '../address-sample.ts'
import { settledDays } from '../addresses/balance-store.ts'
import type { Cohort, RangeCohort } from '../cohorts/cohorts.ts'
import type { CostBasis } from '../cohorts/cost-basis.ts'
import type { HourPrices } from '../cohorts/hour-prices.ts'
import { describeState, type PassState, type StoredState, writeState } from '../cohorts/pass-state.ts'
import { checkpointsFolder, removeSavedStates } from '../data-folder.ts'
import type { ScannedBlocks } from '../scan/scanned-chain.ts'
import type { ClosedDays, NewDays } from './closed-days.ts'
import { programHash } from './input-key.ts'

/**
 * Maximum checkpoints that continue each other. Each adds a row group, which slows down readers.
 */
const maxInRow = 12

export interface CheckpointInputs {
  readonly closed: ClosedDays
  readonly chain: ScannedBlocks
  /** By daily closes. */
  readonly basis: CostBasis
  /** Set if days are valued by the hour. */
  readonly hours: HourPrices | undefined
  readonly cohorts: readonly Cohort[]
  readonly ownCohorts: readonly RangeCohort[]
  readonly pools: readonly MiningPool[]
  readonly addresses: AddressMode
}

const factsSchema = z.object({
  /** Last day, from the first. */
  day: z.int().min(0),
  /** Number of consecutive checkpoints that continue each other, including this one. */
  inRow: z.int(),
  lastDay: z.object({ block_height: z.int(), difficulty: z.number(), supply_sats: z.int(), utxo_count: z.int() }),
  milestones: z.array(milestoneSchema),
  /**
   * By table, hash of the columns that its metrics read besides the results of the pass, up to the
   * day.
   */
  metricInputs: z.partialRecord(z.enum(tableNames), z.string()),
  /** First day (YYYY-MM-DD) with a value, by metric. */
  firstDates: z.record(z.string(), z.string()),
})
type CheckpointFacts = z.infer<typeof factsSchema>

/** State of a computation after a day, and the rows of daily tables up to it. */
export interface Checkpoint extends CheckpointFacts {
  readonly state: StoredState
  readonly tables: ReadonlyMap<TableName, FirstRowGroups>
}

/** A checkpoint, written once its generation is audited and published. */
export interface NewCheckpoint extends CheckpointFacts {
  readonly key: string
  readonly state: PassState
  readonly tables: ReadonlyMap<TableName, FirstRowGroups>
}

const contentSchema = factsSchema.extend({
  /** Files of `saved-addresses.ts`. */
  addresses: z.array(z.string()),
  /** Names and lengths of the state's arrays. */
  arrays: z.array(z.tuple([z.string(), z.int()])),
  /** Leading row groups of each table, the end of their pages, and their SHA-256. */
  tables: z.partialRecord(z.enum(tableNames), z.object({ groups: z.int(), end: z.int(), sha256: z.string() })),
})
type Content = z.infer<typeof contentSchema>

const manifestFile = (folder: string): string => path.join(folder, 'checkpoint.json')
const stateFile = (folder: string): string => path.join(folder, 'state.bin')
const tableFile = (folder: string, name: string): string => path.join(folder, `${name}.parquet`)

/**
 * Returns the name of a checkpoint, a hash of everything that would invalidate it: program, last
 * block (which commits to all earlier ones), cohorts, list of pools, how addresses are counted, and
 * prices and costs up to the day.
 */
export function checkpointKey(
  { closed, chain, basis, hours, cohorts, ownCohorts, pools, addresses }: CheckpointInputs,
  day: number,
): string {
  const height = closed.lastHeightOn(closed.first + day)
  const hash = createHash('sha256').update(programHash())
  hash.update(JSON.stringify([closed.first, day, height, displayHash(hashAt(chain, height))]))
  hash.update(JSON.stringify([cohorts, ownCohorts, pools, addresses]))
  const upToDay = ({ buffer, byteOffset, BYTES_PER_ELEMENT }: Float64Array | Uint8Array, perDay = 1): void =>
    void hash.update(new Uint8Array(buffer, byteOffset, (day + 1) * perDay * BYTES_PER_ELEMENT))
  for (const values of [basis.price, basis.cost, basis.unpriced]) upToDay(values)
  if (hours) upToDay(hours.byHour)
  if (hours) upToDay(hours.price, hoursPerDay)
  return hash.digest('hex').slice(0, 32)
}

/** Returns the folder of a future checkpoint, without files. */
export function draftCheckpoint(dataDir: string, inputs: CheckpointInputs, day: number): string {
  const folder = unfinishedPath(path.join(checkpointsFolder(dataDir), checkpointKey(inputs, day)))
  rmSync(folder, { recursive: true, force: true })
  return folder
}

/** Finds the newest valid checkpoint for these inputs. Removes damaged ones. */
function findCheckpoint(dataDir: string, inputs: CheckpointInputs): Checkpoint | undefined {
  const { closed } = inputs
  for (const { folder, content } of storedCheckpoints(dataDir)) {
    if (closed.first + content.day > closed.last) continue
    if (checkpointKey(inputs, content.day) !== path.basename(folder)) continue
    const checkpoint = open(folder, content)
    if (checkpoint) return checkpoint
    rmSync(folder, { recursive: true })
  }
  return undefined
}

function open(folder: string, content: Content): Checkpoint | undefined {
  const state = stateFile(folder)
  if (![state, ...content.addresses.map((name) => path.join(folder, name))].every(isIntact)) return undefined
  const tables = new Map<TableName, FirstRowGroups>()
  for (const name of tableNames) {
    const saved = content.tables[name]
    if (!saved) continue
    const table = openTable(tableFile(folder, name), saved)
    if (!table) return undefined
    tables.set(name, table)
  }
  return { ...content, state: { file: state, arrays: content.arrays }, tables }
}

/** Returns `undefined` if the file is missing or damaged. */
function openTable(
  file: string,
  { groups, end, sha256 }: NonNullable<Content['tables'][TableName]>,
): FirstRowGroups | undefined {
  try {
    const { metadata } = readFooter(file)
    const opened = hashRowGroups({ file, metadata: firstRowGroups(metadata, groups), end })
    return digestRowGroups(opened) === sha256 ? opened : undefined
  } catch {
    // Damaged metadata fail in many ways.
    return undefined
  }
}

/** Lists checkpoints with an intact manifest, newest day first. Removes others. */
function storedCheckpoints(dataDir: string): { folder: string; content: Content }[] {
  const folder = checkpointsFolder(dataDir)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(unfinishedPrefix)) : []
  return names
    .flatMap((name) => {
      const stored = path.join(folder, name)
      const content = readIntactJson(manifestFile(stored), contentSchema)
      if (content) return [{ folder: stored, content }]
      rmSync(stored, { recursive: true })
      return []
    })
    .sort((a, b) => b.content.day - a.content.day)
}

export function findStart(
  dataDir: string,
  inputs: CheckpointInputs,
): { before: Checkpoint | undefined; newDays: NewDays } {
  const { closed } = inputs
  const found = findCheckpoint(dataDir, inputs)
  const saved = dayToSave(closed, found)
  const before = saved !== undefined && found && found.inRow >= maxInRow ? undefined : found
  const newDays = {
    closed,
    savedRows: before?.tables ?? new Map(),
    after: closed.first + (before?.day ?? -1),
    cut: saved === undefined ? undefined : closed.first + saved,
  }
  return { before, newDays }
}

const minDaysApart = 30

/**
 * Day of the next checkpoint, from the first; `undefined` if the chain is too short or the newest
 * checkpoint recent.
 */
function dayToSave({ first, last }: ClosedDays, newest: CheckpointFacts | undefined): number | undefined {
  const day = last - first - settledDays
  return day < 0 || (newest && newest.day > day - minDaysApart) ? undefined : day
}

const keptCheckpoints = 3

/**
 * Also removes the oldest checkpoints. Tables are hard links to published files, which never
 * change.
 */
export function writeCheckpoint(dataDir: string, { key, state, tables, ...facts }: NewCheckpoint): void {
  const target = path.join(checkpointsFolder(dataDir), key)
  const unfinished = unfinishedPath(target)
  try {
    mkdirSync(unfinished, { recursive: true })
    const addresses = readdirSync(unfinished)
    writeState(stateFile(unfinished), state)
    const tableEntries: Content['tables'] = {}
    for (const [name, table] of tables) {
      linkOrCopy(table.file, tableFile(unfinished, name))
      tableEntries[name] = {
        groups: countRowGroups(table.metadata),
        end: table.end,
        sha256: digestRowGroups(table),
      }
    }
    const content: Content = { ...facts, addresses, arrays: describeState(state), tables: tableEntries }
    writeIntactJson(manifestFile(unfinished), content)
    rmSync(target, { recursive: true, force: true })
    publishFolder(unfinished, target)
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true })
    throw cause
  }
  for (const { folder } of storedCheckpoints(dataDir).slice(keptCheckpoints)) rmSync(folder, { recursive: true })
}

/** Removes all saved states. Returns true if there were checkpoints. */
export function removeCheckpoints(dataDir: string): boolean {
  const found = storedCheckpoints(dataDir).length > 0
  removeSavedStates(dataDir)
  return found
}

/** Some file systems have no hard links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}
