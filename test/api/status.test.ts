import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import { paths } from '#contract/paths.ts'
import { type Status, statusSchema } from '#contract/status.ts'
import { widgetSchema } from '#contract/widget.ts'
import { currentGeneration, rollBackToGeneration } from '#sql/generation.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { RunJournal } from '#state/run-journal.ts'
import { recordAttempt, snapshotName } from '#state/source-attempts.ts'
import { chain, serveChain, server } from './support/chain-service.ts'
import { lastDay } from './support/served-chain.ts'
import { serve, withoutLimits } from './support/test-server.ts'

serveChain()
const older = '20000101T000000000Z-0-00000000'
const damaged = '19990101T000000000Z-0-00000000'
const due = Date.UTC(2100, 0, 1)

beforeAll(() => {
  const { dataDir } = chain
  const journal = new RunJournal(dataDir)
  journal.end(journal.begin('fetch'), 'failed', 'secret of /home/operator')
  journal.begin('update')
  journal.setDue('update', due)
  journal.close()
  recordAttempt(dataDir, 'kraken', { at: 1_000, outcome: 'ok' })
  recordAttempt(dataDir, 'kraken', { at: 5_000, outcome: 'failed', message: 'secret of 10.0.0.1' })
  recordAttempt(dataDir, snapshotName('kraken'), { at: 4_000, outcome: 'ok' })
  recordAttempt(dataDir, snapshotName('okx'), { at: 6_000, outcome: 'blocked' })
  // An older one, and one that is damaged.
  const published = path.join(dataDir, 'published')
  const { folder, generation } = currentGeneration(dataDir)!
  cpSync(folder, path.join(published, older), { recursive: true })
  writeIntactJson(path.join(published, older, 'generation.json'), { ...generation, id: older })
  mkdirSync(path.join(published, damaged))
})

const statusAt = async (url: string): Promise<Status> =>
  statusSchema.parse(await (await fetch(url + paths.status)).json())

test('the state of the service tells what is kept, what ran, and how far sources reach', async () => {
  const { generation } = currentGeneration(chain.dataDir)!
  const { generations, runs, market, sources, ...told } = await statusAt(server.url)
  expect(generations.map(({ id, is_current, was_left }) => ({ id, is_current, was_left }))).toEqual([
    { id: generation.id, is_current: true, was_left: false },
    { id: older, is_current: false, was_left: false },
  ])
  const bytes = Object.values(generation.tables).reduce((sum, table) => sum + table.bytes, 0)
  expect(generations[0]).toMatchObject({
    tip_height: generation.tip.height,
    supply_sats: generation.tip.supply_sats,
    audit: { days: generation.audit.days },
    bytes,
  })
  expect(told.damaged).toEqual([damaged])
  expect(runs.map(({ job, outcome, ended_at }) => [job, outcome, ended_at === null])).toEqual([
    ['update', 'running', true],
    ['fetch', 'failed', false],
  ])
  expect(told.due).toEqual([{ job: 'update', at: '2100-01-01T00:00:00.000Z' }])
  const marketFrom = isoDate(lastDay - 89)
  expect(market).toEqual([
    { table: 'prices', first_date: isoDate(14_287), last_date: isoDate(lastDay), sources: ['simulated'] },
    { table: 'funding', first_date: marketFrom, last_date: isoDate(lastDay), sources: ['simulated'] },
    { table: 'open_interest', first_date: marketFrom, last_date: isoDate(lastDay), sources: ['simulated'] },
    { table: 'etf', first_date: marketFrom, last_date: isoDate(lastDay), sources: ['simulated'] },
    { table: 'treasuries', first_date: marketFrom, last_date: isoDate(lastDay), sources: [] },
  ])
  const time = (instant: number): string => new Date(instant).toISOString()
  expect(sources).toEqual([
    {
      source: 'kraken',
      outcome: 'failed',
      asked_at: time(5_000),
      answered_at: time(1_000),
      snapshot_at: time(4_000),
      message: null,
    },
    { source: 'okx', outcome: 'blocked', asked_at: time(6_000), answered_at: null, snapshot_at: null, message: null },
  ])
})

test('what runs and sources said stays with the operator, unless everything is open', async () => {
  expect(JSON.stringify(await statusAt(server.url))).not.toContain('secret')
  const open = await serve(chain.dataDir, { ...withoutLimits, ACCESS: 'open' })
  try {
    const { runs, sources } = await statusAt(open.url)
    expect(runs.map(({ message }) => message)).toEqual([null, 'secret of /home/operator'])
    expect(sources.map(({ message }) => message)).toEqual(['secret of 10.0.0.1', null])
  } finally {
    await open.close()
  }
})

test('a generation that was gone back from is called so', async () => {
  const { id } = currentGeneration(chain.dataDir)!.generation
  rollBackToGeneration(chain.dataDir, older)
  const { generations } = await statusAt(server.url)
  expect(generations.map(({ is_current, was_left }) => [is_current, was_left])).toEqual([
    [false, true],
    [true, false],
  ])
  rollBackToGeneration(chain.dataDir, id)
})

test('where nothing is published there is a status all the same', async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-no-status-'))
  const early = await serve(dataDir, withoutLimits)
  try {
    const { at: _, state, ...rest } = await statusAt(early.url)
    expect(state.problems.map(({ code }) => code)).toEqual(['nothing_published'])
    expect(rest).toEqual({ machine: null, generations: [], damaged: [], runs: [], due: [], market: [], sources: [] })
  } finally {
    await early.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('four numbers for a home screen are those of the endpoints', async () => {
  const widget = widgetSchema.parse(await (await fetch(server.url + paths.widget)).json())
  const [price, mvrv, block, state] = widget.items
  const read = async (path: string) => (await (await fetch(server.url + path)).json()).data[0]
  const newest = await read('/v1/prices?limit=1')
  expect(price).toEqual({
    title: 'Price',
    text: newest.close.toLocaleString('en', { maximumSignificantDigits: 6 }),
    subtext: newest.date,
  })
  const valuation = await read('/v1/holder/valuation?limit=1&fields=mvrv')
  expect(mvrv).toEqual({ title: 'MVRV', text: valuation.mvrv.toFixed(2), subtext: valuation.date })
  const health = await (await fetch(server.url + paths.health)).json()
  expect(block?.text).toBe(health.tip_height.toLocaleString('en'))
  expect(state).toEqual({ title: 'State', text: health.status, subtext: health.published.last_date })
})
