import { cpSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { addressOf, coinstrata, type RunningProgram, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'

const folder = temporaryFolder('first-start')
const blocks = path.join(folder, 'blocks')
beforeAll(() => writeChain(blocks, makeChain(121), 120))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function start(name: string, blocksdir: string): RunningProgram {
  const args = ['start', '--network', 'regtest', '--blocksdir', blocksdir, '--data-dir', path.join(folder, name)]
  const environment = { PORT: '0', UPDATE_SCHEDULE: 'off', SNAPSHOT_SCHEDULE: 'off' }
  return startCoinstrata(args, { environment })
}

/** Place where a page says that nothing is published yet. */
const early = ({ process: { stderr } }: RunningProgram): Promise<string> =>
  new Promise((resolve) => {
    let said = ''
    stderr?.on('data', (chunk) => {
      said += chunk
      const [, url] = /nothing is published yet: (\S+)\/ tells/.exec(said) ?? []
      if (url) resolve(url)
    })
  })

const readStatuses = (url: string): Promise<number[]> =>
  Promise.all(['/', '/health/live', '/health', '/v1/prices'].map(async (at) => (await fetch(url + at)).status))

describe('the first start', () => {
  it('answers while it makes the first publication, and serves it then', async () => {
    const program = start('data', blocks)
    const serving = addressOf(program)
    const url = await early(program)
    expect(await readStatuses(url)).toEqual([200, 200, 503, 503])
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
    const nothing = path.join(folder, 'nothing')
    mkdirSync(nothing)
    const { exitCode, stderr } = await start('failed', nothing).outcome
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('[source_not_found]')])
  })

  it('ends its update with itself', async () => {
    const program = start('ended', blocks)
    await early(program)
    program.process.kill()
    expect((await program.outcome).exitCode).toBe(143)
  })
})
