import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { RunJournal, readRunJournal } from '#state/run-journal.ts'
import { addressOf, coinstrata, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'
import { early, healthWhen, readStatuses, said, startService } from './support/first-start.ts'

const folder = temporaryFolder('first-start')
const { blocks, dataDir: whole } = await publishedChain(120)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the first start', () => {
  it('is that of a backup of an app store, too, which leaves out what can be computed', async () => {
    const restored = path.join(folder, 'restored')
    cpSync(whole, restored, { recursive: true, verbatimSymlinks: true })
    for (const computed of ['published', 'raw/checkpoints', 'raw/headers', 'raw/merged-hours', 'raw/segments'])
      rmSync(path.join(restored, computed), { recursive: true, force: true })
    const args = ['update', '--network', 'regtest', '--blocksdir', blocks, '--data-dir', restored]
    const { exitCode, stderr } = await coinstrata(args)
    expect(exitCode, stderr).toBe(0)
    expect(await tableDifferences(whole, restored)).toEqual({})
  })

  it('waits for the disk of a node, says so, and publishes when it is there', async () => {
    const mounted = path.join(folder, 'mounted')
    const misspelt = { UPDATE_SHEDULE: 'off' }
    const program = startService(path.join(folder, 'waited'), mounted, misspelt)
    const serving = addressOf(program)
    const url = await early(program)
    const health = await healthWhen(url, ({ problems }) => problems.some(({ message }) => message.includes('again')))
    expect(health.problems).toMatchObject([
      { code: 'nothing_published' },
      {
        code: 'update_failed',
        message: expect.stringMatching(/ with source_not_found; .* tried again at /),
        cure: expect.stringContaining('Mount the disk'),
      },
      { code: 'setting_misspelt', message: expect.stringContaining('UPDATE_SHEDULE') },
    ])
    const args = ['status', '--data-dir', path.join(folder, 'waited')]
    const { stdout } = await coinstrata(args, { environment: misspelt })
    expect(stdout).toMatch(/^problem +UPDATE_SHEDULE is no setting .*UPDATE_SCHEDULE\? \(setting_misspelt\)\ncure /m)
    expect(Date.parse(health.next_update ?? '')).toBeLessThan(Date.now() + 10_000)
    cpSync(blocks, mounted, { recursive: true })
    expect(await serving).toBe(url)
    expect(await readStatuses(url)).toEqual([200, 200, 200, 200])
    program.process.kill()
    expect((await program.outcome).exitCode).toBe(0)
  })

  it('ends its update with itself', async () => {
    const program = startService(path.join(folder, 'ended'), blocks)
    await early(program)
    program.process.kill()
    expect((await program.outcome).exitCode).toBe(143)
  })

  it('ends at once while it waits', async () => {
    const program = startService(path.join(folder, 'stopped'), path.join(folder, 'nowhere'))
    const waiting = said(program, /trying again in (.*) s/)
    await waiting
    program.process.kill()
    expect((await program.outcome).exitCode).toBe(143)
  })
})

it('a later start updates at once if a setting or a list of labels has changed, and else waits for the night', async () => {
  const dataDir = path.join(folder, 'later')
  cpSync(whole, dataDir, { recursive: true, verbatimSymlinks: true })
  const settings = ['--network', 'regtest', '--blocksdir', blocks, '--data-dir', dataDir]
  const update = await coinstrata(['update', ...settings])
  expect(update.exitCode, update.stderr).toBe(0)
  {
    using journal = new RunJournal(dataDir)
    journal.setDue('update', Date.now() + 12 * 3_600_000)
  }
  const updates = () =>
    readRunJournal(dataDir, (journal) => journal.newest(100))?.filter(({ job }) => job === 'update') ?? []
  const before = updates().length
  const startAgain = async (count: number, ...args: string[]): Promise<void> => {
    const environment = { PORT: '0', UPDATE_SCHEDULE: '0 0 29 2 *', SNAPSHOT_SCHEDULE: 'off' }
    const program = startCoinstrata(['start', ...settings, ...args], { environment })
    try {
      await addressOf(program)
      await sleep(1_000)
      const ended = () => updates().filter(({ outcome }) => outcome === 'ok').length - before
      await expect.poll(ended, { timeout: 60_000 }).toBe(count)
      expect(updates()).toHaveLength(before + count)
      // Killed before it notes its next time, the next start would count it as interrupted.
      using journal = new RunJournal(dataDir)
      await expect.poll(() => journal.due().get('update')).toBeGreaterThan(Date.now())
    } finally {
      program.process.kill()
      await program.outcome
    }
  }
  await startAgain(0)
  await startAgain(1, '--pricing', 'daily')
  await startAgain(1, '--pricing', 'daily')
  mkdirSync(path.join(dataDir, 'labels'))
  writeFileSync(
    path.join(dataDir, 'labels', 'mine.csv'),
    'address,name\nbcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080,mine\n',
  )
  await startAgain(2, '--pricing', 'daily')
})
