import { endpoints } from '#contract/endpoints.ts'
import type { Range } from '#contract/parameters.ts'
import { describeColumn, isSeries, type Metric } from '../catalogue.ts'
import type { Fields } from '../fields.ts'
import { type Column, tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, withheldMeta } from './answer.ts'
import { historyMeta } from './days.ts'

/** One item per category: the newest day within the dates on which it has a value, with the values of that day. */
export async function latestAnswer(view: View, range: Range, wanted: Fields): Promise<Answer> {
  // The measures of every cohort would make up most of the answer.
  const shown = view.catalogue.metrics.filter((metric) => metric.active && metric.cohort === null && isSeries(metric))
  const { visible, withheld } = view.split(shown, endpoints.latest.path)
  const { first, last } = view.visibleDays(range)
  const values = new Map<Metric, Float64Array>()
  const read = await view.valuesOf(visible)
  visible.forEach((metric, i) => void values.set(metric, read[i]!))

  const categories = [...Map.groupBy(visible, ({ category }) => category)]
  const rows = categories.map(([, metrics]) => {
    const columns = metrics.map((metric) => values.get(metric)!)
    let day = last
    while (day >= first && columns.every((column) => Number.isNaN(column[day - view.firstDay]!))) day--
    return day < first ? Number.NaN : day
  })
  const columns: Column[] = [
    { name: 'category', kind: 'text', values: categories.map(([category]) => category) },
    { name: 'date', kind: 'date', values: Float64Array.from(rows) },
    ...categories.flatMap(([, metrics], row) =>
      metrics.map((metric): Column => {
        const column = new Float64Array(categories.length).fill(Number.NaN)
        column[row] = values.get(metric)![rows[row]! - view.firstDay] ?? Number.NaN
        return { name: metric.id, columnNotes: describeColumn(metric), kind: 'number', values: column, onlyRow: row }
      }),
    ),
  ]
  const hidden = wanted.of(withheld.map((metric) => ({ ...metric, name: metric.id })))
  // Without a start date only the newest day is requested, so no history can be cut.
  const history = historyMeta(view, { ...range, limit: 0 }, 0)
  return { table: tableOf(columns), meta: { ...history, ...withheldMeta(hidden) } }
}
