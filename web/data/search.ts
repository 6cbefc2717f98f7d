import { isVariant, type Searched, type SearchResult, searchMetrics } from '#contract/search/search.ts'
import type { CatalogueIndex, IndexEntry } from './catalogue.ts'

interface SearchIndex {
  readonly metrics: readonly (IndexEntry & Searched)[]
  /** Id, name and aliases in lower case. */
  readonly texts: ReadonlyMap<IndexEntry, string>
}

const searchIndexes = new WeakMap<CatalogueIndex, SearchIndex>()

function prepareIndex(index: CatalogueIndex): SearchIndex {
  const found = searchIndexes.get(index)
  if (found) return found
  const metrics = index.metrics.map((metric) => ({ ...metric, short_description: null }))
  const texts = new Map(metrics.map((one) => [one, [one.id, one.name, ...one.aliases].join(' ').toLowerCase()]))
  const prepared = { metrics, texts }
  searchIndexes.set(index, prepared)
  return prepared
}

/**
 * Searches as the API does, without descriptions, which the index lacks. If nothing matches, also finds parts of
 * words.
 */
export function searchIndex(
  index: CatalogueIndex,
  query: string,
  max: number,
): Omit<SearchResult<IndexEntry>, 'scores'> {
  const { metrics, texts } = prepareIndex(index)
  const found = searchMetrics(metrics, query, max)
  if (found.metrics.length > 0 || found.notTracked) return found
  const parts = query
    .toLowerCase()
    .split(/[\s_]+/)
    .filter((part) => part !== '')
  const holding = metrics.filter((metric) => parts.every((part) => texts.get(metric)?.includes(part)))
  return { metrics: generalFirst(holding).slice(0, max) }
}

export const withPrefix = (index: CatalogueIndex, prefix: string, max: number): readonly IndexEntry[] =>
  generalFirst(index.metrics.filter(({ id }) => id.startsWith(prefix))).slice(0, max)

/** Metrics of the whole market before those of parts of it, short ids before long ones. */
const generalFirst = <Metric extends IndexEntry>(metrics: readonly Metric[]): readonly Metric[] =>
  [...metrics].sort((a, b) => Number(isVariant(a)) - Number(isVariant(b)) || a.id.length - b.id.length)
