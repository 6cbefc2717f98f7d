import { dayOf, isoDate } from '#base/days.ts'
import { type RangeName, rangeNames, type ScaleName, scaleNames } from '#contract/chart-words.ts'
import { viewParameters } from '#contract/pages.ts'
import { go, place } from '../app/router.ts'

/** What a reader chose of a chart: a range by name or by its days (unix days), and the scale. */
export interface View {
  readonly range: RangeName
  readonly days: readonly [from: number, to: number] | undefined
  readonly scale: ScaleName | undefined
}

/** The view that the address holds: `range`, or `from` and `to`; `scale`. What makes no sense there is as if left out. */
export function viewOfAddress(usual: RangeName): View {
  const { query } = place.value
  const [from, to] = ['from', 'to'].map((name) => dayOf(query.get(name) ?? ''))
  const days = from !== undefined && to !== undefined && to - from >= leastDays - 1 ? ([from, to] as const) : undefined
  return {
    range: rangeNames.find((name) => name === query.get('range')) ?? usual,
    days,
    scale: scaleNames.find((name) => name === query.get('scale')),
  }
}

/** The least that a reader can zoom in to. */
export const leastDays = 7

/** Puts a view into the address, so that a copied link shows the same; moving adds no steps to go back to. The usual range is left out. */
export function putViewInAddress(view: View, usual: RangeName | undefined): void {
  const query = new URLSearchParams(place.peek().query)
  for (const name of viewParameters) query.delete(name)
  if (view.days) {
    query.set('from', isoDate(Math.round(view.days[0])))
    query.set('to', isoDate(Math.round(view.days[1])))
  } else if (view.range !== usual) query.set('range', view.range)
  if (view.scale) query.set('scale', view.scale)
  go(`${place.peek().path}${query.size > 0 ? `?${query}` : ''}`, { replace: true })
}
