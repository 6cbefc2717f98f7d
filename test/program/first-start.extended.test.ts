import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { addressOf, coinstrata, temporaryFolder } from '#test/support/program.ts'
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
