import { randomBytes } from 'node:crypto'
import { cpSync, linkSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Database } from '#query/database.ts'
import { FileChanged, forgetIntact } from '#query/intact-files.ts'
import { Published } from '#query/published.ts'
import { digestFile } from '#sql/file-digest.ts'
import { currentGeneration, type OpenGeneration, publishedFolder } from '#sql/generation.ts'
import { writeParquet } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import { makeServedChain, type ServedChain } from '../api/support/served-chain.ts'
import { flipBit } from '../support/flip-bit.ts'

let chain: ServedChain
let dataDir: string
let database: Database
let opened: OpenGeneration
beforeAll(async () => {
  chain = await makeServedChain()
  ;({ dataDir } = chain)
  opened = currentGeneration(dataDir)!
  database = await Database.open([realpathSync(publishedFolder(dataDir))], path.join(dataDir, 'tmp'), '200MB')
})
afterAll(async () => {
  await database.close()
  chain.remove()
})

it('takes over the catalogue of the generation before where it is the same', async () => {
  const before = await Published.open(database, opened)
  const after = await Published.open(database, opened, { before })
  expect(after.catalogue).toBe(before.catalogue)
})

it('reads a catalogue that has changed', async () => {
  const { generation } = opened
  const folder = path.join(publishedFolder(dataDir), 'other')
  cpSync(opened.folder, folder, { recursive: true })
  const file = path.join(folder, 'catalogue.parquet')
  await withSession({ temporaryFolder: path.join(dataDir, 'tmp') }, (connection) =>
    writeParquet(connection, `${file}.new`, `FROM '${file}'`),
  )
  renameSync(`${file}.new`, file)
  const catalogue = { rows: 1, ...(await digestFile(file)) }
  const other = { folder, generation: { ...generation, tables: { ...generation.tables, catalogue } } }
  const before = await Published.open(database, other)
  const after = await Published.open(database, opened, { before })
  expect(after.catalogue).not.toBe(before.catalogue)
  expect(after.catalogue.metrics).toEqual(before.catalogue.metrics)
})

it('reads no table before it is verified, nor after it changed', async () => {
  const folder = path.join(publishedFolder(dataDir), 'copy')
  cpSync(opened.folder, folder, { recursive: true })
  const published = await Published.open(database, { ...opened, folder })
  expect(() => published.fileOf('prices')).toThrow(FileChanged)
  await published.verify()
  const file = published.fileOf('prices')
  const bytes = readFileSync(file)
  for (const change of [() => writeFileSync(file, bytes), () => linkSync(file, `${file}.link`), () => forgetIntact()]) {
    change()
    expect(() => published.fileOf('prices')).toThrow(FileChanged)
    await published.reverify()
    expect(published.fileOf('prices')).toBe(file)
  }
})

it('keeps a table withdrawn that was damaged while a slow verification had passed it', async () => {
  const folder = path.join(publishedFolder(dataDir), 'slow')
  cpSync(opened.folder, folder, { recursive: true })
  const { generation } = opened
  const large = path.join(folder, 'fine_flows.parquet')
  writeFileSync(large, randomBytes(4e6))
  const { catalogue, prices } = generation.tables
  const tables = {
    ...(catalogue && { catalogue }),
    ...(prices && { prices }),
    fine_flows: { rows: 1, ...(await digestFile(large)) },
  }
  const published = await Published.open(database, { folder, generation: { ...generation, tables } })
  let isSlow = true
  const slow = published.verify(150).finally(() => {
    isSlow = false
  })
  await published.verify()
  flipBit(path.join(folder, 'prices.parquet'))
  await Promise.all([published.reverify(), published.reverify()])
  expect([isSlow, published.damaged]).toEqual([true, ['prices']])
  await slow
  expect(published.damaged).toEqual(['prices'])
})

it('keeps nothing of the files that it has read, which would grow with each generation', async () => {
  const kept = 'SELECT coalesce(sum(memory_usage_bytes), 0)::DOUBLE AS bytes FROM duckdb_memory()'
  const published = await Published.open(database, opened)
  await published.verify()
  const { bytes: before } = await published.columns(kept)
  const { close } = await published.columns(`SELECT close::DOUBLE AS close FROM ${published.table('prices')}`)
  const { bytes: after } = await published.columns(kept)
  expect(close!.length).toBeGreaterThan(300)
  expect([before![0], after![0]]).toEqual([0, 0])
})

it('caches columns up to a number of bytes', async () => {
  const column = { table_name: 'metrics_market', cohort: null }
  const [first, second] = ['price', 'volume'].map((column_name) => ({ ...column, column_name }))
  const large = await Published.open(database, opened)
  await large.verify()
  const columnBytes = 8 * (large.lastDay - large.firstDay + 1)
  const small = await Published.open(database, opened, { cacheBytes: columnBytes })
  const readTwice = async (published: Published) => {
    const [once] = await published.valuesOf([first!])
    expect(once!.some((value) => value > 0)).toBe(true)
    expect((await published.valuesOf([first!]))[0]).toBe(once)
    await published.valuesOf([second!])
    const [again] = await published.valuesOf([first!])
    return again === once
  }
  expect([await readTwice(small), await readTwice(large)]).toEqual([false, true])
})
