import { existsSync, mkdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'

/** One run of a command that writes to the data folder; instants in milliseconds since 1970. */
export interface Run {
  readonly job: string
  readonly startedAt: number
  /** Unknown while it is running, and where it was killed. */
  readonly endedAt: number | null
  readonly outcome: 'running' | 'ok' | 'failed'
  /** What went wrong, or what is worth knowing of a run that went well. */
  readonly message: string | null
}

const runsKept = 1_000
const killed = 'it was killed, or the machine stopped'

const row = z.object({
  job: z.string(),
  started_at: z.number(),
  ended_at: z.number().nullable(),
  outcome: z.enum(['ok', 'failed']).nullable(),
  message: z.string().nullable(),
  pid: z.number(),
  host: z.string(),
})

/** Remembers which runs there were, how they ended, and when the next ones are due. Several processes may use it at once. */
export class RunJournal {
  readonly #database: DatabaseSync

  /** @param dataDir the data folder, in which it is created */
  constructor(dataDir: string) {
    mkdirSync(path.dirname(journalFile(dataDir)), { recursive: true })
    this.#database = new DatabaseSync(journalFile(dataDir), { timeout: 10_000 })
    this.#database.exec(
      `CREATE TABLE IF NOT EXISTS runs (
         id INTEGER PRIMARY KEY, job TEXT NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER,
         outcome TEXT, message TEXT, pid INTEGER NOT NULL, host TEXT NOT NULL
       ) STRICT;
       CREATE TABLE IF NOT EXISTS due (job TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT`,
    )
  }

  /** Notes that this process begins a run, and returns its number. */
  begin(job: string): number | bigint {
    const begun = this.#database
      .prepare('INSERT INTO runs (job, started_at, pid, host) VALUES (?, ?, ?, ?)')
      .run(job, Date.now(), process.pid, os.hostname())
    this.#database
      .prepare('DELETE FROM runs WHERE id <= (SELECT id FROM runs ORDER BY id DESC LIMIT 1 OFFSET ?)')
      .run(runsKept)
    return begun.lastInsertRowid
  }

  end(run: number | bigint, outcome: 'ok' | 'failed', message: string | null): void {
    this.#database
      .prepare('UPDATE runs SET ended_at = ?, outcome = ?, message = ? WHERE id = ?')
      .run(Date.now(), outcome, message, run)
  }

  /** Ends the run of a process of this machine that ended without doing so. */
  endFor(pid: number, message: string): void {
    this.#database
      .prepare(
        `UPDATE runs SET ended_at = ?, outcome = 'failed', message = ? WHERE pid = ? AND host = ? AND ended_at IS NULL`,
      )
      .run(Date.now(), message, pid, os.hostname())
  }

  /** The newest runs of each job, newest first. */
  newest(perJob: number): Run[] {
    const rows = this.#database
      .prepare(
        `SELECT job, started_at, ended_at, outcome, message, pid, host, age FROM (
           SELECT *, row_number() OVER (PARTITION BY job ORDER BY id DESC) AS age FROM runs
         ) WHERE age <= ? ORDER BY id DESC`,
      )
      .all(perJob)
    return z
      .array(row.extend({ age: z.number() }))
      .parse(rows)
      .map((read) => runOf(read, read.age > 1))
  }

  /** How many runs of a job began at or after an instant and were killed. */
  killedSince(job: string, instant: number): number {
    const rows = this.#database
      .prepare('SELECT count(*) AS killed FROM runs WHERE job = ? AND started_at >= ? AND ended_at IS NULL')
      .all(job, instant)
    return z.tuple([z.object({ killed: z.number() })]).parse(rows)[0].killed
  }

  /** When the next runs are planned, by job. */
  due(): ReadonlyMap<string, number> {
    const rows = this.#database.prepare('SELECT job, at FROM due ORDER BY at').all()
    return new Map(
      z
        .array(z.object({ job: z.string(), at: z.number() }))
        .parse(rows)
        .map(({ job, at }) => [job, at]),
    )
  }

  /** Plans the next run of a job; without an instant there is none. */
  setDue(job: string, at: number | undefined): void {
    if (at === undefined) this.#database.prepare('DELETE FROM due WHERE job = ?').run(job)
    else this.#database.prepare('INSERT OR REPLACE INTO due (job, at) VALUES (?, ?)').run(job, at)
  }

  close(): void {
    this.#database.close()
  }
}

/** What `read` finds in the journal of a data folder; `undefined` where there is none yet. */
export function readRunJournal<T>(dataDir: string, read: (journal: RunJournal) => T): T | undefined {
  if (!existsSync(journalFile(dataDir))) return undefined
  const journal = new RunJournal(dataDir)
  try {
    return read(journal)
  } finally {
    journal.close()
  }
}

const journalFile = (dataDir: string): string => path.join(dataDir, 'state', 'runs.db')

function runOf(
  { job, started_at, ended_at, outcome, message, pid, host }: z.infer<typeof row>,
  replaced: boolean,
): Run {
  const run = { job, startedAt: started_at, endedAt: ended_at }
  if (outcome !== null) return { ...run, outcome, message }
  // Only its own machine knows whether a process is still there; a later run tells that it is not running elsewhere.
  const gone = host === os.hostname() ? !isAlive(pid) : replaced
  return gone ? { ...run, outcome: 'failed', message: killed } : { ...run, outcome: 'running', message: null }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's process is there, but may not be asked.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
