import type { searchMetrics } from '#contract/search/search.ts'
import { isVariant } from '#contract/variants.ts'
import type { CatalogueIndex, IndexEntry } from './catalogue.ts'

export type Search = typeof searchMetrics<IndexEntry>

/** Loaded at first use, because it is larger than most pages. */
export const loadSearch = async (): Promise<Search> => (await import('#contract/search/search.ts')).searchMetrics

/** Metrics of the whole market before those of parts, short ids before long ones. */
export const withPrefix = ({ metrics }: CatalogueIndex, prefix: string, max: number): readonly IndexEntry[] =>
  metrics
    .filter(({ id }) => id.startsWith(prefix))
    .sort((a, b) => Number(isVariant(a)) - Number(isVariant(b)) || a.id.length - b.id.length)
    .slice(0, max)
