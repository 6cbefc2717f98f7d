import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { RunJournal, readRunJournal } from '#state/run-journal.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-journal-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const withJournal = <T>(work: (journal: RunJournal) => T): T => {
  const journal = new RunJournal(dataDir)
  try {
    return work(journal)
  } finally {
    journal.close()
  }
}

/** Begins a run in another process, which then ends without a word. */
function beginAndDie(job: string): number {
  const program = new URL('../../state/run-journal.ts', import.meta.url).href
  const code = `import { RunJournal } from '${program}'; new RunJournal('${dataDir}').begin('${job}'); process.exit(0)`
  const { pid, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code])
  if (status !== 0) throw new Error(String(stderr))
  return pid
}

it('knows how runs ended, the newest of each job first', () => {
  withJournal((journal) => {
    journal.end(journal.begin('update'), 'ok', null)
    journal.end(journal.begin('snapshots'), 'ok', 'bybit blocked')
    journal.end(journal.begin('update'), 'failed', 'the node is away')
    journal.end(journal.begin('update'), 'ok', null)
  })
  const runs = readRunJournal(dataDir, (journal) => journal.newest(2)) ?? []
  expect(runs.map(({ job, outcome, message }) => [job, outcome, message])).toEqual([
    ['update', 'ok', null],
    ['update', 'failed', 'the node is away'],
    ['snapshots', 'ok', 'bybit blocked'],
  ])
  for (const { startedAt, endedAt } of runs) {
    expect(startedAt).toBeLessThanOrEqual(Date.now())
    expect(endedAt).toBeGreaterThanOrEqual(startedAt)
  }
})

it('tells what is running from what was killed', () => {
  beginAndDie('update')
  withJournal((journal) => {
    journal.begin('fetch')
    expect(journal.newest(1)).toMatchObject([
      { job: 'fetch', outcome: 'running', endedAt: null },
      { job: 'update', outcome: 'failed', endedAt: null, message: 'it was killed, or the machine stopped' },
    ])
  })
})

it('lets a parent end the run of its killed child, and no other', () => {
  const pid = beginAndDie('update')
  withJournal((journal) => {
    journal.end(journal.begin('update'), 'ok', null)
    journal.endRunOf(pid, 'it was ended by SIGKILL')
    expect(journal.newest(2)).toMatchObject([
      { outcome: 'ok', message: null },
      { outcome: 'failed', message: 'it was ended by SIGKILL', endedAt: expect.any(Number) },
    ])
  })
})

it('counts the runs of a job that were cut off since an instant', () => {
  const before = Date.now()
  beginAndDie('update')
  beginAndDie('update')
  beginAndDie('snapshots')
  withJournal((journal) => {
    journal.end(journal.begin('update'), 'failed', 'the node is away')
    expect(journal.killedSince('update', before)).toBe(2)
    expect(journal.killedSince('update', Date.now() + 1)).toBe(0)
  })
})

it('forgets runs of long ago', () => {
  withJournal((journal) => journal.end(journal.begin('update'), 'ok', 'long ago'))
  const database = new DatabaseSync(path.join(dataDir, 'state', 'runs.db'))
  database.exec(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
     INSERT INTO runs (job, started_at, ended_at, outcome, pid, host) SELECT 'snapshots', n, n, 'ok', 1, '' FROM numbers`,
  )
  database.close()
  withJournal((journal) => {
    expect(journal.newest(2_000)).toHaveLength(1_001)
    journal.begin('snapshots')
    const runs = journal.newest(2_000)
    expect(runs).toHaveLength(1_000)
    expect(runs.map(({ message }) => message)).not.toContain('long ago')
  })
})

it('keeps when the next runs are due', () => {
  withJournal((journal) => {
    journal.setDue('update', 3_000)
    journal.setDue('snapshots', 2_000)
    journal.setDue('update', 4_000)
    journal.setDue('snapshots', undefined)
  })
  expect(readRunJournal(dataDir, (journal) => [...journal.due()])).toEqual([['update', 4_000]])
})

it('is not made by reading', () => {
  expect(readRunJournal(dataDir, (journal) => journal.newest(1))).toBeUndefined()
  rmSync(dataDir, { recursive: true })
  expect(readRunJournal(dataDir, (journal) => journal.newest(1))).toBeUndefined()
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-journal-'))
})

it('is no journal yet while another process makes its tables', () => {
  withJournal(() => {})
  const file = new DatabaseSync(path.join(dataDir, 'state', 'runs.db'))
  file.exec('DROP TABLE due')
  file.close()
  expect(readRunJournal(dataDir, (journal) => journal.due())).toBeUndefined()
  withJournal(() => {})
  expect(readRunJournal(dataDir, (journal) => journal.due())).toEqual(new Map())
})
