import { searchMetrics } from '#contract/search/search.ts'
import type { Call } from './call.ts'
import { ToolError } from './tool-error.ts'

const maxSuggestions = 3

/** Names metrics close to an unknown one, and the reason if it is not tracked. The API itself corrects misspelled ids. */
export async function explainUnknownMetric(
  error: unknown,
  ids: readonly string[],
  { catalogue, rest, signal }: Call,
): Promise<unknown> {
  if (!(error instanceof ToolError) || error.code !== 'not_found') return error
  const known = await catalogue.read(rest, signal)
  const unknown = ids.find((id) => !known.find(id))
  if (unknown === undefined) return error
  const { metrics, notTracked } = searchMetrics(known.metrics, unknown.replaceAll('_', ' '), maxSuggestions)
  if (notTracked === undefined && (metrics.length === 0 || error.message.includes('did you mean'))) return error
  const reason = notTracked === undefined ? '' : `; ${notTracked}`
  const nearest = metrics.map(({ id }) => id).join(', ')
  return new ToolError(
    `there is no metric '${unknown}'${reason} [not_found]`,
    nearest === ''
      ? 'search_metrics finds what there is'
      : `use what comes nearest: ${nearest}; search_metrics finds others`,
    { cause: error, code: error.code },
  )
}
