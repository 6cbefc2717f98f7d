import { realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Database } from '#query/database.ts'
import { Published } from '#query/published.ts'
import { currentGeneration, type OpenGeneration, publishedFolder } from '#sql/generation.ts'
import { publishDemoChain } from '../support/demo-chain.ts'
import { temporaryFolder } from '../support/program.ts'

const dataDir = temporaryFolder('published')
let database: Database
let opened: OpenGeneration
beforeAll(async () => {
  await publishDemoChain(dataDir)
  opened = currentGeneration(dataDir)!
  database = await Database.open(realpathSync(publishedFolder(dataDir)), path.join(dataDir, 'tmp'), '200MB')
})
afterAll(async () => {
  await database.close()
  rmSync(dataDir, { recursive: true })
})

it('takes over the catalogue of the generation before where it is the same', async () => {
  const before = await Published.open(database, opened)
  const after = await Published.open(database, opened, { before })
  expect(after.catalogue).toBe(before.catalogue)
})

it('reads a catalogue that has changed', async () => {
  const { generation } = opened
  const catalogue = { ...generation.tables.catalogue!, sha256: '0'.repeat(64) }
  const other = { ...opened, generation: { ...generation, tables: { ...generation.tables, catalogue } } }
  const before = await Published.open(database, other)
  const after = await Published.open(database, opened, { before })
  expect(after.catalogue).not.toBe(before.catalogue)
  expect(after.catalogue.metrics).toEqual(before.catalogue.metrics)
})

it('keeps nothing of the files that it has read, which would grow with each generation', async () => {
  const kept = 'SELECT coalesce(sum(memory_usage_bytes), 0)::DOUBLE AS bytes FROM duckdb_memory()'
  const published = await Published.open(database, opened)
  const { bytes: before } = await published.columns(kept)
  const { close } = await published.columns(`SELECT close::DOUBLE AS close FROM ${published.table('prices')}`)
  const { bytes: after } = await published.columns(kept)
  expect(close!.length).toBeGreaterThan(1_000)
  expect([before![0], after![0]]).toEqual([0, 0])
})
