import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { millisecondsPerDay } from '#root/days.ts'
import type { Logger } from '#root/log.ts'
import { isUnwritable, openState } from '../accounts/database.ts'

const migrations = [
  `CREATE TABLE counters (
     policy TEXT NOT NULL,
     caller TEXT NOT NULL,
     window_ends INTEGER NOT NULL,
     hits INTEGER NOT NULL,
     PRIMARY KEY (policy, caller, window_ends)
   ) STRICT, WITHOUT ROWID;`,
]

/** How long a crash may forget what was counted. */
const savedEvery = 1_000
/** Rows of usage in an answer; the newest. */
const mostUses = 10_000
/** Daily counts of accounts are kept for people to look at their usage; addresses are forgotten with their window. */
const daysKept = 90
const cleanedEvery = 60_000
/** While a save waits for another process, no request is answered. */
const longestWait = 50
/** A window that ends later than a new one would was begun before the clock was set back, and no longer holds. */
const clockTolerance = 60_000

/** Caller by which an account's requests are counted. */
export const accountCaller = (id: number): string => `account ${id}`

/** By which the use of a key for an endpoint is counted; without a key that of a browser. */
export const useOf = (accountId: number, keyId: string | undefined, endpoint: string): string =>
  `${accountCaller(accountId)} ${keyId ?? noKey} ${endpoint}`
const noKey = '-'

/** Requests of a key (null: of browsers) to an endpoint, on the day that ends then (milliseconds since 1970). */
export interface Use {
  readonly windowEnds: number
  readonly hits: number
  readonly key: string | null
  readonly endpoint: string
}

const endOfDay = (now: number): number => now - (now % millisecondsPerDay) + millisecondsPerDay

/** What was counted in a window that ends then (milliseconds since 1970); it goes on to be counted. */
export interface Count {
  readonly hits: number
  readonly windowEnds: number
}

interface Counter extends Count {
  readonly caller: string
  hits: number
  unsaved: number
}

const storedSchema = z.object({ window_ends: z.int(), hits: z.int() })
const storedUseSchema = storedSchema.extend({ name: z.string() })

/**
 * Counters of requests in fixed windows, in memory; what changed is written to disk every second and at the end. Where
 * that fails (a full disk), requests are counted in memory on, and it is tried again a second later.
 */
export class Counters {
  readonly #database: DatabaseSync
  readonly #log: Logger
  readonly #policies: PolicyCounters[] = []
  readonly #timer: NodeJS.Timeout
  #cleanedAt = 0
  #isFailing = false

  constructor(dataDir: string, log: Logger) {
    this.#database = openCounts(dataDir, log)
    this.#database.exec(`PRAGMA busy_timeout = ${longestWait}`)
    this.#log = log
    this.#timer = setInterval(() => this.save(), savedEvery).unref()
  }

  /** Windows of a minute that begin with a caller's first request. */
  perMinute(): PolicyCounters {
    return this.#add(new PolicyCounters(this.#database, 'minute', (now) => now + 60_000))
  }

  /** Days of UTC. */
  perDay(): PolicyCounters {
    return this.#add(new PolicyCounters(this.#database, 'day', endOfDay))
  }

  /** Windows of so many milliseconds that begin with the first event. */
  perWindow(policy: string, length: number): PolicyCounters {
    return this.#add(new PolicyCounters(this.#database, policy, (now) => now + length))
  }

  /** Days of UTC, in which the uses of accounts are counted by key and endpoint; kept for as long as their sums. */
  uses(): PolicyCounters {
    return this.#add(new PolicyCounters(this.#database, 'use', endOfDay))
  }

  /** Requests of an account by the end of the day (UTC), newest first. */
  dailyUsage(accountId: number): { readonly windowEnds: number; readonly hits: number }[] {
    this.save()
    const rows = this.#database
      .prepare(`SELECT window_ends, hits FROM counters WHERE policy = 'day' AND caller = ? ORDER BY window_ends DESC`)
      .all(accountCaller(accountId))
    return z
      .array(storedSchema)
      .parse(rows)
      .map(({ window_ends, hits }) => ({ windowEnds: window_ends, hits }))
  }

  /** The same by key and endpoint; of the days after a time (milliseconds since 1970) only. */
  usesOf(accountId: number, after = 0): Use[] {
    this.save()
    const prefix = `${accountCaller(accountId)} `
    const rows = this.#database
      .prepare(
        `SELECT window_ends, hits, substr(caller, $begin) AS name FROM counters
         WHERE policy = 'use' AND caller >= $from AND caller < $to AND window_ends > $after
         ORDER BY window_ends DESC, hits DESC, caller LIMIT ${mostUses}`,
      )
      // '!' comes after the space.
      .all({ begin: prefix.length + 1, from: prefix, to: `${accountCaller(accountId)}!`, after })
    return z
      .array(storedUseSchema)
      .parse(rows)
      .map(({ window_ends, hits, name }) => {
        const [key = '', ...endpoint] = name.split(' ')
        return { windowEnds: window_ends, hits, key: key === noKey ? null : key, endpoint: endpoint.join(' ') }
      })
  }

