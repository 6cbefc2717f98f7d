import { randomUUID } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import type { Logger } from '#base/log.ts'
import { isUnwritable, openDatabase, type Schema } from '#state/open-database.ts'
import type { Count, CountChange, SharedTotals } from './shared-counts.ts'

const schema: Schema = {
  version: 1,
  sql: `
    CREATE TABLE counters (
      policy TEXT NOT NULL,
      caller TEXT NOT NULL,
      window_ends INTEGER NOT NULL,
      hits INTEGER NOT NULL,
      PRIMARY KEY (policy, caller, window_ends)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE processes (
      id TEXT PRIMARY KEY,
      seen_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;`,
}

/**
 * Retention of daily counts of accounts, which users see. Others are deleted after their window.
 */
const retentionDays = 90
const cleanIntervalMs = 60_000
/** Waiting for a lock blocks the event loop. */
const busyTimeoutMs = 50
/**
 * Processes report that they run; those whose last report is older than the expiry do not count.
 */
const presence = { reportIntervalMs: 60_000, expiryMs: 150_000 }

/** Requests of a key (null: browsers) to an endpoint on one day. */
export interface Use {
  /** End of the day, in ms since 1970. */
  readonly windowEnds: number
  readonly hits: number
  readonly key: string | null
  readonly endpoint: string
}

export const accountCaller = (id: number): string => `account ${id}`

export const formatUse = (accountId: number, keyId: string | undefined, endpoint: string): string =>
  `${accountCaller(accountId)} ${keyId ?? noKey} ${endpoint}`
const noKey = '-'

const storedSchema = z.object({ window_ends: z.int(), hits: z.int() })
const maxUses = 10_000
const storedUseSchema = storedSchema.extend({ name: z.string() })
const toCount = ({ window_ends, hits }: z.infer<typeof storedSchema>): Count => ({ windowEnds: window_ends, hits })

/**
 * Counts of the processes of one data folder, in SQLite: for restarts, for each other, and as the
 * usage that users see.
 */
export class SavedCounts {
  readonly #database: DatabaseSync
  readonly #lookUp: StatementSync
  readonly #add: StatementSync
  readonly #reportPresence: StatementSync
  readonly #countOthers: StatementSync
  readonly #processId = randomUUID()
  #cleanedAt = 0
  #reportedAt = 0

  constructor(dataDir: string, log: Logger) {
    this.#database = openCounts(dataDir, log)
    this.#database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    this.#lookUp = this.#database.prepare(
      `SELECT window_ends, hits FROM counters WHERE policy = ? AND caller = ? AND window_ends > ? AND window_ends <= ?
       ORDER BY window_ends DESC LIMIT 1`,
    )
    this.#add = this.#database.prepare(
      `INSERT INTO counters (policy, caller, window_ends, hits)
       SELECT $policy, $caller, coalesce((
         SELECT max(window_ends) FROM counters
         WHERE policy = $policy AND caller = $caller AND window_ends > $now AND window_ends <= $latestEnd AND $windowEnds > $now
       ), $windowEnds), $amount
       WHERE true
       ON CONFLICT DO UPDATE SET hits = hits + excluded.hits
       RETURNING window_ends, hits`,
    )
    this.#reportPresence = this.#database.prepare(
      'INSERT INTO processes (id, seen_at) VALUES (?, ?) ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at',
    )
    this.#countOthers = this.#database.prepare('SELECT count(*) AS count FROM processes WHERE id <> ? AND seen_at > ?')
  }

  find(policy: string, caller: string, now: number, latestEnd: number): Count | undefined {
    const row = this.#lookUp.get(policy, caller, now, latestEnd)
    return row && toCount(storedSchema.parse(row))
  }

  /** Number of processes with this data folder. */
  #processes(now: number): number {
    return 1 + Number(this.#countOthers.get(this.#processId, now - presence.expiryMs)?.count)
  }

  /** Adds all counts, or none if it throws. */
  add(counts: readonly CountChange[], now: number): SharedTotals {
    const isDirty = now - this.#cleanedAt > cleanIntervalMs
    const mustReport = now - this.#reportedAt > presence.reportIntervalMs
    if (counts.length === 0 && !isDirty && !mustReport) return { totals: [], processes: this.#processes(now) }
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      const totals = counts.map((count) => this.#addOne(count, now))
      const processes = this.#processes(now)
      if (isDirty) this.#clean(now)
      if (mustReport) this.#reportPresence.run(this.#processId, now)
      this.#database.exec('COMMIT')
      if (isDirty) this.#cleanedAt = now
      if (mustReport) this.#reportedAt = now
      return { totals, processes }
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }

  #addOne({ policy, caller, windowEnds, latestEnd, known, amount }: CountChange, now: number): Count {
    if (amount === 0) return this.find(policy, caller, now, latestEnd) ?? { hits: known, windowEnds }
    return toCount(storedSchema.parse(this.#add.get({ policy, caller, windowEnds, latestEnd, amount, now })))
  }

  #clean(now: number): void {
    this.#database
      .prepare(
        `DELETE FROM counters
         WHERE window_ends < $now
           AND NOT (policy IN ('day', 'use') AND caller LIKE 'account %' AND window_ends > $oldest)`,
      )
      .run({ now, oldest: now - retentionDays * msPerDay })
    this.#database.prepare('DELETE FROM processes WHERE seen_at <= ?').run(now - presence.expiryMs)
  }

  dailyUsage(accountId: number): Count[] {
    const rows = this.#database
      .prepare(`SELECT window_ends, hits FROM counters WHERE policy = 'day' AND caller = ? ORDER BY window_ends DESC`)
      .all(accountCaller(accountId))
    return z.array(storedSchema).parse(rows).map(toCount)
  }

  /** The newest `maxUses`, of days that end after a time (ms since 1970). */
  listUses(accountId: number, after: number): Use[] {
    const prefix = `${accountCaller(accountId)} `
    const rows = this.#database
      .prepare(
        `SELECT window_ends, hits, substr(caller, $begin) AS name FROM counters
         WHERE policy = 'use' AND caller >= $from AND caller < $to AND window_ends > $after
         ORDER BY window_ends DESC, hits DESC, caller LIMIT ${maxUses}`,
      )
      // '!' follows the space in ASCII.
      .all({ begin: prefix.length + 1, from: prefix, to: `${accountCaller(accountId)}!`, after })
    return z
      .array(storedUseSchema)
      .parse(rows)
      .map(({ window_ends, hits, name }) => {
        const [key = '', ...endpoint] = name.split(' ')
        return { windowEnds: window_ends, hits, key: key === noKey ? null : key, endpoint: endpoint.join(' ') }
      })
  }

  forget(accountId: number): void {
    this.#database
      .prepare('DELETE FROM counters WHERE caller = $name OR (caller >= $from AND caller < $to)')
      .run({ name: accountCaller(accountId), from: `${accountCaller(accountId)} `, to: `${accountCaller(accountId)}!` })
  }

  close(): void {
    try {
      this.#database.prepare('DELETE FROM processes WHERE id = ?').run(this.#processId)
    } catch {
      // The file is locked or the disk is full: the entry expires.
    }
    this.#database.close()
  }
}

/** In memory if the data folder is not writable. */
function openCounts(dataDir: string, log: Logger): DatabaseSync {
  try {
    return openDatabase(dataDir, 'limits', schema)
  } catch (err) {
    if (!isUnwritable(err)) throw err
    log.error({ err }, 'request counts cannot be saved: counting in memory')
    const database = new DatabaseSync(':memory:')
    database.exec(schema.sql)
    return database
  }
}
