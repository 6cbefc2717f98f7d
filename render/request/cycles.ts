import { formatDay } from '../draw/calendar.ts'
import type { XAxis } from '../draw/specification.ts'
import { nameWithUnit } from './axis-defaults.ts'
import type { RequestedAxis, RequestedSeries } from './request.ts'

export interface CycleOverlay {
  readonly x: XAxis
  /** Oldest first; values by day of the cycle. */
  readonly cycles: readonly { readonly firstDay: number; readonly values: Float64Array }[]
  readonly indexed: boolean
}

/**
 * Splits a column at the first days of cycles (ascending unix days, as `days`). With `indexed`, each cycle is divided by its value on
 * its first day; cycles without that value are omitted.
 */
export function overlayCycles(
  days: Int32Array,
  values: Float64Array,
  firstDays: readonly number[],
  indexed: boolean,
): CycleOverlay {
  const newest = firstDays.at(-1) ?? days[0] ?? 0
  const end = (days.at(-1) ?? newest) + 1
  const lengths = firstDays.map((first, i) => Math.min(firstDays[i + 1] ?? end, end) - first)
  const length = Math.max(0, ...lengths)
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

/** One series per cycle, on one axis; the newest is drawn wider. */
export function createCycleSeries(
  metric: { id: string; label: string; unit: string },
  { cycles, indexed }: CycleOverlay,
): { axes: RequestedAxis[]; series: RequestedSeries[] } {
  const unit = indexed ? 'ratio' : metric.unit
  const title = indexed ? `${metric.label} (first day = 1)` : nameWithUnit(metric.label, unit === '%' ? '' : unit)
  const series = cycles.map(({ firstDay, values }, i) => ({
    id: metric.id,
    label: `From ${formatDay(firstDay)}`,
    unit,
    axisId: 'cycles',
    lineWidth: i === cycles.length - 1 ? 2.4 : 1.4,
    showInLegend: true,
    cycleStart: firstDay,
    values,
  }))
  return { axes: [{ id: 'cycles', title }], series }
}
