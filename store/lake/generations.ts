import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { currentGenerationId, listGenerations, type OpenGeneration, publishedFolder } from '#sql/generation.ts'
import { objectKey, readCurrent } from '../current.ts'
import { FileStore } from '../file-store.ts'
import type { ObjectStore } from '../object-store.ts'
import { writeLake } from './lake.ts'

const lakeName = 'lake'

const openGenerations = (dataDir: string): ReadonlyMap<string, OpenGeneration> =>
  new Map(listGenerations(dataDir).flatMap(({ id, opened }) => (opened ? [[id, opened] as const] : [])))

/**
 * Writes Iceberg tables for a store's generations below its `lake/`. Call it after `publishToStore`
 * from the same data folder. Returns the number of changed tables.
 */
export async function writeStoreLake(store: ObjectStore, dataDir: string): Promise<number> {
  const found = await readCurrent(store)
  if (found === undefined || found === 'unchanged')
    throw new CoinstrataError('data_not_ready', `nothing is published in the store ${store.name} yet`)
  const opened = openGenerations(dataDir)
  const generations = found.current.generations.map(({ id, published_at }) => ({
    id,
    sinceMs: Date.parse(published_at),
    opened: opened.get(id),
  }))
  const fileAddress = (id: string, table: string): string => `${store.address}/${objectKey(id, `${table}.parquet`)}`
  return writeLake({ store, prefix: `${lakeName}/`, fileAddress }, generations.toReversed())
}

/** Writes Iceberg tables for a data folder's generations into its folder `lake`. */
export async function writeFolderLake(dataDir: string): Promise<number> {
  const current = currentGenerationId(dataDir)
  const generations = Array.from(openGenerations(dataDir), ([id, opened]) => ({
    id,
    sinceMs: Date.parse(opened.generation.created_at),
    opened,
  }))
  // After a rollback the current generation is not the newest but must be last.
  generations.sort((one, other) => Number(one.id === current) - Number(other.id === current))
  const fileAddress = (id: string, table: string): string =>
    `file://${path.join(publishedFolder(dataDir), id, `${table}.parquet`)}`
  return writeLake({ store: new FileStore(path.join(dataDir, lakeName)), prefix: '', fileAddress }, generations)
}
