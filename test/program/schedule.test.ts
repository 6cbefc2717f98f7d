import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { ScheduleJournal } from '#root/cli/schedule-journal.ts'
import { readSettings } from '#root/config.ts'
import { RunJournal } from '#state/run-journal.ts'
import { serve } from '#test/api/support/test-server.ts'
import { coinstrata } from '#test/support/program.ts'
import {
  calls,
  claimMainnet,
  dataDir,
  due,
  folder,
  plan,
  publish,
  recordUpdatedWith,
  standIn,
  start,
  stopAll,
  until,
  useSchedules,
} from './support/schedules.ts'

useSchedules()

describe('the nightly run', () => {
  it('fetches before it updates, and a failing fetch does not stop the update', async () => {
    claimMainnet()
    start({ SNAPSHOT_SCHEDULE: 'off' }, { program: standIn(`if (command === 'fetch') process.exit(4)`) })
    await until(() => calls().includes('end update'))
    expect(calls()).toEqual(['begin fetch', 'begin update', 'end update'])
  })

  it('after an update by hand adds the market data only', async () => {
    claimMainnet()
    plan('update', Date.now() + 3_600_000)
    start({ SNAPSHOT_SCHEDULE: 'off' }, { updated: true, program: standIn() })
    await until(() => calls().includes('end compute'))
    expect(calls()).toEqual(['begin fetch', 'end fetch', 'begin compute', 'end compute'])
  })

  it('after an update by hand does nothing where there are no market data to be had', async () => {
    start({}, { updated: true, program: standIn() })
    await until(() => due().has('update') && due().has('snapshots'))
    expect(calls()).toEqual([])
  })

  it.each([
    ['of another network', 'all', () => {}],
    ['without sources', 'none', claimMainnet],
  ])('fetches nothing for a folder %s', async (_, sources, prepare) => {
    prepare()
    start({ MARKET_SOURCES: sources }, { program: standIn() })
    await until(() => due().has('update') && due().has('snapshots'))
    expect(calls()).toEqual(['begin update', 'end update'])
  })
})

describe('an update that is not due yet', () => {
  const quiet = { SNAPSHOT_SCHEDULE: 'off', MARKET_SOURCES: 'none' }
  const labels = () => path.join(dataDir, 'labels')
  const failed = (job: string): void => {
    using journal = new RunJournal(dataDir)
    journal.end(journal.begin(job), 'failed', '', 'wrong_network')
  }

  it.each<[string, Record<string, string>, () => void, boolean]>([
    ['nothing changed', {}, () => {}, false],
    ['the last fetch failed', {}, () => failed('fetch'), false],
    ['the password of the node changed', { BITCOIN_RPC_PASSWORD: 'new' }, () => {}, false],
    ['a setting of the service changed', { MAX_AGE: '1h' }, () => {}, false],
    ['a setting of updates changed', { PRICING: 'daily' }, () => {}, true],
    ['a list of labels changed', {}, () => writeFileSync(path.join(labels(), 'mine.csv'), 'address,name\n'), true],
    ['the last update failed', {}, () => failed('update'), true],
    ['another program made it', {}, () => writeFileSync(path.join(dataDir, 'state', 'updated-with'), 'other'), true],
  ])('at a start where %s', async (_, settings, change, isMade) => {
    mkdirSync(labels())
    recordUpdatedWith(quiet)
    plan('update', Date.now() + 3_600_000)
    change()
    start({ ...quiet, ...settings }, { program: standIn() })
    await sleep(isMade ? 0 : 300)
    if (isMade) await until(() => calls().includes('end update'))
    else expect(calls()).toEqual([])
  })

  it('is not begun for ever where each attempt brings the machine down', async () => {
    plan('update', Date.now() + 3_600_000)
    for (let attempt = 0; attempt < 3; attempt++) {
      start(quiet, { program: standIn('await sleep(30_000)') })
      if (attempt < 2) await until(() => calls().length === attempt + 1)
      await stopAll()
      using journal = new RunJournal(dataDir)
      if (attempt < 2) journal.begin('update')
    }
    expect(calls()).toEqual(['begin update', 'begin update'])
  })
})

it('a failed update leaves what is published, and status and /health tell of it', async () => {
  publish()
  const before = readFileSync(path.join(dataDir, 'published', 'current', 'generation.json'))
  start({ BITCOIN_SOURCE: 'files', BITCOIN_DATADIR: path.join(folder, 'nowhere'), LOG_LEVEL: 'silent' })
  await until(() => due().has('update'))
  expect(readFileSync(path.join(dataDir, 'published', 'current', 'generation.json'))).toEqual(before)
  const { exitCode, stdout } = await coinstrata(['status', '--data-dir', dataDir])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^run +update +\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}failed [\d.]+ s: .*nowhere/m)
  expect(stdout).toMatch(/^next +update +\d{4}-\d\d-\d\d \d\d:\d\d UTC$/m)
  const api = await serve(dataDir)
  try {
    const health: unknown = await (await fetch(`${api.url}/health`)).json()
    expect(health).toMatchObject({ last_update: { outcome: 'failed', ended_at: expect.any(String) } })
    expect(JSON.stringify(health)).not.toContain('nowhere')
  } finally {
    await api.close()
  }
})

it('off plans nothing', async () => {
  plan('update', 1)
  start({ UPDATE_SCHEDULE: 'off', SNAPSHOT_SCHEDULE: 'off' }, { program: standIn() })
  expect([...due()]).toEqual([])
})

it.each(['nightly', '61 * * * *', '* * *'])('times such as "%s" are refused', (times) => {
  expect(() => readSettings({}, { UPDATE_SCHEDULE: times })).toThrow(/UPDATE_SCHEDULE: must have five cron fields/)
})

it('goes on in memory while its journal cannot be written, and says so once', () => {
  const messages: string[] = []
  const log = pino({ base: null }, { write: (line: string) => void messages.push(JSON.parse(line).msg) })
  const journal = new ScheduleJournal(dataDir, log)
  journal.setDue('update', 1)
  expect(messages).toEqual([])
  rmSync(path.join(dataDir, 'state'), { recursive: true })
  writeFileSync(path.join(dataDir, 'state'), 'a file where the folder was')
  for (const at of [2, 3]) journal.setDue('update', at)
  expect(journal.due('update')).toBe(3)
  expect(messages).toEqual([expect.stringContaining('cannot write to the journal')])
  rmSync(path.join(dataDir, 'state'))
  journal.setDue('update', 4)
  expect(due().get('update')).toBe(4)
  expect(messages).toHaveLength(1)
})
