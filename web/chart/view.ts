import { dayOf, isoDate } from '#base/days.ts'
import { type RangeName, rangeNames, type ScaleName, scaleNames } from '#contract/chart-words.ts'
import { viewParameters } from '#contract/pages.ts'
import { go, route } from '../app/router.ts'

/** What a reader chose of a chart: a range by name or by its days (unix days), and the scale. */
export interface View {
  readonly range: RangeName
  readonly days: readonly [from: number, to: number] | undefined
  readonly scale: ScaleName | undefined
}

/** The view that the address holds: `range`, or `from` and `to`; `scale`. What makes no sense there is as if left out. */
export function readView(defaultRange: RangeName): View {
  const { query } = route.value
  const [from, to] = ['from', 'to'].map((name) => dayOf(query.get(name) ?? ''))
  const days = from !== undefined && to !== undefined && to - from >= minDays - 1 ? ([from, to] as const) : undefined
  return {
    range: rangeNames.find((name) => name === query.get('range')) ?? defaultRange,
    days,
    scale: scaleNames.find((name) => name === query.get('scale')),
  }
}

/** The least that a reader can zoom in to. */
export const minDays = 7

/** Puts a view into the address, so that a copied link shows the same; moving adds no steps to go back to. The usual range is left out. */
export function writeView(view: View, defaultRange: RangeName | undefined): void {
  const query = new URLSearchParams(route.peek().query)
  for (const name of viewParameters) query.delete(name)
  if (view.days) {
    query.set('from', isoDate(Math.round(view.days[0])))
    query.set('to', isoDate(Math.round(view.days[1])))
  } else if (view.range !== defaultRange) query.set('range', view.range)
  if (view.scale) query.set('scale', view.scale)
  go(`${route.peek().path}${query.size > 0 ? `?${query}` : ''}`, { replace: true })
}
