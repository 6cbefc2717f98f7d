import { isoDate } from '#base/days.ts'
import { formatDay } from '../draw/calendar.ts'
import type { XAxis } from '../draw/specification.ts'
import { nameWithUnit } from './axis-defaults.ts'
import { toQuantity } from './chart-column.ts'
import type { ChartColumns } from './chart-columns.ts'
import type { ChartPlan } from './chart-plan.ts'
import type { ChartSource } from './chart-source.ts'
import type { RequestedAxis, RequestedSeries } from './request.ts'
import { ChartRequestError } from './request-error.ts'

/**
 * Splits a column at the first days of cycles (ascending unix days, as `days`), each cut to
 * `maxDays`. Returns cycles, oldest first, with values by day of the cycle; with `indexed` divided
 * by their first day's value, without cycles that lack one.
 */
export function overlayCycles(
  days: Int32Array,
  values: Float64Array,
  firstDays: readonly number[],
  indexed: boolean,
  maxDays = Number.POSITIVE_INFINITY,
) {
  const newest = firstDays.at(-1) ?? days[0] ?? 0
  const end = (days.at(-1) ?? newest) + 1
  const lengths = firstDays.map((first, i) => Math.min(firstDays[i + 1] ?? end, end) - first)
  const length = Math.min(maxDays, Math.max(0, ...lengths))
  const cycles = firstDays.map((firstDay) => ({ firstDay, values: new Float64Array(length).fill(Number.NaN) }))
  let cycle = -1
  days.forEach((day, i) => {
    while (cycle + 1 < firstDays.length && day >= firstDays[cycle + 1]!) cycle++
    const current = cycles[cycle]
    if (current !== undefined) current.values[day - current.firstDay] = values[i]!
  })
  if (indexed) for (const { values: column } of cycles) divideByFirst(column)
  const x: XAxis = {
    kind: 'day_offset',
    days: Int32Array.from({ length }, (_, offset) => newest + offset),
    firstDay: newest,
  }
  return { x, cycles: cycles.filter((one) => one.values.some(Number.isFinite)), indexed }
}

function divideByFirst(column: Float64Array): void {
  const first = column[0]!
  for (let i = 0; i < column.length; i++) column[i] = column[i]! / (first > 0 ? first : Number.NaN)
}

/** One series per cycle, on one axis; the newest is wider. */
export function createCycleSeries(
  metric: { id: string; label: string; unit: string },
  { cycles, indexed }: ReturnType<typeof overlayCycles>,
  provisionalStart?: number,
): { axes: RequestedAxis[]; series: RequestedSeries[] } {
  const unit = indexed ? 'ratio' : metric.unit
  const title = indexed ? `${metric.label} (first day = 1)` : nameWithUnit(metric.label, unit === '%' ? '' : unit)
  const series = cycles.map(({ firstDay, values }, i) => ({
    id: metric.id,
    label: `From ${formatDay(firstDay)}${firstDay === provisionalStart ? ', provisional' : ''}`,
    unit,
    y_axis_id: 'cycles',
    line_width: i === cycles.length - 1 ? 2.4 : 1.4,
    show_in_legend: true,
    cycleStart: firstDay,
    values,
  }))
  return { axes: [{ id: 'cycles', title }], series }
}

/** Overlays cycles of the plan's only metric, cut to `plan.days`. */
export async function composeCycles(
  source: ChartSource,
  { cycle_family: family, indexed = false, cycle_days: countsDays, title, days: dayCount }: ChartPlan,
  columns: ChartColumns,
  { first, last }: { readonly first: number; readonly last: number },
) {
  const [metric, { label, values }] = [columns.metrics[0]!, columns.series[0]!]
  const { firstDays: starts, isLastProvisional } = await source.cycleStarts(family)
  // Omits cycles that were more than a third over when the metric began.
  const isIncomplete = (start: number, i: number) => {
    const next = starts[i + 1]
    return next !== undefined && metric.firstDay !== undefined && metric.firstDay - start > (next - start) / 3
  }
  const firstDays = starts.filter((start, i) => !isIncomplete(start, i))
  const days = Int32Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)
  const shown = values.subarray(first - source.firstDay, Math.max(first, last + 1) - source.firstDay)
  const overlay = overlayCycles(days, shown, firstDays, indexed, dayCount)
  if (overlay.cycles.length === 0) {
    const message = `there is no cycle of the family ${family} ${indexed ? 'that begins with more than zero ' : ''}between ${isoDate(first)} and ${isoDate(last)}`
    throw new ChartRequestError('not_found', message, { parameter: 'cycle_family' })
  }
  const { axes, series } = createCycleSeries(
    { id: metric.id, label, ...toQuantity(metric) },
    overlay,
    isLastProvisional ? starts.at(-1) : undefined,
  )
  return {
    title: title ?? `${label}, ${family} cycles`,
    x: { ...overlay.x, ...(countsDays && { countsDays }) },
    axes,
    series,
  }
}

export function requireConstant(level: number | Float64Array): number {
  if (typeof level === 'number') return level
  throw new ChartRequestError('invalid_parameter', 'with x_axis day_offset a level must be a number', {
    parameter: 'reference_lines',
  })
}
