import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { publishFolder, unfinishedName, unfinishedPrefix } from '#sql/files.ts'
import { fileDigest } from '#sql/published-table.ts'
import type { Relation } from '#sql/relation.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import type { CostBasis } from '../cohorts/cost-basis.ts'
import { describeState, type PassState, readState, writeState } from '../cohorts/pass-state.ts'
import { checkpointsFolder } from '../data-folder.ts'
import type { ClosedDays } from './chain-tables.ts'
import { programHash } from './input-key.ts'

/** A checkpoint lies so many days before the last closed day, deeper than reorganisations and corrected prices go. */
const buriedDays = 10
/** A new one is made once the newest is so many days old. */
const daysApart = 30
const kept = 3

/** What a checkpoint depends on. */
export interface CheckpointInputs {
  readonly closed: ClosedDays
  readonly blocks: Relation<'blocks'>
  readonly basis: CostBasis
  readonly cohorts: readonly Cohort[]
}

/** The pass after one of the days, and the flows up to it. Days are counted from the first. */
export interface Checkpoint {
  readonly folder: string
  readonly day: number
  readonly state: PassState
  /** A file of the table `flows`; rows of later days are to be left out. */
  readonly flows: string
}

/** One that is to be written once what it was made with has passed its audit. */
export interface NewCheckpoint {
  readonly key: string
  readonly day: number
  readonly state: PassState
}

const manifestSchema = z.object({
  day: z.int().min(0),
  state: z.array(z.tuple([z.string(), z.enum(['Float64Array', 'Int32Array', 'BigInt64Array']), z.int()])),
  state_sha256: z.string(),
  flows_sha256: z.string(),
})

const manifestFile = (folder: string): string => path.join(folder, 'checkpoint.json')
const stateFile = (folder: string): string => path.join(folder, 'state.bin')
const flowsFile = (folder: string): string => path.join(folder, 'flows.parquet')

/**
 * The name of a checkpoint: a hash of all that could make it wrong. The hash of a block commits to all blocks before it;
 * prices, costs and cohorts are those up to the day; and another version of the program starts anew.
 */
export async function checkpointKey(
  connection: DuckDBConnection,
  inputs: CheckpointInputs,
  day: number,
): Promise<string> {
  const { closed, blocks, basis, cohorts } = inputs
  const result = await connection.runAndReadAll(
    `SELECT height, hash FROM ${blocks.from} WHERE date <= DATE '1970-01-01' + ${closed.first + day}
     ORDER BY height DESC LIMIT 1`,
  )
  const hash = createHash('sha256').update(programHash())
  hash.update(JSON.stringify([closed.first, day, result.getRowsJson(), cohorts]))
  for (const { buffer, byteOffset, BYTES_PER_ELEMENT } of [basis.price, basis.cost, basis.unpriced]) {
    hash.update(new Uint8Array(buffer, byteOffset, (day + 1) * BYTES_PER_ELEMENT))
  }
  return hash.digest('hex').slice(0, 32)
}

/** The newest checkpoint that holds good for these inputs, if there is any; damaged ones are removed. */
export async function findCheckpoint(
  connection: DuckDBConnection,
  dataDir: string,
  inputs: CheckpointInputs,
): Promise<Checkpoint | undefined> {
  const { closed } = inputs
  for (const { folder, manifest } of storedCheckpoints(dataDir)) {
    const { day } = manifest
    if (closed.first + day > closed.last) continue
    if ((await checkpointKey(connection, inputs, day)) !== path.basename(folder)) continue
    const checkpoint = await open(folder, manifest)
    if (checkpoint) return checkpoint
    rmSync(folder, { recursive: true })
  }
  return undefined
}

async function open(folder: string, manifest: z.infer<typeof manifestSchema>): Promise<Checkpoint | undefined> {
  const [state, flows] = [stateFile(folder), flowsFile(folder)]
  if (!existsSync(state) || !existsSync(flows)) return undefined
  const digests = [(await fileDigest(state)).sha256, (await fileDigest(flows)).sha256]
  if (digests[0] !== manifest.state_sha256 || digests[1] !== manifest.flows_sha256) return undefined
  return { folder, day: manifest.day, state: readState(state, manifest.state), flows }
}

/** All that have a readable manifest, newest day first; the others are removed. */
function storedCheckpoints(dataDir: string) {
  const folder = checkpointsFolder(dataDir)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(unfinishedPrefix)) : []
  return names
    .flatMap((name) => {
      const stored = path.join(folder, name)
      try {
        return [
          { folder: stored, manifest: manifestSchema.parse(JSON.parse(readFileSync(manifestFile(stored), 'utf8'))) },
        ]
      } catch {
        rmSync(stored, { recursive: true })
        return []
      }
    })
    .sort((a, b) => b.manifest.day - a.manifest.day)
}

/** The day after which this pass is to be saved; `undefined` where the chain is too young or a checkpoint is new enough. */
export function dayToSave({ first, last }: ClosedDays, newest: Checkpoint | undefined): number | undefined {
  const day = last - first - buriedDays
  return day < 0 || (newest && newest.day > day - daysApart) ? undefined : day
}

/** Saves the pass after a day, with the flows of the generation that was just published; the oldest ones go. */
export async function writeCheckpoint(
  dataDir: string,
  { key, day, state }: NewCheckpoint,
  flows: string,
): Promise<void> {
  const target = path.join(checkpointsFolder(dataDir), key)
  const unfinished = unfinishedName(target)
  try {
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    writeState(stateFile(unfinished), state)
    linkOrCopy(flows, flowsFile(unfinished))
    const manifest: z.infer<typeof manifestSchema> = {
      day,
      state: describeState(state),
      state_sha256: (await fileDigest(stateFile(unfinished))).sha256,
      flows_sha256: (await fileDigest(flows)).sha256,
    }
    writeFileSync(manifestFile(unfinished), JSON.stringify(manifest))
    rmSync(target, { recursive: true, force: true })
    publishFolder(unfinished, target)
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true })
    throw cause
  }
  for (const { folder } of storedCheckpoints(dataDir).slice(kept)) rmSync(folder, { recursive: true })
}

/** Removes all of a data folder, and returns whether there were any. */
export function removeCheckpoints(dataDir: string): boolean {
  const found = storedCheckpoints(dataDir).length > 0
  rmSync(checkpointsFolder(dataDir), { recursive: true, force: true })
  return found
}

/** Published files never change, so that a second name for one is as good as a copy; some file systems have none. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}
