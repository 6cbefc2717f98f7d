import type { SearchResult } from '#contract/search/search.ts'

/** Below it a metric has no more than a word of a question in common. */
const minScore = 0.12

/** What is told of a search for something that is not here, or seems not to be. */
export function notTrackedNote({ notTracked, scores: [best = 0] }: Omit<SearchResult<unknown>, 'metrics'>) {
  if (notTracked !== undefined) return { not_tracked: notTracked }
  if (best >= minScore) return {}
  return { not_tracked: 'perhaps not tracked: nothing here fits the question as a whole, only words of it' }
}
