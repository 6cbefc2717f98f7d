import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { healthSchema } from '#contract/health.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { addressOf, coinstrata, type RunningProgram, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'

const folder = temporaryFolder('first-start')
const blocks = path.join(folder, 'blocks')
beforeAll(() => writeChain(blocks, makeChain(121), 120))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function start(name: string, blocksdir: string, given: Readonly<Record<string, string>> = {}): RunningProgram {
  const args = ['start', '--network', 'regtest', '--blocksdir', blocksdir, '--data-dir', path.join(folder, name)]
  const environment = { PORT: '0', UPDATE_SCHEDULE: 'off', SNAPSHOT_SCHEDULE: 'off', ...given }
  return startCoinstrata(args, { environment })
}

/** Place where a page says that nothing is published yet. */
const early = (program: RunningProgram): Promise<string> => said(program, /nothing is published yet: (\S+)\/ tells/)

/** The first group of what standard error says. */
const said = ({ process: { stderr } }: RunningProgram, words: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    stderr?.on('data', (chunk) => {
      text += chunk
      const [, found] = words.exec(text) ?? []
      if (found) resolve(found)
    })
    stderr?.on('end', () => reject(new Error(text)))
  })

async function until<T>(read: () => Promise<T>, isReached: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + 45_000
  for (;;) {
    const value = await read()
    if (isReached(value)) return value
    if (Date.now() > deadline) throw new Error(JSON.stringify(value))
    await sleep(50)
  }
}

const readStatuses = (url: string): Promise<number[]> =>
  Promise.all(['/', '/health/live', '/health', '/v1/prices'].map(async (at) => (await fetch(url + at)).status))

describe('the first start', () => {
  it('answers while it makes the first publication, and serves it then', async () => {
    const program = start('data', blocks)
    const serving = addressOf(program)
    const url = await early(program)
    expect(await readStatuses(url)).toEqual([200, 200, 503, 503])
    const { last_update: update } = await until(
      async () => healthSchema.parse(await (await fetch(`${url}/health`)).json()),
      ({ generation, last_update }) => generation !== null || typeof last_update?.progress?.step === 'string',
    )
    expect(update?.outcome).toBe('running')
    expect(await serving).toBe(url)
    expect(await readStatuses(url)).toEqual([200, 200, 200, 200])
    program.process.kill()
    expect((await program.outcome).exitCode).toBe(0)
  })

  it('is that of a backup of an app store, too, which leaves out what can be computed', async () => {
    const [whole, restored] = [path.join(folder, 'data'), path.join(folder, 'restored')]
    cpSync(whole, restored, { recursive: true, verbatimSymlinks: true })
    for (const computed of ['published', 'raw/checkpoints', 'raw/headers', 'raw/merged-hours', 'raw/segments'])
      rmSync(path.join(restored, computed), { recursive: true, force: true })
    const args = ['update', '--network', 'regtest', '--blocksdir', blocks, '--data-dir', restored]
    const { exitCode, stderr } = await coinstrata(args)
    expect(exitCode, stderr).toBe(0)
    expect(await tableDifferences(whole, restored)).toEqual({})
  })

  it('ends with the code of an update that fails', async () => {
    const damaged = path.join(folder, 'damaged')
    cpSync(blocks, damaged, { recursive: true })
    rmSync(path.join(damaged, 'rev00000.dat'))
    const { exitCode, stderr } = await start('failed', damaged).outcome
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('[undo_missing]')])
  })

  it('waits for the disk of a node, says so, and publishes when it is there', async () => {
    const mounted = path.join(folder, 'mounted')
    const misspelt = { UPDATE_SHEDULE: 'off' }
    const program = start('waited', mounted, misspelt)
    const serving = addressOf(program)
    const url = await early(program)
    const health = await until(
      async () => healthSchema.parse(await (await fetch(`${url}/health`)).json()),
      ({ problems }) => problems.some(({ message }) => message.includes('again')),
    )
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
    const program = start('ended', blocks)
    await early(program)
    program.process.kill()
    expect((await program.outcome).exitCode).toBe(143)
  })

  it('ends at once while it waits', async () => {
    const program = start('stopped', path.join(folder, 'nowhere'))
    const waiting = said(program, /trying again in (.*) s/)
    await waiting
    program.process.kill()
    expect((await program.outcome).exitCode).toBe(143)
  })

  it('makes no simulated chain beside a node that has not started', async () => {
    const home = path.join(folder, 'home')
    const datadir = path.join(home, '.bitcoin')
    mkdirSync(datadir, { recursive: true })
    const args = ['update', '--data-dir', path.join(folder, 'simulated')]
    writeFileSync(path.join(datadir, 'bitcoin.conf'), 'server=1\n')
    const { exitCode, stderr } = await coinstrata(args, { environment: { HOME: home } })
    expect([exitCode, stderr]).toEqual([
      4,
      expect.stringMatching(/no blocks of mainnet yet \[source_not_found\]\n.*simulated/),
    ])
  })
})
