import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { inTransaction, isDamage, openIntact, SqlTemplates } from './open-database.ts'

/** Increase it to repeat all proofs, when a proof checks more. */
const formatVersion = 1

/**
 * A proof checks a segment's blocks against their hashes (headers, merkle roots, witness
 * commitments) and its amounts against the blocks. Amounts of a wrong segment differ.
 */
const states = { wrong: -1, scanned: 0, published: 1, proved: 2 } as const

export interface ChainSegment {
  /** Derived from the hashes of its blocks. */
  readonly key: string
  readonly blocks: number
}

const countsSchema = z.object({ blocks: z.int(), of: z.int() })
/** `of` counts all blocks of the chain. */
export type ProvedBlocks = z.infer<typeof countsSchema>

const versionSchema = z.object({ user_version: z.int() })
const keysSchema = z.array(z.object({ key: z.string() }))

/**
 * Registry of proved segments in `raw/proved-segments.db`. Several processes may use it at once:
 * one scans and publishes while another proves.
 */
export class ProvedSegments {
  readonly #sql: SqlTemplates

  constructor(dataDir: string) {
    mkdirSync(path.dirname(registryFile(dataDir)), { recursive: true })
    const database = openIntact(registryFile(dataDir), 10_000)
    this.#sql = new SqlTemplates(database)
    inTransaction(database, () => {
      if (readVersion(database) === formatVersion) return
      database.exec(
        `DROP TABLE IF EXISTS segments;
         CREATE TABLE segments (key TEXT PRIMARY KEY, blocks INTEGER NOT NULL, state INTEGER NOT NULL) STRICT;
         PRAGMA user_version = ${formatVersion}`,
      )
    })
  }

  /** Adds the chain's segments and removes all others. */
  setChain(segments: readonly ChainSegment[]): void {
    const keys = JSON.stringify(segments.map(({ key }) => key))
    inTransaction(this.#sql.db, () => {
      for (const { key, blocks } of segments) {
        this.#sql.run`INSERT OR IGNORE INTO segments (key, blocks, state) VALUES (${key}, ${blocks}, ${states.scanned})`
      }
      this.#sql.run`DELETE FROM segments WHERE key NOT IN (SELECT value FROM json_each(${keys}))`
    })
  }

  /** Call it before segments are rewritten: their known state is no longer valid. */
  forget(keys: readonly string[]): void {
    this.#sql.run`DELETE FROM segments WHERE key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`
  }

  recordProved({ key, blocks }: ChainSegment): void {
    this.#sql.run`INSERT OR REPLACE INTO segments (key, blocks, state) VALUES (${key}, ${blocks}, ${states.proved})`
  }

  recordPublished(): void {
    this.#sql.run`UPDATE segments SET state = ${states.published} WHERE state = ${states.scanned}`
  }

  /**
   * `right`: the published amounts are those of the blocks. Ignored if the segment was rescanned
   * since publication.
   */
  recordVerified(key: string, right: boolean): void {
    const state = right ? states.proved : states.wrong
    this.#sql.run`UPDATE segments SET state = ${state} WHERE key = ${key} AND state <> ${states.scanned}`
  }

  get proved(): ReadonlySet<string> {
    return this.#keysIn(states.proved)
  }

  get wrong(): ReadonlySet<string> {
    return this.#keysIn(states.wrong)
  }

  get counts(): ProvedBlocks {
    return countBlocks(this.#sql.db)
  }

  close(): void {
    this.#sql.db.close()
  }

  readonly [Symbol.dispose] = this.close

  #keysIn(state: number): ReadonlySet<string> {
    const rows = keysSchema.parse(this.#sql.all`SELECT key FROM segments WHERE state = ${state}`)
    return new Set(rows.map(({ key }) => key))
  }
}

const registryFile = (dataDir: string): string => path.join(dataDir, 'raw', 'proved-segments.db')

export async function withProvedSegments<T>(
  dataDir: string,
  work: (registry: ProvedSegments) => T | Promise<T>,
): Promise<T> {
  using registry = new ProvedSegments(dataDir)
  return await work(registry)
}

/**
 * Reads the registry without write access; `undefined` unless it is intact and of this many
 * `blocks`.
 */
export function readProvedBlocks(dataDir: string, blocks: number): ProvedBlocks | undefined {
  if (!existsSync(registryFile(dataDir))) return undefined
  using database = new DatabaseSync(registryFile(dataDir), { readOnly: true, timeout: 200 })
  try {
    if (readVersion(database) !== formatVersion) return undefined
    const counts = countBlocks(database)
    return counts.of === blocks ? counts : undefined
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

function countBlocks(database: DatabaseSync): ProvedBlocks {
  const row = database
    .prepare(
      `SELECT coalesce(sum(blocks) FILTER (WHERE state = ${states.proved}), 0) AS blocks,
         coalesce(sum(blocks), 0) AS of FROM segments`,
    )
    .get()
  return countsSchema.parse(row)
}

const readVersion = (database: DatabaseSync): number =>
  versionSchema.parse(database.prepare('PRAGMA user_version').get()).user_version
