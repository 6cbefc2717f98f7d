import { type Searched, type SearchResult, searchMetrics } from '#contract/search/search.ts'
import type { CatalogueIndex, IndexEntry } from './catalogue.ts'

type Found = IndexEntry & Searched

const prepared = new WeakMap<CatalogueIndex, readonly Found[]>()

/** The metrics that fit a search, as the API finds them but for words of descriptions, which the index leaves out. */
export function searchIndex(index: CatalogueIndex, query: string, most: number): SearchResult<IndexEntry> {
  const metrics = prepared.get(index) ?? index.metrics.map((metric) => ({ ...metric, short_description: null }))
  prepared.set(index, metrics)
  return searchMetrics(metrics, query, most)
}
