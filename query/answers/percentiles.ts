import { endpoints } from '#contract/endpoints.ts'
import { isVariant } from '#contract/search/search.ts'
import { isSeries, type Metric } from '../catalogue.ts'
import { tableOf } from '../table/columns.ts'
import type { UnrestrictedView, View } from '../view.ts'
import { type Answer, withheldMeta } from './answer.ts'
import { requireSeries } from './series.ts'

const daysAgo = 7

/**
 * Percentile ranks of the newest values of metrics in their whole history, and of those a week earlier. Every tier gets
 * the rank in the whole history: it reveals next to nothing about the values, and a rank among sixty days would be
 * mistaken for it.
 */
export async function percentilesAnswer(
  view: UnrestrictedView,
  { metrics }: { readonly metrics?: string | undefined },
): Promise<Answer> {
  const { visible, withheld } = view.split(selectMetrics(view, metrics), endpoints.percentiles.path)
  const columns = await view.all.valuesOf(visible)
  const firstVisible = view.firstDay - view.all.firstDay
  const known = visible.flatMap((metric, i) => {
    const standing = rankNewest(columns[i]!, firstVisible)
    return standing ? [{ metric, ...standing }] : []
  })
  const day = (row: number): number => view.all.firstDay + row
  const numbers = (of: (one: (typeof known)[number]) => number): Float64Array => Float64Array.from(known, of)
  return {
    table: tableOf([
      { name: 'id', kind: 'text', values: known.map(({ metric }) => metric.id) },
      { name: 'date', kind: 'date', values: numbers(({ last }) => day(last)) },
      { name: 'value', kind: 'number', values: numbers(({ value }) => value) },
      { name: 'percentile', kind: 'number', values: numbers(({ percentile }) => percentile) },
      { name: 'history_from', kind: 'date', values: numbers(({ first }) => day(first)) },
      { name: 'value_7d_ago', kind: 'number', values: numbers(({ valueBefore }) => valueBefore) },
      { name: 'percentile_7d_ago', kind: 'number', values: numbers(({ percentileBefore }) => percentileBefore) },
    ]),
    meta: withheldMeta(withheld.map(({ id, grade }) => ({ name: id, grade }))),
  }
}

/** Without a list: all metrics except those of single cohorts, exchanges, funds and entities, which are thousands. */
function selectMetrics(view: View, metrics: string | undefined): readonly Metric[] {
  if (metrics !== undefined) return [...new Set(metrics.split(','))].map((id) => requireSeries(view, id, 'metrics'))
  return view.catalogue.metrics.filter((metric) => metric.active && isSeries(metric) && !isVariant(metric))
}

/**
 * Rows are days; a percentile is the percentage of known values that are not higher. Undefined if no value is known
 * from row `firstVisible` on: earlier values are not revealed.
 */
export function rankNewest(values: Float64Array, firstVisible = 0) {
  const first = values.findIndex((value) => !Number.isNaN(value))
  const last = values.findLastIndex((value) => !Number.isNaN(value))
  if (last < firstVisible) return undefined
  const value = values[last]!
  const valueBefore = last - daysAgo < firstVisible ? Number.NaN : values[last - daysAgo]!
  let [count, notAbove, notAboveBefore] = [0, 0, 0]
  for (const one of values) {
    if (Number.isNaN(one)) continue
    count++
    if (one <= value) notAbove++
    if (one <= valueBefore) notAboveBefore++
  }
  const percentileBefore = Number.isNaN(valueBefore) ? Number.NaN : (100 * notAboveBefore) / count
  return { first, last, value, percentile: (100 * notAbove) / count, valueBefore, percentileBefore }
}
