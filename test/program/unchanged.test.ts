import { rmSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rollBack } from '#compute/publish/rollback.ts'
import type { TableName } from '#contract/tables/tables.ts'
import { tables } from '#ingest/market/observations.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { currentGeneration, listGenerationIds } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { readProvedBlocks } from '#state/proved-segments.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { computeFolder, updateFolder } from '#test/support/made-folder.ts'
import { notesIn } from '#test/support/parquet-notes.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { currentFolder, publishedBytes } from '#test/support/published.ts'
import { publishedGenerations } from '#test/support/published-generations.ts'

const folder = temporaryFolder('unchanged')
const dataDir = path.join(folder, 'data')
const [first, second] = await publishedGenerations()
const [short, long] = [first!.blocks, second!.blocks]

beforeAll(() => copyFolder(first!.dataDir, dataDir))
afterAll(() => rmSync(folder, { recursive: true }))

const update = ['update', '--network', 'regtest', '--blocksdir', short, '--data-dir', dataDir]
const ids = (): string[] => listGenerationIds(dataDir)

const storePrice = (close: number): Promise<unknown> =>
  withSession({ temporaryFolder: path.join(folder, 'tmp') }, (connection) => {
    const price = { open: close, high: close, low: close, close, volume_btc: null, volume_usd: null }
    const row = { date: Date.parse('2011-02-03') / 86_400_000, ...price }
    return appendObservations(connection, dataDir, tables.prices, 'import', [row], Date.now())
  })

describe('an update', () => {
  it('keeps the generation where nothing has changed', async () => {
    const before = publishedBytes(dataDir)
    const { exitCode, stdout, stderr } = await coinstrata(update)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(/kept +the previous generation, because nothing has changed since/)
    expect(ids()).toHaveLength(1)
    expect(publishedBytes(dataDir)).toEqual(before)
  })

  it('keeps it also where more blocks are proved by now, and stays where it went back to', async () => {
    const unproved = path.join(folder, 'unproved')
    const first = await updateFolder(unproved, short, { proveBytes: 0 })
    await updateFolder(unproved, short, { proveBytes: 0, force: true })
    await rollBack(unproved)
    expect(first.generation?.proved).toEqual({ blocks: 0, of: 13 })
    const { unchanged, newerId, generation } = await updateFolder(unproved, short)
    expect({ unchanged, newerId, id: generation?.id }).toEqual({
      unchanged: true,
      newerId: undefined,
      id: first.generation?.id,
    })
    expect(readProvedBlocks(unproved, 13)).toEqual({ blocks: 13, of: 13 })
  })

  it('publishes nonetheless where it is forced to', async () => {
    const before = ids().length
    const { stdout: forced } = await coinstrata([...update, '--force'])
    expect(forced).not.toContain('kept')
    expect(ids().length).toBe(before + 1)
  })

  it('keeps the files of tables that have not changed, with the generation that wrote them', async () => {
    const first = currentGeneration(dataDir)!.generation
    await storePrice(0.95)
    await updateFolder(dataDir, short)
    const second = currentGeneration(dataDir)!.generation
    expect(second.id).not.toBe(first.id)
    const writtenBy = async (name: TableName) =>
      (await notesIn(path.join(currentFolder(dataDir), `${name}.parquet`))).notes.file?.generation
    for (const name of ['blocks', 'days', 'flows', 'etf_registry'] as const) {
      expect(second.tables[name], name).toEqual(first.tables[name])
      expect(await writtenBy(name), name).not.toBe(second.id)
    }
    for (const name of ['prices', 'metrics_market'] as const) expect(await writtenBy(name), name).toBe(second.id)
  })

  it.each([
    ['a block more', () => updateFolder(dataDir, long)],
    [
      'a published table that is damaged',
      () => {
        truncateSync(path.join(currentFolder(dataDir), 'flows.parquet'), 50)
        return updateFolder(dataDir, long)
      },
    ],
    ['a computation that is asked for', () => computeFolder(dataDir, long)],
  ])('publishes a new generation after %s, and then keeps that', async (_, pass) => {
    const before = ids()
    const { generation, unchanged } = await pass()
    expect(unchanged).toBeUndefined()
    expect(before).not.toContain(generation?.id)
    expect(await updateFolder(dataDir, long)).toMatchObject({ unchanged: true, generation: { id: generation?.id } })
  })
})
