import { type Run, readRunJournal } from '#state/run-journal.ts'
import { duration } from './numbers.ts'

const runsShown = 3

/** The last runs of each command and when the next ones are due, as lines of `coinstrata status`. */
export function describeRuns(dataDir: string, now = Date.now()): string[] {
  const found = readRunJournal(dataDir, (journal) => ({ runs: journal.newest(runsShown), due: [...journal.due()] }))
  if (!found) return []
  return [
    ...found.runs.map((run) => `run         ${describeRun(run, now)}`),
    ...found.due.map(([job, at]) => `next        ${job.padEnd(9)}  ${describeDue(at, now)}`),
  ]
}

function describeRun({ job, startedAt, endedAt, outcome, message }: Run, now: number): string {
  const length = (endedAt ?? now) - startedAt
  const took = outcome === 'running' || endedAt !== null ? ` ${duration(length / 1000)}` : ''
  return `${job.padEnd(9)}  ${minute(startedAt)}  ${outcome}${took}${message === null ? '' : `: ${message}`}`
}

const describeDue = (at: number, now: number): string =>
  at > now ? minute(at) : `was due ${minute(at)}: "coinstrata start" makes it up`

const minute = (instant: number): string => `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`
