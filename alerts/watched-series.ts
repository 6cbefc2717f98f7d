import { DuckDBDateValue } from '@duckdb/node-api'
import type { Watched } from '#contract/alerts.ts'
import { todayMetrics } from '#contract/tables/today.ts'
import { formulaSource, metricSource } from '#query/answers/series.ts'
import type { Metric } from '#query/catalogue.ts'
import type { View } from '#query/view.ts'

/**
 * Values by day from `firstDay` on, NaN if unknown. Days after `closedDay` reach at most to the
 * open one.
 */
export interface WatchedSeries {
  readonly firstDay: number
  readonly closedDay: number
  readonly values: Float64Array
  /** Newest block of the open day; null if that is not among the values. */
  readonly height: number | null
  /** The open day can be known: all metrics are levels of the table `today`. */
  readonly eachBlock: boolean
}

/** Visible values. Throws what a request for the same series would. */
export async function readWatchedSeries(
  view: View,
  { metric, formula = '' }: Pick<Watched, 'metric' | 'formula'>,
): Promise<WatchedSeries> {
  const { needs, compute } = metric === undefined ? formulaSource(view, formula) : metricSource(view, metric)
  const { firstDay, lastDay: closedDay, dayCount } = view
  const columns = await view.valuesOf(needs)
  // Sums of a day that is not over would be compared with those of whole days.
  const eachBlock = needs.every(({ id, kind }) => kind === 'level' && id in todayMetrics)
  const open = eachBlock ? await readOpenDay(view, needs) : undefined
  const length = open ? open.day - firstDay + 1 : dayCount
  const byId = new Map(
    needs.map(({ id }, i) => [id, open ? extend(columns[i]!, length, open.values[i]!) : columns[i]!]),
  )
  const values = await compute((id) => byId.get(id)!, length, view.work)
  return { firstDay, closedDay, values, height: open?.height ?? null, eachBlock }
}

async function readOpenDay(view: View, metrics: readonly Metric[]) {
  if (view.today === undefined || view.dayCount === 0) return undefined
  const names = metrics.map(({ id }) => `${id}::DOUBLE`)
  const columns = await view.query(
    `SELECT ${['date', 'as_of_height', ...names].join(', ')} FROM ${view.today} WHERE date > $last`,
    { last: new DuckDBDateValue(view.lastDay) },
  )
  const [day, height, ...values] = columns.map(({ values: [value] }) => Number(value))
  return day === undefined || Number.isNaN(day) || height === undefined ? undefined : { day, height, values }
}

/** Days between the published and the open one are unknown. */
function extend(column: Float64Array, length: number, last: number): Float64Array {
  const extended = new Float64Array(length).fill(Number.NaN)
  extended.set(column)
  extended[length - 1] = last
  return extended
}
