import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { pricings } from '#contract/pricing.ts'
import { type TableName, tableNames } from '#contract/tables/tables.ts'
import { replaceFile, switchLink, unfinishedPrefix } from './files.ts'

const tableSchema = z.object({ rows: z.int(), bytes: z.int(), sha256: z.string() })

/** Tables that a later version publishes are passed over. */
const tablesSchema = z.record(z.string(), tableSchema).transform((listed) => {
  const known: Partial<Record<TableName, PublishedTable>> = {}
  for (const name of tableNames) if (listed[name]) known[name] = listed[name]
  return known
})

/** What others published of the chain up to a block, or of the block itself. */
export const milestoneSchema = z.object({
  height: z.int(),
  hash: z.string(),
  transactions: z.int().optional(),
  unspent_outputs: z.int().optional(),
  unclaimed_sats: z.int().optional(),
  overwritten_sats: z.int().optional(),
})

const auditSchema = z.object({
  /** Closed days on which supply and UTXO count from flows equal those from the blocks. */
  days: z.int(),
  /** Blocks whose issuance was checked against the subsidy schedule. */
  blocks: z.int(),
  /** What miners left unclaimed of the subsidy. */
  unclaimed_sats: z.int(),
  /** Outputs that can never be spent, the first block's and overwritten coinbases among them. */
  unspendable_sats: z.int(),
  /** The node's own count after the tip, equal to ours; `null` where it could not be asked. */
  node: z.object({ supply_sats: z.int(), utxo_count: z.int() }).nullable(),
  /** Facts of the chain that others published, equal to ours. */
  milestones: z.array(milestoneSchema).default([]),
})

const generationSchema = z.object({
  format: z.literal(1),
  id: z.string(),
  /** A hash of all that it was made from; generations of earlier versions have none. */
  inputs: z.string().optional(),
  created_at: z.string(),
  network: z.string(),
  genesis_hash: z.string(),
  /** Chain and prices are simulated, for a first look without a node. */
  simulated: z.boolean(),
  source: z.string(),
  /** First and last closed day of the daily tables, YYYY-MM-DD. */
  first_date: z.string(),
  last_date: z.string(),
  tip: z.object({
    height: z.int(),
    hash: z.string(),
    time: z.string(),
    work: z.string(),
    supply_sats: z.int(),
    utxo_count: z.int(),
  }),
  prices: z
    .object({
      source: z.string(),
      first_date: z.string(),
      last_date: z.string(),
      /** Days on which nothing was traded, which carry the last close. */
      carried_days: z.int().default(0),
      /** Days on which the sources differ by more than 3 %, and the one on which they differ most. */
      disagreeing_days: z.int().default(0),
      worst_disagreement: z.object({ date: z.string(), fraction: z.number() }).nullable().default(null),
      /**
       * Days between the first market and the first price, whose coins have no known cost; their share of the supply at
       * the end; and the first day on which they are so few that the realized cap is known.
       */
      unpriced: z
        .object({
          first_date: z.string(),
          last_date: z.string(),
          share: z.number(),
          known_from: z.string().nullable(),
        })
        .nullable()
        .default(null),
      /** How coins and spends were to be valued, and the days that are valued by the hour: all but a few between these. */
      pricing: z
        .object({
          setting: z.enum(pricings),
          hourly: z.object({ days: z.int(), first_date: z.string(), last_date: z.string() }).nullable(),
        })
        .default({ setting: 'daily', hourly: null }),
    })
    .nullable(),
  audit: auditSchema,
  /**
   * Blocks that were held against their hashes (headers, merkle roots, witness commitments) when this was published;
   * `null` in generations of before 2026-11-22.
   */
  proved: z.object({ blocks: z.int(), of: z.int() }).nullable().default(null),
  notes: z.array(z.string()),
  /** What sources of market data want to be said beside their data. */
  attributions: z.array(z.string()).optional(),
  tables: tablesSchema,
})

/** Describes one published generation; stands beside its tables as `generation.json`. */
export type Generation = z.infer<typeof generationSchema>
export type Audit = z.infer<typeof auditSchema>
/** What others published of the chain up to a block, or of the block itself, and our tables say too. */
export type ReachedMilestone = z.infer<typeof milestoneSchema>
export type PublishedTable = z.infer<typeof tableSchema>

export interface OpenGeneration {
  readonly folder: string
  readonly generation: Generation
}

const generationsToKeep = 3

export const publishedFolder = (dataDir: string): string => path.join(dataDir, 'published')
/** Beside the generations: what changes with every block. */
const liveFolder = 'live'
/** The link to the newest file of the table `today`, given the folder of the generations. */
export const todayLink = (published: string): string => path.join(published, liveFolder, 'today.parquet')
const currentLink = (dataDir: string): string => path.join(publishedFolder(dataDir), 'current')

/**
 * The generation that is current now, by its own folder and not by the link, so that a reader keeps to one generation
 * while the next is published. `undefined` before the first.
 */
