import { z } from 'zod'
import type { Logger } from '#base/log.ts'
import { type Run, RunJournal, readRunJournal } from '#state/run-journal.ts'

/** What a child process says of a run that it ended. */
const toldSchema = z.object({
  job: z.string(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  outcome: z.enum(['ok', 'failed']),
  message: z.string().nullable(),
  code: z.string().nullable(),
})

/**
 * The journal of runs as the schedule uses it. What cannot be written (a full disk, a folder that may only be read) is kept
 * in memory, so that the schedule goes on and the service still tells what failed.
 */
export class ScheduleJournal {
  readonly #dataDir: string
  readonly #log: Logger
  readonly #due = new Map<string, number | undefined>()
  readonly #recent = new Map<string, Run>()
  #isFailing = false

  constructor(dataDir: string, log: Logger) {
    this.#dataDir = dataDir
    this.#log = log
  }

  /** The last run of each job that ended while this process lived. */
  recent(): readonly Run[] {
    return [...this.#recent.values()]
  }

  /** Takes a message of a child process. */
  hear(message: unknown): void {
    const told = toldSchema.safeParse(message)
    if (told.success) this.#recent.set(told.data.job, told.data)
  }

  /** The process of a run ended, maybe without a word; `job` is what it was begun as, `startedAt` when. */
  endedSilently(pid: number, job: string, startedAt: number, message: string, code: string | null): void {
    const heard = this.#recent.get(job)
    if (!heard || heard.startedAt < startedAt) {
      this.#recent.set(job, { job, startedAt, endedAt: Date.now(), outcome: 'failed', message, code })
    }
    this.#write((journal) => journal.endFor(pid, message, code))
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
      const journal = new RunJournal(this.#dataDir)
      try {
        work(journal)
      } finally {
        journal.close()
      }
      this.#isFailing = false
    } catch (err) {
      if (!this.#isFailing) this.#log.error({ err }, 'cannot write to the journal of runs; it is kept in memory')
      this.#isFailing = true
    }
  }
}