  /** Forgets all that was counted of an account. */
  forget(accountId: number): void {
    for (const policy of this.#policies) policy.forget(accountCaller(accountId))
    this.save()
    this.#database
      .prepare('DELETE FROM counters WHERE caller = $name OR (caller >= $from AND caller < $to)')
      .run({ name: accountCaller(accountId), from: `${accountCaller(accountId)} `, to: `${accountCaller(accountId)}!` })
  }

  save(): void {
    try {
      this.#write(Date.now())
      this.#isFailing = false
    } catch (err) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      if (!this.#isFailing) this.#log.error({ err }, 'counts of requests cannot be saved; they are kept in memory')
      this.#isFailing = true
    }
  }

  #write(now: number): void {
    this.#database.exec('BEGIN IMMEDIATE')
    for (const policy of this.#policies) policy.write()
    const isDirty = now - this.#cleanedAt > cleanedEvery
    if (isDirty) {
      this.#database
        .prepare(
          `DELETE FROM counters
           WHERE window_ends < $now
             AND NOT (policy IN ('day', 'use') AND caller LIKE 'account %' AND window_ends > $oldest)`,
        )
        .run({ now, oldest: now - daysKept * millisecondsPerDay })
    }
    this.#database.exec('COMMIT')
    for (const policy of this.#policies) policy.written(now)
    if (isDirty) this.#cleanedAt = now
  }

  close(): void {
    clearInterval(this.#timer)
    this.save()
    this.#database.close()
  }

  #add(policy: PolicyCounters): PolicyCounters {
    this.#policies.push(policy)
    return policy
  }
}

/** Where nothing can be written, requests are counted from nought on. */
function openCounts(dataDir: string, log: Logger): DatabaseSync {
  try {
    return openState(dataDir, 'limits', migrations)
  } catch (err) {
    if (!isUnwritable(err)) throw err
    log.error({ err }, 'counts of requests cannot be saved; they are kept in memory')
    const database = new DatabaseSync(':memory:')
    for (const step of migrations) database.exec(step)
    return database
  }
}

/** The counters of one policy. */
export class PolicyCounters {
  readonly #name: string
  readonly #endOfWindow: (now: number) => number
  readonly #counters = new Map<string, Counter>()
  /** Those that are not written yet, also when their window is over. */
  readonly #changed = new Set<Counter>()
  readonly #lookUp: StatementSync
  readonly #add: StatementSync

  constructor(database: DatabaseSync, name: string, endOfWindow: (now: number) => number) {
    this.#name = name
    this.#endOfWindow = endOfWindow
    this.#lookUp = database.prepare(
      `SELECT window_ends, hits FROM counters WHERE policy = ? AND caller = ? AND window_ends > ? AND window_ends <= ?
       ORDER BY window_ends DESC LIMIT 1`,
    )
    this.#add = database.prepare(
      `INSERT INTO counters (policy, caller, window_ends, hits) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET hits = hits + excluded.hits`,
    )
  }

  increment(caller: string): Count {
    return this.#change(caller, 1)
  }

  decrement(caller: string): Count {
    return this.#change(caller, -1)
  }

  get(caller: string): Count {
    return this.#change(caller, 0)
  }

  /** Drops what is held of a caller in memory, also where more follows its name after a space. */
  forget(caller: string): void {
    const isOf = (name: string): boolean => name === caller || name.startsWith(`${caller} `)
    for (const name of this.#counters.keys()) if (isOf(name)) this.#counters.delete(name)
    for (const counter of this.#changed) if (isOf(counter.caller)) this.#changed.delete(counter)
  }

  /** Writes what changed, within the transaction of the caller. */
  write(): void {
    for (const { caller, windowEnds, unsaved } of this.#changed) {
      if (unsaved !== 0) this.#add.run(this.#name, caller, windowEnds, unsaved)
    }
  }

  /** What `write` wrote is safe. */
  written(now: number): void {
    for (const counter of this.#changed) counter.unsaved = 0
    this.#changed.clear()
    for (const [caller, counter] of this.#counters) if (!this.#holds(counter, now)) this.#counters.delete(caller)
  }

  #change(caller: string, by: number): Count {
    const counter = this.#current(caller)
    counter.hits += by
    counter.unsaved += by
    if (by !== 0) this.#changed.add(counter)
    return counter
  }

  #current(caller: string): Counter {
    const now = Date.now()
    const known = this.#counters.get(caller)
    if (known && this.#holds(known, now)) return known
    const row = this.#lookUp.get(this.#name, caller, now, this.#latestEnd(now))
    const stored = row && storedSchema.parse(row)
    const counter = stored
      ? { caller, hits: stored.hits, unsaved: 0, windowEnds: stored.window_ends }
      : { caller, hits: 0, unsaved: 0, windowEnds: this.#endOfWindow(now) }
    this.#counters.set(caller, counter)
    return counter
  }

  #holds({ windowEnds }: Counter, now: number): boolean {
    return windowEnds > now && windowEnds <= this.#latestEnd(now)
  }

  #latestEnd(now: number): number {
    return this.#endOfWindow(now) + clockTolerance
  }
}
