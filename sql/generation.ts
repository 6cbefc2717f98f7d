import { hash } from 'node:crypto'
import {
  existsSync,
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
import { coinProofSchema } from '#contract/coin-proof.ts'
import { pricings } from '#contract/pricing.ts'
import { proofSchema } from '#contract/proof.ts'
import { type TableName, tableNames } from '#contract/tables/tables.ts'
import { readLink, replaceFile, switchLink, unfinishedPrefix } from './files.ts'
import { readIntactJson } from './intact-file.ts'

const tableSchema = z.object({ rows: z.int(), bytes: z.int(), sha256: z.string() })

/** Ignores tables that only later versions publish. */
const tablesSchema = z.record(z.string(), tableSchema).transform((listed) => {
  const known: Partial<Record<TableName, PublishedTable>> = {}
  for (const name of tableNames) if (listed[name]) known[name] = listed[name]
  return known
})

/** Figures that others published about a block or the chain up to it. */
export const milestoneSchema = z.object({
  height: z.int(),
  hash: z.string(),
  transactions: z.int().optional(),
  unspent_outputs: z.int().optional(),
  unclaimed_sats: z.int().optional(),
  overwritten_sats: z.int().optional(),
})

const auditSchema = z.object({
  /** Closed days whose supply and UTXO count from flows equal those from the blocks. */
  days: z.int(),
  /** Blocks whose issuance was checked against the subsidy schedule. */
  blocks: z.int(),
  /** Subsidy that miners did not claim. */
  unclaimed_sats: z.int(),
  /** Value of unspendable outputs, including the first block's and overwritten coinbases. */
  unspendable_sats: z.int(),
  /** The node's count after the tip, equal to ours; `null` without a node. */
  node: z.object({ supply_sats: z.int(), utxo_count: z.int() }).nullable(),
  milestones: z.array(milestoneSchema),
})

const generationSchema = z.object({
  format: z.literal(1),
  id: z.string(),
  /** A hash of all inputs. */
  inputs: z.string(),
  created_at: z.string(),
  network: z.string(),
  genesis_hash: z.string(),
  /** Chain and prices are simulated. */
  simulated: z.boolean(),
  source: z.string(),
  /** First and last closed day, YYYY-MM-DD. */
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
      /** Days without trades, which carry the last close. */
      carried_days: z.int(),
      /** Days whose sources differ by more than 3 %, and the day of the largest difference. */
      disagreeing_days: z.int(),
      worst_disagreement: z.object({ date: z.string(), fraction: z.number() }).nullable(),
      /**
       * Days between the first market and the first price, whose coins have unknown cost; their
       * share in the final supply; and the first day on which they are few enough for a realized
       * cap.
       */
      unpriced: z
        .object({
          first_date: z.string(),
          last_date: z.string(),
          share: z.number(),
          known_from: z.string().nullable(),
        })
        .nullable(),
      /**
       * Settings PRICING and PRICE_SOURCE, and the days valued by the hour: all but a few between these
       * dates.
       */
      pricing: z.object({
        setting: z.enum(pricings),
        source: z.literal('onchain').optional(),
        hourly: z.object({ days: z.int(), first_date: z.string(), last_date: z.string() }).nullable(),
      }),
      /** Gap of the price from the chain on its newest day, if three days differ too much. */
      onchain_gap: z.number().optional(),
    })
    .nullable(),
  audit: auditSchema,
  /**
   * Blocks verified against their hashes (headers, merkle roots, witness commitments) at
   * publication.
   */
  proved: z.object({ blocks: z.int(), of: z.int() }).nullable(),
  /** Newest proof by coin of its chain at publication. */
  proved_coins: coinProofSchema.nullable(),
  /** Of its table `day_hashes`. */
  proof: proofSchema,
  notes: z.array(z.string()),
  /** Attributions required by sources of market data. */
  attributions: z.array(z.string()),
  tables: tablesSchema,
  /** File of the values that this generation was the first to publish, if any. */
  first_published: tableSchema.optional(),
})

/** Content of `generation.json`. */
export type Generation = z.infer<typeof generationSchema>
export type Audit = z.infer<typeof auditSchema>
/** A published figure that our tables confirm. */
export type ReachedMilestone = z.infer<typeof milestoneSchema>
export type PublishedTable = z.infer<typeof tableSchema>

export interface OpenGeneration {
  readonly folder: string
  readonly generation: Generation
}

/** Files of a generation beside `generation.json`, by name without extension. */
export const generationFiles = ({ tables, first_published }: Generation): readonly [string, PublishedTable][] =>
  Object.entries({ ...tables, ...(first_published && { first_published }) })

export const generationsToKeep = 3

export const publishedFolder = (dataDir: string): string => path.join(dataDir, 'published')
/** Folder beside the generations for data that changes with every block. */
const liveFolder = 'live'
/** Link to the newest file of table `today`. */
export const todayLink = (published: string): string => path.join(published, liveFolder, 'today.parquet')
/** Named after the time in ms and the SHA-256 of the content. */
export const todayFile = (at: number, sha256: string): string => `today-${at}-${sha256}.parquet`

