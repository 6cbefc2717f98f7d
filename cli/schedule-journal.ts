import type { Logger } from '#base/log.ts'
import { type Run, RunJournal, readRunJournal, runSchema } from '#state/run-journal.ts'

/**
 * Run journal of the schedule. Keeps unwritable records (full disk, read-only folder) in memory, so
 * that the schedule continues and the service reports failures.
 */
export class ScheduleJournal {
  readonly #dataDir: string
  readonly #log: Logger
  readonly #due = new Map<string, number | undefined>()
  readonly #recent = new Map<string, Run>()
  readonly #running = new Map<string, Run>()
  #isFailing = false

  constructor(dataDir: string, log: Logger) {
    this.#dataDir = dataDir
    this.#log = log
  }

  /** Each job's last run that ended since this process started, and those that report progress. */
  recentRuns(): readonly Run[] {
    return [...this.#recent.values(), ...this.#running.values()]
  }

  /** Undefined if the message is no run. */
  receive(message: unknown): Run | undefined {
    const { data: run } = runSchema.safeParse(message)
    if (run?.outcome === 'running') this.#running.set(run.job, run)
    else if (run) {
      this.#recent.set(run.job, run)
      this.#running.delete(run.job)
    }
    return run
  }

  /** Records an end that the process, started at `startedAt`, may not have reported. */
  recordExit(pid: number, job: string, startedAt: number, message: string, code: string | null): void {
    this.#running.delete(job)
    const heard = this.#recent.get(job)
    if (!heard || heard.startedAt < startedAt) {
      this.#recent.set(job, { job, startedAt, endedAt: Date.now(), outcome: 'failed', message, code })
    }
    this.#write((journal) => journal.endRunOf(pid, message, code))
  }

  due(job: string): number | undefined {
    if (this.#due.has(job)) return this.#due.get(job)
    return this.#read((journal) => journal.due().get(job))
  }

  setDue(job: string, at: number | undefined): void {
    this.#due.set(job, at)
    this.#write((journal) => journal.setDue(job, at))
  }

  killedSince(job: string, instant: number): number {
    return this.#read((journal) => journal.killedSince(job, instant)) ?? 0
  }

  /** True if the newest run of these jobs failed. */
  hasFailed(jobs: ReadonlySet<string>): boolean {
    const newest = this.#read((journal) => journal.newest(1).find(({ job }) => jobs.has(job)))
    return newest?.outcome === 'failed'
  }

  #read<T>(work: (journal: RunJournal) => T): T | undefined {
    try {
      return readRunJournal(this.#dataDir, work)
    } catch (err) {
      this.#log.error({ err }, 'the journal of runs cannot be read')
      return undefined
    }
  }

  #write(work: (journal: RunJournal) => void): void {
    try {
      using journal = new RunJournal(this.#dataDir)
      work(journal)
      this.#isFailing = false
    } catch (err) {
      if (!this.#isFailing) this.#log.error({ err }, 'cannot write to the journal of runs; it is kept in memory')
      this.#isFailing = true
    }
  }
}
