import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseAge } from '#api/settings.ts'
import type { Generation } from '#sql/generation.ts'
import { recordFollowing } from '#state/following.ts'
import { readOperations, type StateOptions } from '#state/operational-state.ts'
import { type Run, RunJournal } from '#state/run-journal.ts'
import { recordAttempt } from '#state/source-attempts.ts'

const hour = 3_600_000
const day = 24 * hour
const now = Date.now()
const at = (instant: number): string => new Date(instant).toISOString()

const generation = (tipTime: number, changes: Partial<Generation> = {}): Generation => ({
  format: 1,
  id: 'one',
  inputs: '',
  created_at: at(tipTime),
  network: 'mainnet',
  genesis_hash: '',
  simulated: false,
  source: 'files',
  first_date: '2009-01-03',
  last_date: '2026-11-20',
  tip: { height: 1, hash: '', time: at(tipTime), work: '0', supply_sats: 1, utxo_count: 1 },
  prices: null,
  audit: { days: 1, blocks: 1, unclaimed_sats: 0, unspendable_sats: 0, node: null, milestones: [] },
  proof: { format: 1, network: 'mainnet', sha256: '0'.repeat(64), signature: null },
  proved: null,
  proved_coins: null,
  notes: [],
  attributions: [],
  tables: {},
  ...changes,
})
const prices = (lastDate: string): NonNullable<Generation['prices']> => ({
  source: 'kraken',
  first_date: '2013-01-01',
  last_date: lastDate,
  carried_days: 0,
  disagreeing_days: 0,
  worst_disagreement: null,
  unpriced: null,
  pricing: { setting: 'daily', hourly: null },
})

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-state-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const stateOf = (options: Partial<StateOptions> = {}) => {
  const served = 'served' in options ? options.served : generation(now - hour)
  return readOperations(dataDir, { maxAgeMs: 26 * hour, now, ...options, served }).state
}
const problemsOf = (options: Partial<StateOptions> = {}) => {
  const { status, problems } = stateOf(options)
  return [status, ...problems.map(({ code }) => code)]
}

/** Journals runs that ended one after the other, the last of them just now. */
function journal(...runs: readonly (readonly [job: string, outcome: 'ok' | 'failed', code?: string])[]): void {
  const opened = new RunJournal(dataDir)
  for (const [job, outcome, code = null] of runs) opened.end(opened.begin(job), outcome, null, code)
  opened.close()
}

function planUpdate(due: number): void {
  const opened = new RunJournal(dataDir)
  opened.setDue('update', due)
  opened.close()
}

