import { cpSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { flipBit } from '#test/support/flip-bit.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { publishedChain } from '#test/support/published-chain.ts'

const folder = temporaryFolder('flips')
afterAll(() => rmSync(folder, { recursive: true }))

test('a flipped bit of a stored price stops the update, which is reported until the cure has worked', async () => {
  const { blocks, dataDir: published } = await publishedChain(60)
  const dataDir = path.join(folder, 'priced')
  cpSync(published, dataDir, { recursive: true, verbatimSymlinks: true })
  const prices = path.join(folder, 'prices.csv')
  writeFileSync(prices, 'date,open,high,low,close\n2024-01-05,4,4,4,4\n2024-01-06,5,5,5,5\n')
  const run = (...args: readonly string[]) => coinstrata([...args, '--data-dir', dataDir])
  const update = () => run('update', '--network', 'regtest', '--blocksdir', blocks)
  const problems = async () => JSON.parse((await run('status', '--json')).stdout).problems
  expect((await run('import', 'prices', prices)).exitCode).toBe(0)
  const file = path.join(dataDir, 'raw/market/prices/import/2024-01.parquet')
  flipBit(file)

  const { exitCode, stderr } = await update()
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining(`${file} is damaged`)])
  expect(stderr).toContain('remove it and import its observations again')
  expect(await problems()).toContainEqual({
    code: 'update_failed',
    state: 'failed',
    cure: expect.stringContaining('backup'),
    message: expect.stringMatching(/^the last update failed with data_folder_damaged; /),
  })

  rmSync(file)
  await run('import', 'prices', prices)
  expect((await update()).exitCode).toBe(0)
  expect(await problems()).not.toContainEqual(expect.objectContaining({ code: 'update_failed' }))
})
