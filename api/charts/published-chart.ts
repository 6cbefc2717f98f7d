import { findBalanceMeasure } from '#contract/balance-measures.ts'
import type { ChartBody } from '#contract/charts.ts'
import type { View } from '#query/view.ts'
import type { ChartSpecification, ReferenceArea } from '#render/draw/specification.ts'
import { type ComposedChart, composeChart } from '#render/request/chart-composer.ts'
import { publishedSource } from './published-source.ts'

/** Throws what `composeChart` throws. `publicUrl` is the instance's address for users. */
export async function composePublished(view: View, ask: ChartBody, publicUrl?: string): Promise<ComposedChart> {
  const composed = await composeChart(publishedSource(view, publicUrl), ask)
  return { ...composed, specification: await withIntervals(view, composed.specification) }
}

/** Adds the 95 % intervals of estimates as bands in the colours of their lines. */
async function withIntervals(view: View, chart: ChartSpecification): Promise<ChartSpecification> {
  const areas: ReferenceArea[] = []
  for (const { id, values, stacked, color, axisId } of chart.series) {
    const measure = findBalanceMeasure(id)
    if (measure === undefined || stacked || chart.x.kind !== 'date' || !view.has('address_balances')) continue
    const rows = await view.columns(
      `SELECT date, value, low, high FROM ${view.table('address_balances', `a chart of ${id}`)}
       WHERE measure = $measure AND low < high`,
      { measure },
    )
    const places = new Map(Array.from(rows.date ?? [], (day, row) => [day, row] as const))
    // Sums of weeks, and normalized values, have other intervals than their days.
    const readEnd = (ends: ArrayLike<number> = []) =>
      values.map((value, i) => {
        const row = places.get(chart.x.days[i]!) ?? -1
        return rows.value?.[row] === value ? ends[row]! : Number.NaN
      })
    const [y1, y2] = [readEnd(rows.low), readEnd(rows.high)]
    if (y1.some(Number.isFinite)) areas.push({ y1, y2, axisId, fill: color, opacity: 0.2, label: '' })
  }
  return { ...chart, referenceAreas: [...chart.referenceAreas, ...areas] }
}
