import { existsSync, mkdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { hasErrorCode } from '#base/errors.ts'
import { openIntact, SqlTemplates } from './open-database.ts'

/** Run of a command that writes to the data folder; times in ms since 1970. */
export const runSchema = z.object({
  job: z.string(),
  startedAt: z.number(),
  /** Null while it runs or if it was killed. */
  endedAt: z.number().nullable(),
  outcome: z.enum(['running', 'ok', 'failed']),
  /** Error, or remark about a success. */
  message: z.string().nullable(),
  code: z.string().nullable(),
  /** Reported while it runs, not recorded. */
  progress: z.object({ step: z.string(), share: z.number().nullable() }).optional(),
})
export type Run = z.infer<typeof runSchema>

const maxRuns = 1_000
const busyTimeoutMs = 10_000
const killed = 'it was killed, or the machine stopped'

const rowSchema = runSchema.extend({
  outcome: z.enum(['ok', 'failed']).nullable(),
  pid: z.number(),
  host: z.string(),
  age: z.number(),
})

/** Runs, their outcomes, and when the next are due. Several processes may use it. */
export class RunJournal {
  readonly #sql: SqlTemplates

  /** Creates missing tables and replaces a damaged file, unless `readOnly`. */
  constructor(dataDir: string, { readOnly = false, timeoutMs = busyTimeoutMs } = {}) {
    const file = journalFile(dataDir)
    if (readOnly) {
      this.#sql = new SqlTemplates(new DatabaseSync(file, { readOnly, timeout: timeoutMs }))
      return
    }
    mkdirSync(path.dirname(file), { recursive: true })
    const database = openIntact(file, timeoutMs)
    this.#sql = new SqlTemplates(database)
    database.exec(
      `CREATE TABLE IF NOT EXISTS runs (
         id INTEGER PRIMARY KEY, job TEXT NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER,
         outcome TEXT, message TEXT, code TEXT, pid INTEGER NOT NULL, host TEXT NOT NULL
       ) STRICT;
       CREATE TABLE IF NOT EXISTS due (job TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT`,
    )
  }

  /** False while another process creates the tables. */
  get hasTables(): boolean {
    return this.#sql.get`SELECT 1 FROM sqlite_schema WHERE name = 'due'` !== undefined
  }

  /** Returns the run's number. */
  begin(job: string): number | bigint {
    const { lastInsertRowid } = this.#sql.run`
      INSERT INTO runs (job, started_at, pid, host) VALUES (${job}, ${Date.now()}, ${process.pid}, ${os.hostname()})`
    this.#sql.run`DELETE FROM runs WHERE id <= (SELECT id FROM runs ORDER BY id DESC LIMIT 1 OFFSET ${maxRuns})`
    return lastInsertRowid
  }

  end(run: number | bigint, outcome: 'ok' | 'failed', message: string | null, code: string | null = null): void {
    this.#sql.run`
      UPDATE runs SET ended_at = ${Date.now()}, outcome = ${outcome}, message = ${message}, code = ${code}
      WHERE id = ${run}`
  }

  /** Ends the run of a process that exited without doing so. */
  endRunOf(pid: number, message: string, code: string | null = null): void {
    this.#sql.run`
      UPDATE runs SET ended_at = ${Date.now()}, outcome = 'failed', message = ${message}, code = ${code}
      WHERE pid = ${pid} AND host = ${os.hostname()} AND ended_at IS NULL`
  }

  /** Newest first, `perJob` of each job. */
  newest(perJob: number): Run[] {
    const rows = this.#sql.all`
      SELECT *, started_at AS startedAt, ended_at AS endedAt FROM (
        SELECT *, row_number() OVER (PARTITION BY job ORDER BY id DESC) AS age FROM runs
      ) WHERE age <= ${perJob} ORDER BY id DESC`
    return z.array(rowSchema).parse(rows).map(toRun)
  }

  /** Killed runs of a job that began at or after an instant. */
  killedSince(job: string, instant: number): number {
    const found = this.#sql.get`
      SELECT count(*) AS killed FROM runs WHERE job = ${job} AND started_at >= ${instant} AND ended_at IS NULL`
    return z.object({ killed: z.number() }).parse(found).killed
  }

  due(): ReadonlyMap<string, number> {
    const rows = z
      .array(z.object({ job: z.string(), at: z.number() }))
      .parse(this.#sql.all`SELECT job, at FROM due ORDER BY at`)
    return new Map(rows.map(({ job, at }) => [job, at]))
  }

  /** `undefined` removes the planned run. */
  setDue(job: string, at: number | undefined): void {
    if (at === undefined) this.#sql.run`DELETE FROM due WHERE job = ${job}`
    else this.#sql.run`INSERT OR REPLACE INTO due (job, at) VALUES (${job}, ${at})`
  }

  close(): void {
    this.#sql.db.close()
  }

  readonly [Symbol.dispose] = this.close
}

/** Removes running runs from a copy, where nothing will end them. */
export function forgetUnendedRuns(copy: string): void {
  using database = new DatabaseSync(copy)
  database.exec('DELETE FROM runs WHERE ended_at IS NULL')
}

/**
 * Reads a data folder's journal without write access; `undefined` if there is none. Fails if locked
 * for longer.
 */
export function readRunJournal<T>(
  dataDir: string,
  read: (journal: RunJournal) => T,
  timeoutMs = busyTimeoutMs,
): T | undefined {
  if (!existsSync(journalFile(dataDir))) return undefined
  using journal = new RunJournal(dataDir, { readOnly: true, timeoutMs })
  return journal.hasTables ? read(journal) : undefined
}

const journalFile = (dataDir: string): string => path.join(dataDir, 'state', 'runs.db')

function toRun({ pid, host, age, outcome, ...run }: z.infer<typeof rowSchema>): Run {
  if (outcome !== null) return { ...run, outcome }
  // Only its own machine knows if a process lives; elsewhere, a later run shows that one ended.
  const gone = host === os.hostname() ? !isAlive(pid) : age > 1
  return gone ? { ...run, outcome: 'failed', message: killed } : { ...run, outcome: 'running', message: null }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It belongs to another user.
    return hasErrorCode(error, 'EPERM')
  }
}
