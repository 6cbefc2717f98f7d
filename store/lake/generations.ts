import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { currentId, keptGenerations, type OpenGeneration, publishedFolder } from '#sql/generation.ts'
import { keyOf, readCurrent } from '../current.ts'
import { FileStore } from '../file-store.ts'
import type { ObjectStore } from '../object-store.ts'
import { writeLake } from './lake.ts'

/** Where the lake of a data folder or of a store stands. */
const lakeName = 'lake'

const openedBy = (dataDir: string): ReadonlyMap<string, OpenGeneration> =>
  new Map(keptGenerations(dataDir).flatMap(({ id, opened }) => (opened ? [[id, opened] as const] : [])))

/**
 * Tables of Iceberg over what a store holds, in the store, below `lake/`. Run after `publishToStore` from the same data folder. Returns how many
 * tables changed. Throws what `writeLake` throws, and `data_not_ready` for an empty store.
 */
export async function writeStoreLake(store: ObjectStore, dataDir: string): Promise<number> {
  const found = await readCurrent(store)
  if (found === undefined || found === 'unchanged')
    throw new CoinstrataError('data_not_ready', `nothing is published in the store ${store.name} yet`)
  const opened = openedBy(dataDir)
  const generations = found.current.generations.map(({ id, published_at }) => ({
    ...{ id, since: Date.parse(published_at), opened: opened.get(id) },
  }))
  const fileOf = (id: string, table: string): string => `${store.address}/${keyOf(id, `${table}.parquet`)}`
  return writeLake({ store, prefix: `${lakeName}/`, fileOf }, generations.toReversed())
}

/** The same over the generations of a data folder, in its folder `lake`. */
export async function writeFolderLake(dataDir: string): Promise<number> {
  const current = currentId(dataDir)
  const generations = Array.from(openedBy(dataDir), ([id, opened]) => ({
    ...{ id, since: Date.parse(opened.generation.created_at), opened },
  }))
  // Whoever went back to an older generation still has the newer ones.
  generations.sort((one, other) => Number(one.id === current) - Number(other.id === current))
  const fileOf = (id: string, table: string): string =>
    `file://${path.join(publishedFolder(dataDir), id, `${table}.parquet`)}`
  return writeLake({ store: new FileStore(path.join(dataDir, lakeName)), prefix: '', fileOf }, generations)
}
