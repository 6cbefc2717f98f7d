import { pacedTurns } from '#base/own-turn.ts'
import type { EndpointParameters } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { describeColumn, isSeries, type Metric } from '../catalogue.ts'
import type { Fields } from '../fields.ts'
import { type Column, tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, withheldMeta } from './answer.ts'
import { historyMeta } from './days.ts'

/**
 * Newest day of each category with a value within the dates; measures of single cohorts, most of
 * the answer, only on request.
 */
export async function latestAnswer(
  view: View,
  { cohorts, ...range }: EndpointParameters<typeof endpoints.latest>,
  wanted: Fields,
): Promise<Answer> {
  const shown = view.catalogue.metrics.filter(
    (metric) => metric.active && (cohorts || metric.cohort === null) && isSeries(metric),
  )
  const { visible, withheld } = view.split(shown, endpoints.latest.path)
  const { first, last } = view.visibleDays(range)
  const whole = visible.filter(({ cohort }) => cohort === null)
  const read = await view.valuesOf(whole)
  const values = new Map(whole.map((metric, i) => [metric, read[i]!]))

  const categories = [...Map.groupBy(visible, ({ category }) => category)]
  const rows = categories.map(([, metrics]) => {
    const columns = metrics.flatMap((metric) => values.get(metric) ?? [])
    let day = last
    while (day >= first && columns.every((column) => Number.isNaN(column[day - view.firstDay]!))) day--
    return day < first ? Number.NaN : day
  })
  const newest = new Map<Metric, number>()
  for (const [row, [, metrics]] of categories.entries()) {
    const day = rows[row]!
    const ofCohorts = metrics.filter(({ cohort }) => cohort !== null)
    const found = Number.isNaN(day) || ofCohorts.length === 0 ? undefined : await view.valuesOn(day, ofCohorts)
    for (const metric of metrics) newest.set(metric, values.get(metric)?.[day - view.firstDay] ?? Number.NaN)
    for (const [i, metric] of ofCohorts.entries()) newest.set(metric, found?.[i] ?? Number.NaN)
  }
  const columns: Column[] = [
    { name: 'category', kind: 'text', values: categories.map(([category]) => category) },
    { name: 'date', kind: 'date', values: Float64Array.from(rows) },
  ]
  const turn = pacedTurns()
  for (const [row, [, metrics]] of categories.entries()) {
    for (const metric of metrics) {
      const values = new Float64Array(categories.length).fill(Number.NaN)
      values[row] = newest.get(metric)!
      columns.push({ name: metric.id, columnNotes: describeColumn(metric), kind: 'number', values, onlyRow: row })
    }
    await turn()
  }
  const hidden = wanted.of(withheld.map((metric) => ({ ...metric, name: metric.id })))
  // Without a start date only the newest day is requested: no history is cut.
  const history = historyMeta(view, { ...range, limit: 0 }, 0)
  return { table: tableOf(columns), meta: { ...history, ...withheldMeta(hidden) } }
}
