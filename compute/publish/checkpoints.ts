import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { hoursPerDay } from '#base/days.ts'
import { type TableName, tableNames } from '#contract/tables/tables.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import { digestFile } from '#sql/file-digest.ts'
import { publishFolder, unfinishedPath, unfinishedPrefix } from '#sql/files.ts'
import { milestoneSchema } from '#sql/generation.ts'
import type { FirstRowGroups } from '#sql/join-parquet.ts'
import { Sha256 } from '#sql/sha256.ts'
import { readThrift, writeThrift } from '#sql/thrift.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import type { CostBasis } from '../cohorts/cost-basis.ts'
import type { HourPrices } from '../cohorts/hour-prices.ts'
import { describeState, type PassState, type StoredState, writeState } from '../cohorts/pass-state.ts'
import { checkpointsFolder } from '../data-folder.ts'
import { isRehashDue, readSeal } from '../file-seals.ts'
import type { ScannedBlocks } from '../scan/scanned-chain.ts'
import type { ClosedDays, NewDays } from './closed-days.ts'
import { programHash } from './input-key.ts'

/** Maximum number of checkpoints that continue each other. Each adds a row group, which slows down readers. */
const maxInRow = 12

export interface CheckpointInputs {
  readonly closed: ClosedDays
  readonly chain: ScannedBlocks
  /** By daily closes. */
  readonly basis: CostBasis
  /** Set if days are valued by the hour. */
  readonly hours: HourPrices | undefined
  readonly cohorts: readonly Cohort[]
}

const factsSchema = z.object({
  /** The last day, counted from the first. */
  day: z.int().min(0),
  /** Number of checkpoints in a row, including this one, that continue from the one before. */
  inRow: z.int(),
  lastDay: z.object({ block_height: z.int(), difficulty: z.number(), supply_sats: z.int(), utxo_count: z.int() }),
  milestones: z.array(milestoneSchema),
  /** Hashes of the columns up to the day that the metrics of each table read besides the results of the pass. */
  metricInputs: z.partialRecord(z.enum(tableNames), z.string()),
  /** First day (YYYY-MM-DD) with a value, by metric. */
  firstDates: z.record(z.string(), z.string()),
})
type CheckpointFacts = z.infer<typeof factsSchema>

/** The state of a computation after a day, and the rows of the daily tables up to it. */
export interface Checkpoint extends CheckpointFacts {
  readonly state: StoredState
  readonly tables: ReadonlyMap<TableName, FirstRowGroups>
}

/** A checkpoint to write once its generation has passed the audit and is published. */
export interface NewCheckpoint extends CheckpointFacts {
  readonly key: string
  readonly state: PassState
  readonly tables: ReadonlyMap<TableName, FirstRowGroups>
}

/** Content of a file up to byte `end`; see `readSeal`. */
const sealedSchema = z.object({ end: z.int(), sha256: z.string(), seal: z.string() })
type Sealed = z.infer<typeof sealedSchema>

const contentSchema = factsSchema.extend({
  state: sealedSchema.extend({ arrays: z.array(z.tuple([z.string(), z.int()])) }),
  tables: z.partialRecord(z.enum(tableNames), sealedSchema.extend({ hashed: z.string(), footer_sha256: z.string() })),
})
type Content = z.infer<typeof contentSchema>
const manifestSchema = z.object({ sha256: z.string(), content: z.string() })

const manifestFile = (folder: string): string => path.join(folder, 'checkpoint.json')
const stateFile = (folder: string): string => path.join(folder, 'state.bin')
const tableFile = (folder: string, name: string): string => path.join(folder, `${name}.parquet`)
const footerFile = (folder: string, name: string): string => path.join(folder, `${name}.footer`)
const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/**
 * Returns the name of a checkpoint: a hash of everything that would make it invalid. This is the program, the last block
 * (which commits to all earlier ones), the cohorts, and prices and costs up to the day.
 */
export function checkpointKey({ closed, chain, basis, hours, cohorts }: CheckpointInputs, day: number): string {
  const height = closed.lastHeightOn(closed.first + day)
  const hash = createHash('sha256').update(programHash())
  hash.update(
    JSON.stringify([closed.first, day, height, displayHash(chain.hashes.subarray(32 * height, 32 * height + 32))]),
  )
  hash.update(JSON.stringify(cohorts))
  const upToDay = ({ buffer, byteOffset, BYTES_PER_ELEMENT }: Float64Array | Uint8Array, perDay = 1): void =>
    void hash.update(new Uint8Array(buffer, byteOffset, (day + 1) * perDay * BYTES_PER_ELEMENT))
  for (const values of [basis.price, basis.cost, basis.unpriced]) upToDay(values)
  if (hours) upToDay(hours.byHour)
  if (hours) upToDay(hours.price, hoursPerDay)
  return hash.digest('hex').slice(0, 32)
}