describe('the operational state', () => {
  it('is ok where the data are new and nothing failed', () => {
    journal(['update', 'ok'], ['fetch', 'ok'])
    planUpdate(now + hour)
    const { status, problems, last_update, last_success, next_update } = stateOf()
    expect([status, problems]).toEqual(['ok', []])
    expect(last_update).toMatchObject({ outcome: 'ok', code: null, seconds: 0 })
    expect(last_success).toBe(last_update?.ended_at)
    expect(next_update).toBe(at(now + hour))
  })

  it.each([
    ['nothing is published', undefined, ['data_not_ready', 'nothing_published']],
    ['what is published cannot be opened', 'damaged', ['data_not_ready', 'generation_damaged']],
    ['the newest block is as old as may be', generation(now - 26 * hour), ['ok']],
    ['the newest block is older', generation(now - 26 * hour - 1), ['stale', 'tip_old']],
    ['the newest block is as far ahead as a node takes it', generation(now + 2 * hour), ['ok']],
    ['the newest block is further ahead', generation(now + 2 * hour + 1), ['degraded', 'clock_behind']],
    ['prices end two days before', generation(now, { prices: prices('2026-11-18') }), ['ok']],
    ['prices end three days before', generation(now, { prices: prices('2026-11-17') }), ['degraded', 'prices_old']],
    [
      'prices are far from those on the chain',
      generation(now, { prices: { ...prices('2026-11-18'), onchain_gap: 0.06 } }),
      ['degraded', 'prices_doubtful'],
    ],
    [
      'the disk has not twice the room of what is published',
      generation(now, { tables: { days: { rows: 1, bytes: 2 ** 52, sha256: '' } } }),
      ['degraded', 'disk_low'],
    ],
  ] as const)('where %s', (_, served, expected) => {
    expect(problemsOf({ served })).toEqual(expected)
  })

  it('where files of what is served are damaged', () => {
    expect(problemsOf({ damaged: ['flows'] })).toEqual(['failed', 'generation_damaged'])
  })

  it.each([
    [[['update', 'failed', 'disk_full']], ['failed', 'update_failed']],
    [[['compute', 'failed']], ['failed', 'update_failed']],
    [[['pull', 'failed', 'store_failed']], ['degraded', 'pull_failed']],
    [
      [
        ['update', 'failed', 'disk_full'],
        ['update', 'ok'],
      ],
      ['ok'],
    ],
    // It found another run at work, or was stopped with the service: the one before it counts.
    [
      [
        ['update', 'ok'],
        ['update', 'failed', 'data_folder_in_use'],
      ],
      ['ok'],
    ],
    [
      [
        ['update', 'failed', 'audit_failed'],
        ['update', 'failed', 'stopped'],
      ],
      ['failed', 'update_failed'],
    ],
    [[['fetch', 'failed', 'market_source_failed']], ['degraded', 'fetch_failed']],
    [[['snapshots', 'failed']], ['degraded', 'snapshots_failed']],
    [[['prove', 'failed', 'block_corrupt']], ['degraded', 'proof_failed']],
    [
      [
        ['fetch', 'failed'],
        ['update', 'failed'],
      ],
      ['failed', 'update_failed', 'fetch_failed'],
    ],
    [[['follow', 'failed', 'rpc_unreachable']], ['degraded', 'follow_failed']],
    [[['audit', 'failed', 'audit_failed']], ['failed', 'audit_failed']],
    [[['audit', 'failed', 'rpc_failed']], ['degraded', 'audit_failed']],
    [[['audit --coins', 'failed', 'invalid_argument']], ['ok']],
    // A file of the operator counts only once its coins were compared.
    [[['audit --file', 'failed', 'invalid_file']], ['ok']],
    [[['audit --file', 'failed', 'audit_failed']], ['failed', 'audit_failed']],
    [
      [
        ['audit --coins', 'failed', 'audit_failed'],
        ['audit --file', 'failed', 'wrong_chain'],
      ],
      ['failed', 'audit_failed'],
    ],
    [
      [
        ['audit --coins', 'failed', 'audit_failed'],
        ['audit --file', 'ok'],
      ],
      ['ok'],
    ],
    // One kind of audit says nothing of what the other found.
    [
      [
        ['audit --coins', 'failed', 'audit_failed'],
        ['audit', 'ok'],
      ],
      ['failed', 'audit_failed'],
    ],
    [
      [
        ['audit', 'failed', 'audit_failed'],
        ['audit --coins', 'ok'],
      ],
      ['failed', 'audit_failed'],
    ],
    [
      [
        ['audit', 'failed', 'audit_failed'],
        ['audit', 'ok'],
      ],
      ['ok'],
    ],
    // It neither repairs nor checks anything.
    [
      [
        ['audit', 'failed', 'audit_failed'],
        ['update', 'ok'],
      ],
      ['failed', 'audit_failed'],
    ],
  ] as const)('after runs %j', (runs, expected) => {
    journal(...runs)
    expect(problemsOf()).toEqual(expected)
  })

  it('says with which error the last update failed, and names no file', () => {
    const opened = new RunJournal(dataDir)
    opened.end(opened.begin('update'), 'failed', `no room left on the disk to write ${dataDir}`, 'disk_full')
    opened.close()
    const { problems, last_update } = stateOf()
    expect(problems[0]?.message).toMatch(/^the last update failed with disk_full; it began 2\d{3}-/)
    expect(last_update).toMatchObject({ outcome: 'failed', code: 'disk_full' })
    expect(JSON.stringify(problems)).not.toContain(dataDir)
  })

  it('says what the last audit found, without folders, until another generation is published', () => {
    const opened = new RunJournal(dataDir)
    const found = `the audit failed: ${dataDir}/published/one/days.parquet is missing, of 1/2 and a / b`
    opened.end(opened.begin('audit'), 'failed', found, 'audit_failed')
    opened.close()
    const [problem] = stateOf().problems
    expect(problem?.message).toMatch(
      /^the last audit failed with audit_failed; it began .*Z; the audit failed: days.parquet is missing, of 1\/2 and a \/ b$/,
    )
    expect(problem?.cure).toContain('coinstrata')
    const served = { ...generation(now - hour), created_at: at(Date.now() + 1) }
    expect(problemsOf({ served })).toEqual(['ok'])
  })

  it('goes on while an update runs after one that failed', () => {
    journal(['update', 'failed', 'rpc_failed'])
    const opened = new RunJournal(dataDir)
    opened.begin('update')
    opened.close()
    const { status, last_update } = stateOf()
    expect([status, last_update?.outcome]).toEqual(['failed', 'running'])
  })

  it('has the reported progress of an update while it runs', () => {
    const progress = { step: 'reading blocks', share: 0.5 }
    const run = { job: 'update', endedAt: null, outcome: 'running', message: null, code: null, progress } as const
    const recentRuns = [{ ...run, startedAt: Date.now() - 5 }]
    const opened = new RunJournal(dataDir)
    const number = opened.begin('update')
    expect(stateOf({ recentRuns }).last_update).toMatchObject({ outcome: 'running', progress })
    expect(stateOf().last_update).toMatchObject({ outcome: 'running', progress: null })
    opened.end(number, 'ok', null)
    opened.close()
    expect(stateOf({ recentRuns }).last_update).toMatchObject({ outcome: 'ok', progress: null })
  })

  it.each([
    [-hour, ['ok']],
    [hour, ['ok']],
    [2 * hour + 1, ['stale', 'update_overdue']],
  ])('where an update was due %d ms ago', (late, expected) => {
    planUpdate(now - late)
    expect(problemsOf()).toEqual(expected)
  })

  it.each([
    ['failed, three days after its last answer', 'failed', 3 * day + 1, 0, ['degraded', 'market_source_silent']],
    ['failed, and answered lately', 'failed', 3 * day, 0, ['ok']],
    ['is not asked any more', 'failed', 9 * day, 3 * day, ['ok']],
    ['does not serve this country', 'blocked', 9 * day, 0, ['ok']],
  ] as const)('where a source %s', (_, outcome, answered, asked, expected) => {
    recordAttempt(dataDir, 'kraken', { at: now - answered, outcome: 'ok' })
    recordAttempt(dataDir, 'kraken', { at: now - asked, outcome })
    expect(problemsOf()).toEqual(expected)
  })

  it.each([
    ['as far ahead as may be', [-600_000], 0, ['ok']],
    ['further ahead', [-600_001], 0, ['degraded', 'clock_ahead']],
    ['behind', [600_001, 600_001, 600_001], 0, ['degraded', 'clock_behind']],
    ['ahead of one source of three', [-hour, 0, 1000], 0, ['ok']],
    ['ahead of two sources of three', [-hour, -hour, 0], 0, ['degraded', 'clock_ahead']],
    ['said to have been ahead days ago', [-hour], 2 * day, ['ok']],
    ['set back since', [-hour], -hour, ['ok']],
  ] as const)('where the clock is %s', (_, aheadMs, ago, expected) => {
    for (const [i, clockAheadMs] of aheadMs.entries()) {
      recordAttempt(dataDir, `source${i}`, { at: now - ago, outcome: 'ok', clockAheadMs })
    }
    expect(problemsOf()).toEqual(expected)
  })

  it.each([
    ['does not answer for a minute', now - 60_000, true, ['ok']],
    ['does not answer for longer', now - 60_001, true, ['degraded', 'node_unreachable']],
    ['answers', null, true, ['ok']],
    ['is not followed any more', now - hour, false, ['ok']],
  ] as const)('where the node %s', (_, unreachableSince, isFollowed, expected) => {
    recordFollowing(dataDir)({ unreachableSince })
    const opened = new RunJournal(dataDir)
    const run = opened.begin('follow')
    if (!isFollowed) opened.end(run, 'failed', null, 'stopped')
    opened.close()
    expect(problemsOf()).toEqual(expected)
  })

  it.each([
    ['ended with a failure', 'wrong_chain', 0, ['degraded', 'follow_failed']],
    ['ended with another one before it', 'data_folder_in_use', 0, ['degraded', 'follow_failed']],
    ['was stopped', 'stopped', 0, ['ok']],
    ['failed long ago', 'wrong_chain', 20 * 60_000 + 1, ['ok']],
  ] as const)('where the follower %s', (_, code, ago, expected) => {
    const endedAt = now - ago
    const failed: Run = { job: 'follow', startedAt: endedAt, endedAt, outcome: 'failed', message: null, code }
    expect(problemsOf({ recentRuns: [failed] })).toEqual(expected)
    const running: Run = { ...failed, startedAt: endedAt + 1, endedAt: null, outcome: 'running', code: null }
    expect(problemsOf({ recentRuns: [failed, running] })).toEqual(['ok'])
  })

  it('knows of failures that no journal could take', () => {
    journal(['update', 'ok'])
    const failed: Run = {
      job: 'update',
      startedAt: Date.now() + 1,
      endedAt: Date.now() + 2,
      outcome: 'failed',
      message: null,
      code: 'disk_full',
    }
    expect(problemsOf({ recentRuns: [failed] })).toEqual(['failed', 'update_failed'])
    const before = { ...failed, startedAt: now - day, endedAt: now - day }
    expect(problemsOf({ recentRuns: [before] })).toEqual(['ok'])
  })

  it('is told while another process holds the journal, or it is damaged', () => {
    journal(['update', 'failed'])
    const file = path.join(dataDir, 'state', 'runs.db')
    const holder = new DatabaseSync(file)
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    const begin = performance.now()
    expect(problemsOf()).toEqual(['degraded', 'journal_unreadable'])
    // Requests wait for it.
    expect(performance.now() - begin).toBeLessThan(2_000)
    holder.close()
    writeFileSync(file, 'not a database')
    expect(problemsOf()).toEqual(['degraded', 'journal_unreadable'])
  })
})

it.each([
  ['90m', 5_400_000],
  ['26h', 93_600_000],
  ['2d', 172_800_000],
])('%s is %d milliseconds', (age, expected) => expect(parseAge(age)).toBe(expected))
