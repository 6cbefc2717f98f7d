import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { addressOf, coinstrata, temporaryFolder } from '#test/support/program.ts'
import { publishedChain } from '#test/support/published-chain.ts'
import { early, healthWhen, readStatuses, startService } from './support/first-start.ts'

const folder = temporaryFolder('first-start')
const { blocks } = await publishedChain(120)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the first start', () => {
  it('answers while it makes the first publication, and serves it then', async () => {
    const program = startService(path.join(folder, 'data'), blocks)
    const serving = addressOf(program)
    const url = await early(program)
    expect(await readStatuses(url)).toEqual([200, 200, 503, 503])
    const { last_update: update } = await healthWhen(
      url,
      ({ generation, last_update }) => generation !== null || typeof last_update?.progress?.step === 'string',
    )
    expect(update?.outcome).toBe('running')
    expect(await serving).toBe(url)
    expect(await readStatuses(url)).toEqual([200, 200, 200, 200])
    program.process.kill()
    expect((await program.outcome).exitCode).toBe(0)
  })

  it('ends with the code of an update that fails', async () => {
    const damaged = path.join(folder, 'damaged')
    cpSync(blocks, damaged, { recursive: true })
    rmSync(path.join(damaged, 'rev00000.dat'))
    const { exitCode, stderr } = await startService(path.join(folder, 'failed'), damaged).outcome
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('[undo_missing]')])
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
