import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, beforeEach } from 'vitest'
import { claimDataFolder } from '#compute/data-folder.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import { recordChoices } from '#root/cli/choices.ts'
import { type Schedule, type ScheduleOptions, startSchedule } from '#root/cli/schedule.ts'
import { readSettings } from '#root/config.ts'
import type { Generation } from '#sql/generation.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { type Run, RunJournal, readRunJournal } from '#state/run-journal.ts'

const root = path.resolve(import.meta.dirname, '../../..')
export const never = '0 0 29 2 *'
export const everySecond = '* * * * * *'

export let folder: string
export let dataDir: string
let started: Schedule[]

/** Gives each test an empty data folder, and stops what it starts. */
export function useSchedules(): void {
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-schedule-'))
    dataDir = path.join(folder, 'data')
    mkdirSync(dataDir)
    started = []
  })
  afterEach(async () => {
    await stopAll()
    rmSync(folder, { recursive: true })
  })
}

/**
 * Stands for the program: notes its commands, journals them as the real one does, and then behaves
 * as it is told.
 */
export function standIn(behaviour = ''): string {
  const file = path.join(folder, 'program.ts')
  writeFileSync(
    file,
    `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
     import { setTimeout as sleep } from 'node:timers/promises'
     import { RunJournal } from '${root}/state/run-journal.ts'
     const dataDir = process.env.DATA_DIR!
     const command = process.argv.slice(2).join(' ')
     const note = (what: string) => appendFileSync(dataDir + '/calls', what + ' ' + command + '\\n')
     const run = new RunJournal(dataDir).begin(command === 'fetch --snapshots' ? 'snapshots' : command)
     note('begin')
     ${behaviour}
     new RunJournal(dataDir).end(run, 'ok', null)
     note('end')`,
  )
  return file
}

const settingsOf = (settings: Record<string, string>) =>
  readSettings(
    {},
    {
      DATA_DIR: dataDir,
      UPDATE_SCHEDULE: never,
      SNAPSHOT_SCHEDULE: never,
      MARKET_SOURCES: 'all',
      ...settings,
    },
  )

/** Makes it look as if the last update had had these settings. */
export function recordUpdatedWith(settings: Record<string, string>): void {
  recordChoices(settingsOf(settings))
}

export function start(settings: Record<string, string>, options: ScheduleOptions = {}): Schedule {
  const schedule = startSchedule(settingsOf(settings), pino({ level: 'silent' }), options)
  started.push(schedule)
  return schedule
}

export const calls = (): string[] =>
  existsSync(path.join(dataDir, 'calls')) ? readFileSync(path.join(dataDir, 'calls'), 'utf8').trim().split('\n') : []
export const runs = (): Run[] => readRunJournal(dataDir, (journal) => journal.newest(10)) ?? []
export const due = (): ReadonlyMap<string, number> => readRunJournal(dataDir, (journal) => journal.due()) ?? new Map()

export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 45_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain; there were ${calls().join(', ')}`)
    await sleep(20)
  }
}

export function claim(network: NetworkName): void {
  mkdirSync(path.join(dataDir, 'raw'), { recursive: true })
  claimDataFolder(dataDir, network)
}
export const claimMainnet = (): void => claim('mainnet')

export const generationOf = (lastDate: string): Generation => ({
  format: 1,
  id: 'one',
  inputs: '',
  created_at: '2024-01-02T00:00:00Z',
  network: 'mainnet',
  genesis_hash: '',
  simulated: false,
  source: 'files',
  first_date: '2024-01-01',
  last_date: lastDate,
  tip: { height: 1, hash: '', time: '2024-01-02T00:00:00Z', work: '0', supply_sats: 1, utxo_count: 1 },
  prices: null,
  audit: { days: 1, blocks: 1, unclaimed_sats: 0, unspendable_sats: 0, node: null, milestones: [] },
  proof: { format: 1, network: 'mainnet', sha256: '0'.repeat(64), signature: null },
  proved: null,
  proved_coins: null,
  notes: [],
  attributions: [],
  tables: {},
})

/** Makes it look as if a generation were published. */
export function publish(lastDate = '2024-01-01'): void {
  writeIntactJson(path.join(dataDir, 'published', 'one', 'generation.json'), generationOf(lastDate))
  symlinkSync('one', path.join(dataDir, 'published', 'current'))
}

export function plan(job: string, at: number): void {
  const journal = new RunJournal(dataDir)
  journal.setDue(job, at)
  journal.close()
}

export async function stopAll(): Promise<void> {
  await Promise.all(started.map((schedule) => schedule.stop()))
  started = []
}

/** For a test that has stopped all that it started. */
export function forgetStarted(): void {
  started = []
}
