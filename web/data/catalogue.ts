import { indexByIds } from '#contract/metric-ids.ts'
import { unpackIndex } from '#contract/metric-index.ts'
import { type Row, read } from './client.ts'

export type IndexEntry = Row<'metrics/index'>

export interface CatalogueIndex {
  readonly metrics: readonly IndexEntry[]
  /** Also by aliases. */
  readonly byId: ReadonlyMap<string, IndexEntry>
}

const indexes = new WeakMap<readonly IndexEntry[], CatalogueIndex>()

export async function readIndex(): Promise<CatalogueIndex> {
  const { data } = await read('metrics/index')
  const known = indexes.get(data)
  if (known) return known
  const metrics = unpackIndex(data)
  const index = { metrics, byId: indexByIds(metrics) }
  indexes.set(data, index)
  return index
}
