import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAccountStores } from '#accounts/services.ts'
import { cheapPasswords } from '#test/api/support/test-server.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { coinstrata, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'
import { trials } from '#test/support/trials.ts'

const folder = temporaryFolder('upgrade')
const blocks = path.join(folder, 'blocks')
const fresh = path.join(folder, 'fresh')

async function run(dataDir: string, ...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await coinstrata([...args, '--data-dir', dataDir])
  expect(exitCode, stderr).toBe(0)
  return stdout
}
const updateArguments = ['update', '--network', 'regtest', '--blocksdir', blocks]
const update = (dataDir: string) => run(dataDir, ...updateArguments)
const random = new Random(40)
/** About as many file operations as the update of an old folder has. */
const operations = 255

/** Kills an update before one of its file operations. Returns false if it has fewer. */
async function killUpdate(dataDir: string): Promise<boolean> {
  const options = {
    environment: { KILL_AT: String(random.between(1, operations)) },
    nodeArguments: ['--import', path.join(import.meta.dirname, '../support/kill-at.ts')],
  }
  const { exitCode } = await startCoinstrata([...updateArguments, '--data-dir', dataDir], options).outcome
  return exitCode !== 0
}

beforeAll(async () => {
  await writeChain(blocks, makeChain(61), 60)
  const prices = path.join(folder, 'prices.csv')
  writeFileSync(prices, 'date,open,high,low,close\n2011-02-03,1,1,1,1\n2011-02-04,1,2,1,2\n2011-02-05,2,2,1,2\n')
  await run(fresh, 'import', 'prices', prices)
  await update(fresh)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(['2026-11-20', '2026-11-22'])('a data folder of the version of %s', (date) => {
  const dataDir = path.join(folder, date)

  it('is updated to the tables of a new one, also by runs that are killed, and its account and key hold on', async () => {
    mkdirSync(dataDir)
    const archive = path.join(import.meta.dirname, 'old-folders', `${date}.tar.gz`)
    expect(spawnSync('tar', ['-xzf', archive, '-C', dataDir, '--no-same-owner']).status).toBe(0)
    expect(await run(dataDir, 'status')).toMatch(/^tip +block 30 /m)
    for (let kill = 0; kill < trials(1, 30); kill++) {
      if (!(await killUpdate(dataDir))) break
      expect(await run(dataDir, 'status')).toMatch(/^tip +block (30|60) /m)
    }
    await update(dataDir)
    expect(await tableDifferences(dataDir, fresh)).toEqual({})
    expect(await run(dataDir, 'status')).toMatch(/^tip +block 60 /m)
    const services = await openAccountStores({ DATA_DIR: dataDir }, undefined, cheapPasswords)
    try {
      const key = readFileSync(path.join(dataDir, 'key'), 'utf8').trim()
      expect(await services.keys.check(key)).toMatchObject({ tier: 'pro' })
    } finally {
      await services.close()
    }
  })
})
