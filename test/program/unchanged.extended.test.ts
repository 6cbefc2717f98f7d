import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { tables } from '#ingest/market/observations.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { currentGenerationId, listGenerationIds, listNewerGenerations, switchToGeneration } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { updateFolder } from '#test/support/made-folder.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { publishedBytes } from '#test/support/published.ts'
import { publishedGenerations } from '#test/support/published-generations.ts'
import { trials } from '#test/support/trials.ts'

const folder = temporaryFolder('unchanged')
const [first, second] = await publishedGenerations()
const [short, long] = [first!.blocks, second!.blocks]
afterAll(() => rmSync(folder, { recursive: true }))

// More than there are generations that are kept.
const nights = trials(5, 12)
it(`an update keeps the generation over ${nights} nights in which nothing changes`, async () => {
  const dataDir = path.join(folder, 'nights')
  copyFolder(first!.dataDir, dataDir)
  const before = publishedBytes(dataDir)
  for (let night = 0; night < nights; night++) {
    const { exitCode, stdout, stderr } = await coinstrata([
      ...['update', '--network', 'regtest', '--blocksdir', short, '--data-dir', dataDir],
    ])
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(/kept +the previous generation, because nothing has changed since/)
  }
  expect(listGenerationIds(dataDir)).toHaveLength(1)
  expect(publishedBytes(dataDir)).toEqual(before)
})

it('an update publishes a new generation after another price, and then keeps that', async () => {
  const dataDir = path.join(folder, 'prices')
  copyFolder(first!.dataDir, dataDir)
  const storePrice = (close: number): Promise<unknown> =>
    withSession({ temporaryFolder: path.join(folder, 'tmp') }, (connection) => {
      const price = { open: close, high: close, low: close, close, volume_btc: null, volume_usd: null }
      const row = { date: Date.parse('2011-02-03') / 86_400_000, ...price }
      return appendObservations(connection, dataDir, tables.prices, 'import', [row], Date.now())
    })
  await storePrice(0.9)
  await updateFolder(dataDir, long)
  const before = listGenerationIds(dataDir)
  await storePrice(0.8)
  const { generation, unchanged } = await updateFolder(dataDir, long)
  expect(unchanged).toBeUndefined()
  expect(before).not.toContain(generation?.id)
  expect(await updateFolder(dataDir, long)).toMatchObject({ unchanged: true, generation: { id: generation?.id } })
})

it('an update publishes where a run was killed before what it published became current', async () => {
  const killed = path.join(folder, 'killed')
  copyFolder(second!.dataDir, killed)
  const published = currentGenerationId(killed)!
  switchToGeneration(killed, currentGenerationId(first!.dataDir)!)
  expect(listNewerGenerations(killed)).toEqual([])
  const { unchanged, generation } = await updateFolder(killed, long)
  expect({ unchanged, height: generation?.tip.height }).toEqual({ unchanged: undefined, height: 15 })
  expect(generation!.id > published).toBe(true)
})
