import { mkdtempDisposableSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Database } from '#query/database.ts'
import { Generations } from '#query/generations.ts'
import type { Settings } from '#root/config.ts'
import { firstPublishedFolder } from '#sql/first-published.ts'
import { publishedFolder } from '#sql/generation.ts'

export type PublishedPlace = Pick<Settings, 'DATA_DIR' | 'MEMORY_LIMIT'>

/** Opens what is published for `work`, as the API does. */
export async function withGenerations<T>(
  { DATA_DIR, MEMORY_LIMIT }: PublishedPlace,
  work: (generations: Generations) => Promise<T>,
): Promise<T> {
  using temporaryFolder = mkdtempDisposableSync(path.join(os.tmpdir(), 'coinstrata-'))
  const readable = [publishedFolder(DATA_DIR), firstPublishedFolder(DATA_DIR)]
  await using database = await Database.open(readable, temporaryFolder.path, MEMORY_LIMIT)
  return await work(new Generations(DATA_DIR, database))
}
