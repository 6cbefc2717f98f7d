import { rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Database } from '#query/database.ts'
import { Generations } from '#query/generations.ts'
import { publishedFolder, switchToGeneration } from '#sql/generation.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'
import { temporaryDataDir } from '../api/support/test-server.ts'

let folder: ReturnType<typeof temporaryDataDir>
let database: Database
let generations: Generations

beforeEach(async () => {
  folder = temporaryDataDir()
  const { dataDir } = folder
  for (const id of ['gen-3', 'gen-2', 'gen-1']) await publishSmallGeneration(dataDir, id)
  database = await Database.open([publishedFolder(dataDir)], path.join(dataDir, 'tmp'), '200MB')
  generations = new Generations(dataDir, database)
})
afterEach(async () => {
  await generations.close()
  await database.close()
  folder.remove()
})

test('a reader whose generation is gone gets the newest, even if one between them is removed before it is open', async () => {
  const { dataDir } = folder
  const served: string[] = []
  const read = generations.read(async ({ generation: { id } }) => {
    served.push(id)
    if (id !== 'gen-1') return id
    if (served.length === 1) {
      rmSync(path.join(publishedFolder(dataDir), 'gen-2', 'catalogue.parquet'))
      switchToGeneration(dataDir, 'gen-2')
      await setTimeout(5)
      // Begins to open it.
      expect(generations.ready?.generation.id).toBe('gen-1')
      switchToGeneration(dataDir, 'gen-3')
      await setTimeout(5)
    }
    throw new Error('the files are gone')
  })
  expect(await read).toBe('gen-3')
})
