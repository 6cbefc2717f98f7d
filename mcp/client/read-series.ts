import { endpoints } from '#contract/endpoints.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import type { Call } from './call.ts'
import { type History, historyOf } from './history.ts'

const series = successSchema(rows.series)
/** More than there are days; statistics need them all. */
const allDays = '10000'

/** All that the caller may see of metrics, and of a formula over them, which is the column `formula`. */
export function readSeries(
  ids: readonly string[],
  { rest, histories, catalogue, signal }: Call,
  formula?: string,
): Promise<History> {
  const query = new URLSearchParams({
    ...(ids.length > 0 && { metrics: ids.join(',') }),
    ...(formula !== undefined && { formula }),
    limit: allDays,
  })
  const path = `${endpoints.series.path}?${query}`
  return rest.getCached(path, series, historyOf, histories, signal).then((history) => {
    catalogue.saw(history.meta.generation)
    return history
  })
}
