import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { hoursPerDay } from '#base/days.ts'
import { type TableName, tableNames } from '#contract/tables/tables.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import type { MiningPool } from '#ingest/market/mining-pools.ts'
import { publishFolder, unfinishedPath, unfinishedPrefix } from '#sql/files.ts'
import { milestoneSchema } from '#sql/generation.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import type { FirstRowGroups } from '#sql/join-parquet.ts'
import { readThrift, writeThrift } from '#sql/thrift.ts'
import type { AddressMode } from '../address-sample.ts'
import { settledDays } from '../addresses/balance-store.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import type { CostBasis } from '../cohorts/cost-basis.ts'
import type { HourPrices } from '../cohorts/hour-prices.ts'
import { describeState, type PassState, type StoredState, writeState } from '../cohorts/pass-state.ts'
import { checkpointsFolder } from '../data-folder.ts'
import type { ScannedBlocks } from '../scan/scanned-chain.ts'
import type { ClosedDays, NewDays } from './closed-days.ts'
import { programHash } from './input-key.ts'

/**
 * Maximum number of checkpoints that continue each other. Each adds a row group, which slows down
 * readers.
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
  readonly pools: readonly MiningPool[]
  readonly addresses: AddressMode
}

const factsSchema = z.object({
  /** The last day, counted from the first. */
  day: z.int().min(0),
  /** Number of checkpoints in a row, including this one, that continue from the one before. */
  inRow: z.int(),
  lastDay: z.object({ block_height: z.int(), difficulty: z.number(), supply_sats: z.int(), utxo_count: z.int() }),
  milestones: z.array(milestoneSchema),
  /**
   * Hashes of the columns up to the day that the metrics of each table read besides the results of
   * the pass.
   */
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

/**
 * CRC-32 of a file up to byte `end`: verifying a SHA-256 would take a twentieth of a night. The
 * SHA-256 of a table that continues a checkpoint covers the same bytes when it is published.
 */
const fileChecksum = z.object({ end: z.int(), crc32: z.int() })

const contentSchema = factsSchema.extend({
  state: fileChecksum.extend({ arrays: z.array(z.tuple([z.string(), z.int()])) }),
  tables: z.partialRecord(z.enum(tableNames), fileChecksum.extend({ hashed: z.string(), footer_sha256: z.string() })),
})
type Content = z.infer<typeof contentSchema>

const manifestFile = (folder: string): string => path.join(folder, 'checkpoint.json')
const stateFile = (folder: string): string => path.join(folder, 'state.bin')
const tableFile = (folder: string, name: string): string => path.join(folder, `${name}.parquet`)
const footerFile = (folder: string, name: string): string => path.join(folder, `${name}.footer`)
const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/**
 * Returns the name of a checkpoint: a hash of everything that would make it invalid. This is the
 * program, the last block (which commits to all earlier ones), the cohorts, the list of pools, how
 * addresses are counted, and prices and costs up to the day.
 */
export function checkpointKey(
  { closed, chain, basis, hours, cohorts, pools, addresses }: CheckpointInputs,
  day: number,
): string {
  const height = closed.lastHeightOn(closed.first + day)
  const hash = createHash('sha256').update(programHash())
  hash.update(
    JSON.stringify([closed.first, day, height, displayHash(chain.hashes.subarray(32 * height, 32 * height + 32))]),
  )
  hash.update(JSON.stringify([cohorts, pools, addresses]))
  const upToDay = ({ buffer, byteOffset, BYTES_PER_ELEMENT }: Float64Array | Uint8Array, perDay = 1): void =>
    void hash.update(new Uint8Array(buffer, byteOffset, (day + 1) * perDay * BYTES_PER_ELEMENT))
  for (const values of [basis.price, basis.cost, basis.unpriced]) upToDay(values)
  if (hours) upToDay(hours.byHour)
  if (hours) upToDay(hours.price, hoursPerDay)
  return hash.digest('hex').slice(0, 32)
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
  if (!isIntact(state, content.state)) return undefined
  const tables = new Map<TableName, FirstRowGroups>()
  for (const name of tableNames) {
    const table = content.tables[name]
    if (!table) continue
    const [file, footer] = [tableFile(folder, name), footerFile(folder, name)]
    if (!existsSync(footer) || !isIntact(file, table)) return undefined
    const bytes = readFileSync(footer)
    if (sha256(bytes) !== table.footer_sha256) return undefined
    tables.set(name, { file, metadata: readThrift(bytes), end: table.end, hashState: table.hashed })
  }
  return { ...content, state: { file: state, arrays: content.state.arrays }, tables }
}

const isIntact = (file: string, { end, crc32 }: z.infer<typeof fileChecksum>): boolean =>
  existsSync(file) && statSync(file).size >= end && readChecksum(file, end) === crc32

function readChecksum(file: string, end: number): number {
  const buffer = Buffer.allocUnsafe(2 ** 20)
  const descriptor = openSync(file, 'r')
  try {
    let checksum = 0
    for (let at = 0; at < end; ) {
      const bytes = buffer.subarray(0, readSync(descriptor, buffer, 0, Math.min(buffer.length, end - at), at))
      if (bytes.length === 0) throw new Error(`${file} ends before byte ${end}`)
      checksum = crc32(bytes, checksum)
      at += bytes.length
    }
    return checksum
  } finally {
    closeSync(descriptor)
  }
}

/** Lists checkpoints with an intact manifest, newest day first. Removes the others. */
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
 * Day of the next checkpoint, counted from the first; `undefined` if the chain is too short or the
 * newest is recent.
 */
function dayToSave({ first, last }: ClosedDays, newest: CheckpointFacts | undefined): number | undefined {
  const day = last - first - settledDays
  return day < 0 || (newest && newest.day > day - minDaysApart) ? undefined : day
}

const keptCheckpoints = 3

/**
 * Removes the oldest checkpoints. Tables are hard links to the published files, which never change.
 */
export function writeCheckpoint(dataDir: string, { key, state, tables, ...facts }: NewCheckpoint): void {
  const target = path.join(checkpointsFolder(dataDir), key)
  const unfinished = unfinishedPath(target)
  try {
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    writeState(stateFile(unfinished), state)
    const tableEntries: Content['tables'] = {}
    for (const [name, { file, metadata, end, hashState }] of tables) {
      const footer = writeThrift(metadata)
      writeFileSync(footerFile(unfinished, name), footer)
      linkOrCopy(file, tableFile(unfinished, name))
      tableEntries[name] = { end, crc32: readChecksum(file, end), hashed: hashState, footer_sha256: sha256(footer) }
    }
    const { size: end } = statSync(stateFile(unfinished))
    const described = { end, crc32: readChecksum(stateFile(unfinished), end), arrays: describeState(state) }
    const content: Content = { ...facts, state: described, tables: tableEntries }
    writeIntactJson(manifestFile(unfinished), content)
    rmSync(target, { recursive: true, force: true })
    publishFolder(unfinished, target)
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true })
    throw cause
  }
  for (const { folder } of storedCheckpoints(dataDir).slice(keptCheckpoints)) rmSync(folder, { recursive: true })
}

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
