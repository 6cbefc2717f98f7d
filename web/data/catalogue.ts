import { byEachId } from '#contract/aliases.ts'
import { type Row, read } from './client.ts'

export type IndexEntry = Row<'metrics/index'>

/** Every metric, by what it is found and drawn by. */
export interface CatalogueIndex {
  readonly metrics: readonly IndexEntry[]
  /** By each id that it answers to. */
  readonly byId: ReadonlyMap<string, IndexEntry>
}

const made = new WeakMap<readonly IndexEntry[], CatalogueIndex>()

/** The index of the catalogue, asked once for each generation. Throws `RequestFailure`. */
export async function readIndex(): Promise<CatalogueIndex> {
  const { data } = await read('metrics/index')
  const index = made.get(data) ?? { metrics: data, byId: byEachId(data) }
  made.set(data, index)
  return index
}