/** Finds the newest valid checkpoint for these inputs. Removes damaged ones. */
async function findCheckpoint(dataDir: string, inputs: CheckpointInputs): Promise<Checkpoint | undefined> {
  const { closed } = inputs
  for (const { folder, content } of storedCheckpoints(dataDir)) {
    if (closed.first + content.day > closed.last) continue
    if (checkpointKey(inputs, content.day) !== path.basename(folder)) continue
    const checkpoint = await open(folder, content)
    if (checkpoint) return checkpoint
    rmSync(folder, { recursive: true })
  }
  return undefined
}

async function open(folder: string, content: Content): Promise<Checkpoint | undefined> {
  const state = stateFile(folder)
  if (!(await isIntact(state, content.state))) return undefined
  const tables = new Map<TableName, FirstRowGroups>()
  for (const name of tableNames) {
    const table = content.tables[name]
    if (!table) continue
    const [file, footer] = [tableFile(folder, name), footerFile(folder, name)]
    if (!existsSync(footer) || !(await isIntact(file, table))) return undefined
    const bytes = readFileSync(footer)
    if (sha256(bytes) !== table.footer_sha256) return undefined
    tables.set(name, { file, metadata: readThrift(bytes), end: table.end, hashState: table.hashed })
  }
  return { ...content, state: { file: state, arrays: content.state.arrays }, tables }
}

/** Hashes only files that have changed since their last hash, and a share of the others each day. */
async function isIntact(file: string, { end, sha256, seal }: Sealed): Promise<boolean> {
  const now = readSeal(file)
  if (now === undefined || statSync(file).size < end) return false
  return (now === seal && !isRehashDue(sha256, Date.now())) || (await digestFile(file, end)).sha256 === sha256
}

/** Lists checkpoints with an intact manifest, newest day first. Removes the others. */
function storedCheckpoints(dataDir: string): { folder: string; content: Content }[] {
  const folder = checkpointsFolder(dataDir)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(unfinishedPrefix)) : []
  return names
    .flatMap((name) => {
      const stored = path.join(folder, name)
      const content = readContent(stored)
      if (content) return [{ folder: stored, content }]
      rmSync(stored, { recursive: true })
      return []
    })
    .sort((a, b) => b.content.day - a.content.day)
}

function readContent(folder: string): Content | undefined {
  try {
    const { sha256: expected, content } = manifestSchema.parse(JSON.parse(readFileSync(manifestFile(folder), 'utf8')))
    return sha256(content) === expected ? contentSchema.parse(JSON.parse(content)) : undefined
  } catch {
    return undefined
  }
}

export async function findStart(
  dataDir: string,
  inputs: CheckpointInputs,
): Promise<{ before: Checkpoint | undefined; newDays: NewDays }> {
  const { closed } = inputs
  const found = await findCheckpoint(dataDir, inputs)
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

/** Distance of a new checkpoint from the last closed day, beyond the reach of reorganisations and corrected prices. */
const settledDays = 10
const minDaysApart = 30

/** Day of the next checkpoint, counted from the first; `undefined` if the chain is too short or the newest is recent. */
function dayToSave({ first, last }: ClosedDays, newest: CheckpointFacts | undefined): number | undefined {
  const day = last - first - settledDays
  return day < 0 || (newest && newest.day > day - minDaysApart) ? undefined : day
}

const keptCheckpoints = 3

/** Removes the oldest checkpoints. Tables are hard links to the published files, which never change. */
export async function writeCheckpoint(dataDir: string, { key, state, tables, ...facts }: NewCheckpoint): Promise<void> {
  const target = path.join(checkpointsFolder(dataDir), key)
  const unfinished = unfinishedPath(target)
  try {
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    writeState(stateFile(unfinished), state)
    const tableEntries: Content['tables'] = {}
    for (const [name, { file, metadata, end, hashState }] of tables) {
      const footer = writeThrift(metadata)
      const copy = tableFile(unfinished, name)
      writeFileSync(footerFile(unfinished, name), footer)
      linkOrCopy(file, copy)
      const digest = new Sha256(hashState).digest()
      tableEntries[name] = { ...describeFile(copy, end, digest), hashed: hashState, footer_sha256: sha256(footer) }
    }
    const { bytes, sha256: digest } = await digestFile(stateFile(unfinished))
    const content = JSON.stringify({
      ...facts,
      state: { ...describeFile(stateFile(unfinished), bytes, digest), arrays: describeState(state) },
      tables: tableEntries,
    } satisfies Content)
    writeFileSync(manifestFile(unfinished), JSON.stringify({ sha256: sha256(content), content }))
    rmSync(target, { recursive: true, force: true })
    publishFolder(unfinished, target)
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true })
    throw cause
  }
  for (const { folder } of storedCheckpoints(dataDir).slice(keptCheckpoints)) rmSync(folder, { recursive: true })
}

const describeFile = (file: string, end: number, sha256: string): Sealed => ({
  end,
  sha256,
  seal: readSeal(file) ?? '',
})

/** Removes all checkpoints, and returns true if there were any. */
export function removeCheckpoints(dataDir: string): boolean {
  const found = storedCheckpoints(dataDir).length > 0
  rmSync(checkpointsFolder(dataDir), { recursive: true, force: true })
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
