import { type Tier, tiers } from '#contract/tiers.ts'
import { isSeries, type Metric } from '../published/catalogue.ts'
import type { Published } from '../published/published.ts'
import { type Column, tableOf } from '../table/columns.ts'
import { type Answer, firstVisibleDay, withheldMeta } from './answer.ts'

/** One item per category: its newest day with any value, and the values of that day. */
export async function latestAnswer(published: Published, tier: Tier, limit: number): Promise<Answer> {
  // The measures of every cohort would make up most of the answer.
  const shown = published.catalogue.metrics.filter(
    (metric) => metric.active && metric.cohort === null && isSeries(metric),
  )
  const visible = shown.filter(({ grade }) => grade <= tiers[tier].grade)
  const withheld = shown.filter(({ grade }) => grade > tiers[tier].grade)
  const from = firstVisibleDay(published, tier)
  const values = new Map<Metric, Float64Array>()
  const read = await published.valuesOf(visible)
  visible.forEach((metric, i) => void values.set(metric, read[i]!))

  const categories = [...Map.groupBy(visible, ({ category }) => category)].slice(0, limit)
  const rows = categories.map(([, metrics]) => {
    const columns = metrics.map((metric) => values.get(metric)!)
    let row = published.lastDay
    while (row >= from && columns.every((column) => Number.isNaN(column[row - published.firstDay]!))) row--
    return row < from ? Number.NaN : row
  })
  const columns: Column[] = [
    { name: 'category', kind: 'text', values: categories.map(([category]) => category) },
    { name: 'date', kind: 'date', values: Float64Array.from(rows) },
    ...categories.flatMap(([, metrics], row) =>
      metrics.map((metric): Column => {
        const column = new Float64Array(categories.length).fill(Number.NaN)
        column[row] = values.get(metric)![rows[row]! - published.firstDay] ?? Number.NaN
        return { name: metric.id, kind: 'number', values: column, onlyRow: row }
      }),
    ),
  ]
  const names = withheld.map(({ id }) => id)
  return { table: tableOf(columns), meta: withheldMeta(names, withheld) }
}
