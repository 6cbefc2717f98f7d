import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkpointsFolder } from '#compute/data-folder.ts'
import { readIntactJson } from '#sql/intact-file.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { publishedTable, rowsOf, tableDifferences } from '#test/support/published.ts'
import { balancesOfAll, blockCount, keyedCount, makeKeyedChain, publish } from './support/balances-chain.ts'

const folder = temporaryFolder('balances')
afterAll(() => rmSync(folder, { recursive: true }))

async function expectSameBalances(dataDir: string, other: string): Promise<void> {
  expect(await tableDifferences(dataDir, other, ['address_balances'])).toEqual({})
}

/**
 * A chain continues from a checkpoint within one halving epoch, 150 blocks here, because a new one
 * adds a cohort.
 */
function expectContinued(dataDir: string): void {
  const inRow = readdirSync(checkpointsFolder(dataDir)).map((name) => {
    const manifest = path.join(checkpointsFolder(dataDir), name, 'checkpoint.json')
    return readIntactJson(manifest, z.object({ inRow: z.int() }))!.inRow
  })
  expect(Math.max(...inRow)).toBe(2)
}

describe('balances of all addresses', () => {
  it('are the same after updates that continue from a checkpoint', async () => {
    const grown = path.join(folder, 'grown')
    for (const height of [500, 1055, blockCount]) await publish(grown, 'all', height)
    expectContinued(grown)
    await expectSameBalances(grown, await balancesOfAll())
  })

  it('are the same from a sample, to the last digit of each bound', async () => {
    const [grown, fresh] = [path.join(folder, 'grown-sample'), path.join(folder, 'sample')]
    for (const height of [1055, blockCount]) await publish(grown, 'sample', height)
    expectContinued(grown)
    await publish(fresh, 'sample', blockCount)
    await expectSameBalances(grown, fresh)
  })

  it('are those of all addresses after the setting has changed', async () => {
    const changed = path.join(folder, 'sample')
    await publish(changed, 'all', blockCount)
    await expectSameBalances(changed, await balancesOfAll())
  })
})

describe('coins whose key or script a spend has shown', () => {
  it('are the same from a sample after updates that continue from a checkpoint', async () => {
    const keyed = makeKeyedChain()
    const [grown, fresh] = [path.join(folder, 'keyed-grown'), path.join(folder, 'keyed-sample')]
    for (const height of [305, keyedCount]) await publish(grown, 'sample', height, keyed)
    expectContinued(grown)
    await publish(fresh, 'sample', keyedCount, keyed)
    await expectSameBalances(grown, fresh)
    const [row] = await rowsOf(
      `SELECT max(low) > 0, max(high) > max(low) FROM ${publishedTable(fresh, 'address_balances')} WHERE measure = 'operationally_exposed'`,
    )
    expect(row).toEqual(['true', 'true'])
  })
})
