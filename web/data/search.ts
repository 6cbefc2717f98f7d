import { isVariant, type SearchResult, searchMetrics } from '#contract/search/search.ts'
import type { CatalogueIndex, IndexEntry } from './catalogue.ts'

/** Searches as the API does. */
export const searchIndex = ({ metrics }: CatalogueIndex, query: string, max: number): SearchResult<IndexEntry> =>
  searchMetrics(metrics, query, max)

/** Metrics whose ids begin with a prefix: those of the whole market before those of parts of it, short ids before long ones. */
export const withPrefix = ({ metrics }: CatalogueIndex, prefix: string, max: number): readonly IndexEntry[] =>
  metrics
    .filter(({ id }) => id.startsWith(prefix))
    .sort((a, b) => Number(isVariant(a)) - Number(isVariant(b)) || a.id.length - b.id.length)
    .slice(0, max)
