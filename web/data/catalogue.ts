import { byEachId } from '#contract/aliases.ts'
import { unpackIndex } from '#contract/metric-index.ts'
import { type Row, read } from './client.ts'

export type IndexEntry = Row<'metrics/index'>

/** Every metric, by what it is found and drawn by. */
export interface CatalogueIndex {
  readonly metrics: readonly IndexEntry[]
  /** By each id that it answers to. */
  readonly byId: ReadonlyMap<string, IndexEntry>
}

const indexes = new WeakMap<readonly IndexEntry[], CatalogueIndex>()

/** The index of the catalogue, asked once for each generation. Throws `RequestFailure`. */
export async function readIndex(): Promise<CatalogueIndex> {
  const { data } = await read('metrics/index')
  const known = indexes.get(data)
  if (known) return known
  const metrics = unpackIndex(data)
  const index = { metrics, byId: byEachId(metrics) }
  indexes.set(data, index)
  return index
}
