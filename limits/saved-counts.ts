import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import type { Logger } from '#base/log.ts'
import { inTransaction, isUnwritable, openDatabase, type Schema, SqlTemplates } from '#state/open-database.ts'
import type { Count, CountChange, SharedTotals } from './shared-counts.ts'

const schema: Schema = [
  `
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
]

/** Retention of accounts' daily counts, which users see. Others are deleted after their window. */
const retentionDays = 90
const cleanIntervalMs = 60_000
/** Daily counts cleaned at a time, and what follows every caller's name. */
const [cleanedRows, endOfNames] = [5_000, '~']
/** Waiting for a lock blocks the event loop. */
const busyTimeoutMs = 50
/** Processes whose last report is older than the expiry do not count. */
const presence = { reportIntervalMs: 60_000, expiryMs: 150_000 }

/** Requests of a key (null: browsers) to an endpoint on one day. */
export interface Use extends Count {
  readonly key: string | null
  readonly endpoint: string
}

export const accountCaller = (id: number): string => `account ${id}`

export const formatUse = (accountId: number, keyId: string | undefined, endpoint: string): string =>
  `${accountCaller(accountId)} ${keyId ?? noKey} ${endpoint}`
const noKey = '-'

const countSchema = z.object({ windowEnds: z.int(), hits: z.int() })
const maxUses = 2_000
const storedUseSchema = countSchema.extend({ name: z.string() })

/**
 * Counts of a data folder's processes, in SQLite: for restarts, for each other, and as users'
 * usage.
 */
export class SavedCounts {
  readonly #sql: SqlTemplates
  readonly #processId = randomUUID()
  #cleanedAt = 0
  /** First caller of the next part of daily counts to clean. */
  readonly #cleanFrom = new Map(['day', 'use'].map((policy) => [policy, '']))
  #reportedAt = 0

  constructor(dataDir: string, log: Logger) {
    this.#sql = new SqlTemplates(openCounts(dataDir, log))
    this.#sql.db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA secure_delete = ON`)
  }

  find(policy: string, caller: string, now: number, latestEnd: number): Count | undefined {
    const row = this.#sql.get`
      SELECT window_ends AS windowEnds, hits FROM counters
      WHERE policy = ${policy} AND caller = ${caller} AND window_ends > ${now} AND window_ends <= ${latestEnd}
      ORDER BY window_ends DESC LIMIT 1`
    return row && countSchema.parse(row)
  }

  #processes(now: number): number {
    const others = this.#sql.get`
      SELECT count(*) AS count FROM processes WHERE id <> ${this.#processId} AND seen_at > ${now - presence.expiryMs}`
    return 1 + Number(others?.count)
  }

  /** All counts, or none if it throws. */
  add(counts: readonly CountChange[], now: number): SharedTotals {
    const isDirty = now - this.#cleanedAt > cleanIntervalMs
    const mustReport = now - this.#reportedAt > presence.reportIntervalMs
    if (counts.length === 0 && !isDirty && !mustReport) return { totals: [], processes: this.#processes(now) }
    const shared = inTransaction(this.#sql.db, () => {
      const totals = counts.map((count) => this.#addOne(count, now))
      const processes = this.#processes(now)
      if (isDirty) this.#clean(now)
      if (mustReport) this.#reportPresence(now)
      return { totals, processes }
    })
    if (isDirty) this.#cleanedAt = now
    if (mustReport) this.#reportedAt = now
    return shared
  }

  #addOne({ policy, caller, windowEnds, latestEnd, known, amount }: CountChange, now: number): Count {
    if (amount === 0) return this.find(policy, caller, now, latestEnd) ?? { hits: known, windowEnds }
    // Adds to the saved window unless that of this count has ended.
    const row = this.#sql.get`
      INSERT INTO counters VALUES (${policy}, ${caller}, coalesce((SELECT max(window_ends) FROM counters WHERE policy = ${policy}
        AND caller = ${caller} AND window_ends > ${now} AND window_ends <= ${latestEnd} AND ${windowEnds} > ${now}), ${windowEnds}), ${amount})
      ON CONFLICT DO UPDATE SET hits = hits + excluded.hits RETURNING window_ends AS windowEnds, hits`
    return countSchema.parse(row)
  }

  #reportPresence(now: number): void {
    this.#sql.run`
      INSERT INTO processes VALUES (${this.#processId}, ${now}) ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at`
  }

  #clean(now: number): void {
    // As ranges of the key: to look at all counts of days and uses would take too long.
    this.#sql.run`
      DELETE FROM counters
      WHERE (policy < 'day' OR (policy > 'day' AND policy < 'use') OR policy > 'use') AND window_ends < ${now}`
    for (const [policy, from] of this.#cleanFrom) {
      const row = this.#sql.get`
        SELECT caller FROM counters WHERE policy = ${policy} AND caller >= ${from} ORDER BY caller LIMIT 1 OFFSET ${cleanedRows}`
      const to = row ? String(row.caller) : endOfNames
      this.#sql.run`
        DELETE FROM counters WHERE policy = ${policy} AND caller >= ${from} AND caller < ${to} AND window_ends < ${now}
          AND NOT (caller LIKE 'account %' AND window_ends > ${now - retentionDays * msPerDay})`
      this.#cleanFrom.set(policy, to === endOfNames ? '' : to)
    }
    this.#sql.run`DELETE FROM processes WHERE seen_at <= ${now - presence.expiryMs}`
  }

  dailyUsage(accountId: number): Count[] {
    const rows = this.#sql.all`
      SELECT window_ends AS windowEnds, hits FROM counters WHERE policy = 'day' AND caller = ${accountCaller(accountId)}
      ORDER BY window_ends DESC`
    return z.array(countSchema).parse(rows)
  }

  /** The newest `maxUses` of days that end after `after` (ms since 1970). */
  listUses(accountId: number, after: number): Use[] {
    const { from, to } = namesBelow(accountId)
    const rows = this.#sql.all`
      SELECT window_ends AS windowEnds, hits, substr(caller, ${from.length + 1}) AS name FROM counters
      WHERE policy = 'use' AND caller >= ${from} AND caller < ${to} AND window_ends > ${after}
      ORDER BY window_ends DESC, hits DESC, caller LIMIT ${maxUses}`
    return z
      .array(storedUseSchema)
      .parse(rows)
      .map(({ windowEnds, hits, name }) => {
        const [key = '', ...endpoint] = name.split(' ')
        return { windowEnds, hits, key: key === noKey ? null : key, endpoint: endpoint.join(' ') }
      })
  }

  forget(accountId: number, policies: readonly string[]): void {
    // As ranges of the key: to look at all counts takes too long.
    for (const policy of policies)
      this.#sql.run`
        DELETE FROM counters WHERE policy = ${policy} AND caller >= ${accountCaller(accountId)} AND caller < ${namesBelow(accountId).to}`
    this.#sql.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  close(): void {
    try {
      this.#sql.run`DELETE FROM processes WHERE id = ${this.#processId}`
    } catch {
      // Locked file or full disk: the entry expires.
    }
    this.#sql.db.close()
  }
}

/** Names that continue an account's after a space; '!' follows space in ASCII. */
const namesBelow = (accountId: number) => ({ from: `${accountCaller(accountId)} `, to: `${accountCaller(accountId)}!` })

/** In memory if the data folder is unwritable. */
function openCounts(dataDir: string, log: Logger): DatabaseSync {
  try {
    return openDatabase(dataDir, 'limits', schema)
  } catch (err) {
    if (!isUnwritable(err)) throw err
    log.error({ err }, 'request counts cannot be saved: counting in memory')
    const database = new DatabaseSync(':memory:')
    for (const sql of schema) database.exec(sql)
    return database
  }
}