export function currentGeneration(dataDir: string): OpenGeneration | undefined {
  const link = currentLink(dataDir)
  if (!existsSync(link)) return undefined
  return openGeneration(path.join(publishedFolder(dataDir), readlinkSync(link)))
}

/** The generation in a folder. Throws `invalid_file`. */
export function openGeneration(folder: string): OpenGeneration {
  const file = path.join(folder, 'generation.json')
  try {
    return { folder, generation: generationSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) }
  } catch (cause) {
    throw new CoinstrataError('invalid_file', `${file} is missing or damaged`, {
      cause,
      cure: 'run "coinstrata compute" to publish a new generation',
    })
  }
}

/** A generation that stands in the published folder; not opened where its description is missing or damaged. */
export interface StoredGeneration {
  readonly id: string
  readonly opened: OpenGeneration | undefined
}

/** All that stand in the published folder, oldest first. */
export function listGenerations(dataDir: string): StoredGeneration[] {
  return listGenerationIds(dataDir).map((id) => {
    try {
      return { id, opened: openGeneration(path.join(publishedFolder(dataDir), id)) }
    } catch (error) {
      if (error instanceof CoinstrataError && error.code === 'invalid_file') return { id, opened: undefined }
      throw error
    }
  })
}

/** The name to which the link leads, whatever stands there; `undefined` before the first publication. */
export function currentGenerationId(dataDir: string): string | undefined {
  const link = currentLink(dataDir)
  return lstatSync(link, { throwIfNoEntry: false }) ? readlinkSync(link) : undefined
}

/** The id of the generation to which was gone back last. */
const rollbackFile = (dataDir: string): string => path.join(dataDir, 'state', 'went-back-to')

/**
 * What was published after the current generation, and was left by going back. Oldest first. One that a run was killed
 * before switching to was not left.
 */
export function listNewerGenerations(dataDir: string): StoredGeneration[] {
  const current = currentGenerationId(dataDir)
  const file = rollbackFile(dataDir)
  if (current === undefined || !existsSync(file) || readFileSync(file, 'utf8') !== current) return []
  return listGenerations(dataDir).filter(({ id }) => id > current)
}

/** Makes a kept generation the current one, to stay where it is until there is something new to publish. */
export function rollBackToGeneration(dataDir: string, id: string): void {
  replaceFile(rollbackFile(dataDir), id)
  switchToGeneration(dataDir, id)
}

/** Makes a generation that stands complete in the published folder the current one, by one rename. */
export function switchToGeneration(dataDir: string, id: string): void {
  switchLink(currentLink(dataDir), id)
}

/** The ids of all generations that stand in the published folder, oldest first. */
export function listGenerationIds(dataDir: string): string[] {
  const folder = publishedFolder(dataDir)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name !== 'current' && name !== liveFolder && !name.startsWith(unfinishedPrefix))
    .sort()
}

/** Its time of change tells when a generation that is not current was last read. */
const readMark = (dataDir: string, id: string): string => path.join(dataDir, 'state', 'reading', id)
/** Milliseconds for which one that was read is kept; no answer takes longer. */
const readRetentionMs = 300_000
/** However much is read, so that no reader fills the disk. */
const maxGenerations = 2 * generationsToKeep

/** Keeps a generation that is read now, although it is not the current one, from being removed for some minutes. */
export function markAsRead(dataDir: string, id: string): void {
  const mark = readMark(dataDir, id)
  mkdirSync(path.dirname(mark), { recursive: true })
  writeFileSync(mark, '')
}

const isBeingRead = (dataDir: string, id: string): boolean =>
  (statSync(readMark(dataDir, id), { throwIfNoEntry: false })?.mtimeMs ?? 0) > Date.now() - readRetentionMs

/** Removes generations that are too old for any reader or for going back to. */
export function removeOldGenerations(dataDir: string): void {
  const current = readlinkSync(currentLink(dataDir))
  const ids = listGenerationIds(dataDir)
  for (const [place, id] of ids.slice(0, -generationsToKeep).entries()) {
    if (id === current || (ids.length - place <= maxGenerations && isBeingRead(dataDir, id))) continue
    rmSync(path.join(publishedFolder(dataDir), id), { recursive: true, force: true })
    rmSync(readMark(dataDir, id), { force: true })
  }
}

/** Whether the files of a generation that was opened still stand in the published folder, whole. */
export function isStillComplete(dataDir: string, { id }: Generation): boolean {
  try {
    return hasAllFiles(openGeneration(path.join(publishedFolder(dataDir), id)))
  } catch (error) {
    if (error instanceof CoinstrataError && error.code === 'invalid_file') return false
    throw error
  }
}

/** Whether the tables of a generation stand in its folder as long as they were written. */
export const hasAllFiles = ({ folder, generation }: OpenGeneration): boolean =>
  Object.entries(generation.tables).every(([name, { bytes }]) => {
    const file = path.join(folder, `${name}.parquet`)
    return existsSync(file) && statSync(file).size === bytes
  })
