import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishDemoChain } from '#test/support/demo-chain.ts'
import { expectPartsSum } from '#test/support/parts-sum.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'

const folder = temporaryFolder('parts-sum')
const demo = path.join(folder, 'demo')
beforeAll(() => publishDemoChain(demo))
afterAll(() => rmSync(folder, { recursive: true }))

it('flows of all parts add up to all coins on every day of the demo chain', async () => {
  expect(await expectPartsSum(demo)).toBeGreaterThan(400_000)
})

it('a loss that outputs made within a day is in its parts, too', async () => {
  const cohorts = ['all', 'moved', 'mined', 'p2wpkh']
  const columns = cohorts.map((id) => `any_value(realized_loss) FILTER (cohort = '${id}')`)
  const [row] = await rowsOf(
    `SELECT ${columns.join(', ')} FROM ${publishedTable(demo, 'cohorts')} WHERE date = '2026-11-27'`,
  )
  const [all, moved, mined, p2wpkh] = row!.map(Number)
  expect(all).toBeCloseTo(63_959_371.96, 1)
  expect(moved! + mined!).toBeCloseTo(all!, 5)
  // Output by output it is 28.6 million; by the price of the day it was 2.8 million.
  expect(p2wpkh).toBeCloseTo(30_159_862.59, 1)
})

it('flows of all parts add up to all coins on every day of a chain without prices', async () => {
  expect(await expectPartsSum((await publishedChain(230)).dataDir)).toBeGreaterThan(500)
})
