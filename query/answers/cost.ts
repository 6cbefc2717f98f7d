import type { Endpoint } from '#contract/endpoint.ts'
import { defaultInterval } from '#contract/intervals.ts'
import type { CommonParameters } from '#contract/parameters.ts'
import { valuesPerMs, valuesPerRow } from '#sql/formula/evaluate.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import type { Fields } from '../fields.ts'
import type { View } from '../view.ts'
import { maxDays } from './days.ts'

/** Measured on one core of a cloud server of 2024. */
const cellsPerMs = 1_700
/**
 * A search blocks for some 10 ms; this makes it a large request. Refusing an unknown metric
 * searches, too.
 */
const searchMs = 40
/** For endpoints with a row for each exchange and the like. */
const defaultKeysPerDay = 10

/** Expected ms of reading and encoding an answer; rather too long than too short. */
export function expectedMs(view: View, endpoint: Endpoint, parameters: CommonParameters, fields: Fields): number {
  const { limit = 0, start_date, end_date, interval = defaultInterval, metrics, formula, metric_id, q } = parameters
  const { catalogue, firstDay, lastDay, dayCount } = view
  const days = Math.min(end_date ?? lastDay, lastDay) - Math.max(start_date ?? firstDay, firstDay) + 1
  const hasKeys = endpoint.key.filter((name) => name !== 'time').length > 1
  const allRows = (days * (endpoint.rowsPerDay ?? (hasKeys ? defaultKeysPerDay : 1))) / maxDays[interval]
  const rows = limit === 0 || start_date === undefined ? Math.min(limit, allRows) : allRows
  // Weeks and months are read by day.
  const daysPerRow = Math.max(1, maxDays[interval])
  const available = 'cohort' in endpoint.pathParameters.shape ? catalogue.measures : catalogue.servedBy(endpoint.id)
  const chosen = metrics?.split(',') ?? []
  const parsed = formula === undefined ? undefined : parseFormula(formula)
  // The metrics, the formula and the time.
  const columns = chosen.length > 0 || parsed ? chosen.length + 2 : fields.count(available.length)
  const computed = parsed === undefined ? 0 : dayCount * valuesPerRow(parsed.root)
  const named = [...chosen, ...(metric_id === undefined ? [] : [metric_id]), ...(parsed?.references.keys() ?? [])]
  const searches = q !== undefined || named.some((name) => catalogue.find(name) === undefined)
  return Math.max(0, rows * daysPerRow * columns) / cellsPerMs + computed / valuesPerMs + (searches ? searchMs : 0)
}