/** Newest file of table `today`; undefined if the node was never followed. */
export function openToday(published: string): string | 'damaged' | undefined {
  const link = todayLink(published)
  const name = readLink(link)
  if (name === undefined) return undefined
  const file = path.join(path.dirname(link), name)
  const [, sha256] = /-([0-9a-f]{64})\.parquet$/.exec(file) ?? []
  return existsSync(file) && hash('sha256', readFileSync(file)) === sha256 ? file : 'damaged'
}

const currentLink = (dataDir: string): string => path.join(publishedFolder(dataDir), 'current')

/**
 * Current generation; `undefined` before the first publication. Its path is resolved, so that a
 * reader stays on one generation while the next is published.
 */
export function currentGeneration(dataDir: string): OpenGeneration | undefined {
  const link = currentLink(dataDir)
  if (!existsSync(link)) return undefined
  return openGeneration(path.join(publishedFolder(dataDir), readlinkSync(link)))
}

/** Throws `invalid_file`. */
export function openGeneration(folder: string): OpenGeneration {
  const file = path.join(folder, 'generation.json')
  const damaged = (cause?: unknown): CoinstrataError =>
    new CoinstrataError('invalid_file', `${file} is missing or damaged`, {
      cause,
      cure: 'run "coinstrata compute" to publish a new generation',
    })
  const generation = readIntactJson(file, generationSchema, damaged)
  if (!generation) throw damaged()
  return { folder, generation }
}

/**
 * A generation in the published folder; `opened` is undefined if its description is missing or
 * damaged.
 */
export interface StoredGeneration {
  readonly id: string
  readonly opened: OpenGeneration | undefined
}

export function listGenerations(dataDir: string): StoredGeneration[] {
  return listGenerationIds(dataDir).map((id) => ({
    id,
    opened: ifReadable(() => openGeneration(path.join(publishedFolder(dataDir), id))),
  }))
}

/**
 * Current generation; `undefined` before the first publication, or if its description is missing or
 * damaged.
 */
export const readableGeneration = (dataDir: string): OpenGeneration | undefined =>
  ifReadable(() => currentGeneration(dataDir))

function ifReadable<T>(open: () => T): T | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof CoinstrataError && error.code === 'invalid_file') return undefined
    throw error
  }
}

/** The current generation, or if its description is damaged, the newest readable one before it. */
export function newestReadableGeneration(dataDir: string): OpenGeneration | undefined {
  const current = currentGenerationId(dataDir)
  if (current === undefined) return undefined
  return listGenerations(dataDir).findLast(({ id, opened }) => id <= current && opened !== undefined)?.opened
}

/** Target of the link `current`, which may be damaged; `undefined` before the first publication. */
export const currentGenerationId = (dataDir: string): string | undefined => readLink(currentLink(dataDir))

/** Contains the generation id of the last rollback. */
const rollbackFile = (dataDir: string): string => path.join(dataDir, 'state', 'went-back-to')

/**
 * Generations newer than the current one after a rollback, oldest first. Empty otherwise: a killed
 * run may have left a generation without switching to it.
 */
export function listNewerGenerations(dataDir: string): StoredGeneration[] {
  const current = currentGenerationId(dataDir)
  const file = rollbackFile(dataDir)
  if (current === undefined || !existsSync(file) || readFileSync(file, 'utf8') !== current) return []
  return listGenerations(dataDir).filter(({ id }) => id > current)
}

/** Makes an older generation current until there is something new to publish. */
export function rollBackToGeneration(dataDir: string, id: string): void {
  replaceFile(rollbackFile(dataDir), id)
  switchToGeneration(dataDir, id)
}

/** Makes a complete published generation current, atomically. */
export function switchToGeneration(dataDir: string, id: string): void {
  switchLink(currentLink(dataDir), id)
}

/** Ids of all published generations, oldest first. */
export function listGenerationIds(dataDir: string): string[] {
  const folder = publishedFolder(dataDir)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name !== 'current' && name !== liveFolder && !name.startsWith(unfinishedPrefix))
    .sort()
}

/** File whose modification time is the last read of a generation that is not current. */
const readMark = (dataDir: string, id: string): string => path.join(dataDir, 'state', 'reading', id)
/** No answer takes longer. */
const readRetentionMs = 300_000
/** Limits disk use even if readers use many generations. */
const maxGenerations = 2 * generationsToKeep

/** Protects a non-current generation from removal for some minutes. */
export function markAsRead(dataDir: string, id: string): void {
  const mark = readMark(dataDir, id)
  mkdirSync(path.dirname(mark), { recursive: true })
  writeFileSync(mark, '')
}

const isBeingRead = (dataDir: string, id: string): boolean =>
  (statSync(readMark(dataDir, id), { throwIfNoEntry: false })?.mtimeMs ?? 0) > Date.now() - readRetentionMs

/** Removes generations too old for rollbacks and not being read. */
export function removeOldGenerations(dataDir: string): void {
  const current = readlinkSync(currentLink(dataDir))
  const ids = listGenerationIds(dataDir)
  for (const [place, id] of ids.slice(0, -generationsToKeep).entries()) {
    if (id === current || (ids.length - place <= maxGenerations && isBeingRead(dataDir, id))) continue
    rmSync(path.join(publishedFolder(dataDir), id), { recursive: true, force: true })
    rmSync(readMark(dataDir, id), { force: true })
  }
}
