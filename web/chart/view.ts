import { isoDate, parseDay } from '#base/days.ts'
import { type RangeName, rangeNames, type ScaleName, scaleNames } from '#contract/chart-options.ts'
import type { viewParameters } from '#contract/pages.ts'
import { replaceQuery, route } from '../app/router.ts'
import type { ChartOptions } from './chart-options.ts'

/** A range by name or by unix days, and the scale. */
export interface View {
  readonly range: RangeName
  readonly days: readonly [from: number, to: number] | undefined
  readonly scale: ScaleName | undefined
}

/** Reads the view from the address (`range`, or `from` and `to`; `scale`) and ignores invalid values. */
export function readView(defaultRange: RangeName): View {
  const { query } = route.value
  const [from, to] = ['from', 'to'].map((name) => parseDay(query.get(name) ?? ''))
  const days = from !== undefined && to !== undefined && from <= to ? ([from, to] as const) : undefined
  return {
    range: rangeNames.find((name) => name === query.get('range')) ?? defaultRange,
    days,
    scale: scaleNames.find((name) => name === query.get('scale')),
  }
}

/** Closest zoom of a gesture. */
export const minDays = 7

/** Writes the view into the address without a history entry; the default range is left out. */
export function writeView({ range, days, scale }: View, defaultRange: RangeName | undefined): void {
  const [from, to] = days?.map((day) => isoDate(Math.round(day))) ?? []
  const parameters: Record<(typeof viewParameters)[number], string | undefined> = {
    range: days || range === defaultRange ? undefined : range,
    from,
    to,
    scale,
  }
  replaceQuery(parameters)
}

/** Chart options with a view's days or range, and its scale. */
export const applyView = (options: ChartOptions, { range, days, scale }: View): ChartOptions => ({
  ...options,
  ...(scale && { scale }),
  ...(days ? { start_date: days[0], end_date: days[1] } : { range }),
})
