import { utcMonday, utcMonth, utcYear } from 'd3-time'
import { dayAt } from '#base/days.ts'
import { toDate } from './calendar.ts'
import { appendElement, type Box, type Drawing, drawClipped, type Group, round } from './drawing.ts'
import type { ChartSpecification, Days, XAxis } from './specification.ts'

const periods = { week: utcMonday, month: utcMonth, year: utcYear }
export type Period = keyof typeof periods
export const isPeriod = (interval: string | undefined): interval is Period =>
  interval !== undefined && interval in periods

/** Last day of the period that contains a unix day. */
const endOfPeriod = (day: number, period: Period): number => dayAt(periods[period].ceil(toDate(day + 1)).getTime()) - 1

/** The newest week, month or year, if the chart ends before it. */
function unfinishedPeriod({ x, monthGrid }: ChartSpecification): Period | undefined {
  const last = x.days.at(-1)
  const period = x.kind !== 'date' ? undefined : monthGrid ? 'month' : x.interval
  return last !== undefined && isPeriod(period) && endOfPeriod(last, period) > last ? period : undefined
}

/**
 * Days at which entries are drawn: an unfinished period is as far from its predecessor as a
 * whole one.
 */
export function placedDays(x: XAxis): Days {
  const last = x.days.at(-1)
  if (x.kind !== 'date' || !isPeriod(x.interval) || last === undefined) return x.days
  return x.days.with(-1, endOfPeriod(last, x.interval))
}

/** Whether the newest bars, candles or month cells are hatched. */
export function isHatched(chart: ChartSpecification): boolean {
  const hasBars = chart.series.some(({ style }) => style === 'bar' || style === 'candle')
  return (hasBars || chart.monthGrid !== undefined) && unfinishedPeriod(chart) !== undefined
}

export function describeUnfinished(chart: ChartSpecification): string[] {
  const period = unfinishedPeriod(chart)
  if (period === undefined) return []
  return [
    `The newest ${chart.monthGrid ? 'month and year are' : `${period} is`} not over${isHatched(chart) ? ' (hatched)' : ''}.`,
  ]
}

/** Stripes in the background's colour, visible on fills. */
export function drawHatch({ sizes, theme }: Drawing, parent: Group, box: Box, opacity = 0.75): void {
  const { left, right, top, bottom } = box
  const step = 5 * sizes.scale
  const height = bottom - top
  let d = ''
  for (let x = left - height; x < right; x += step)
    d += `M${round(x)},${round(bottom)}l${round(height)},${round(-height)}`
  appendElement(drawClipped(parent, box), 'path', {
    class: 'hatch',
    d,
    fill: 'none',
    stroke: theme.background,
    'stroke-width': round(1.8 * sizes.scale),
    'stroke-opacity': opacity,
  })
}
