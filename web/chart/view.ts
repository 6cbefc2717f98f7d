import { isoDate, parseDay } from '#base/days.ts'
import { ownAxes, type RangeName, rangeNames, type ScaleName, scaleNames } from '#contract/chart-options.ts'
import type { viewParameters } from '#contract/pages.ts'
import { replaceQuery, route } from '../app/router.ts'
import type { ChartOptions } from './chart-options.ts'

/** Ends of an axis in its values; undefined follows the data. */
export type AxisEnds = readonly [min: number | undefined, max: number | undefined]

/** `days` (unix days) replace `range`; `axes` are by id. */
export interface View {
  readonly range: RangeName
  readonly days: readonly [from: number, to: number] | undefined
  readonly scale: ScaleName | undefined
  readonly axes?: Readonly<Record<string, AxisEnds>> | undefined
}

/** Ignores invalid values in the address. */
export function readView(defaultRange: RangeName): View {
  const { query } = route.value
  const [from, to] = ['from', 'to'].map((name) => parseDay(query.get(name) ?? ''))
  return {
    range: rangeNames.find((name) => name === query.get('range')) ?? defaultRange,
    days: from !== undefined && to !== undefined && from <= to ? [from, to] : undefined,
    scale: scaleNames.find((name) => name === query.get('scale')),
    axes: parseAxes(query.get('y')),
  }
}

export const minDays = 7

/** Writes to the address, without a history entry; leaves out the default range. */
export function writeView({ range, days, scale, axes }: View, defaultRange: RangeName | undefined): void {
  const [from, to] = days?.map((day) => isoDate(Math.round(day))) ?? []
  const parameters: Record<(typeof viewParameters)[number], string | undefined> = {
    range: days || range === defaultRange ? undefined : range,
    from,
    to,
    scale,
    y: axes && formatAxes(axes),
  }
  replaceQuery(parameters)
}

/** `0.5,4,auto:ratio;,100,price_overlay`: lower and upper end and id of each axis. */
const formatAxes = (axes: NonNullable<View['axes']>): string =>
  Object.entries(axes)
    .map(([id, [min = '', max = '']]) => `${min},${max},${id.replaceAll('%', '%25').replaceAll(';', '%3B')}`)
    .join(';')

function parseAxes(text: string | null): View['axes'] {
  if (text === null) return undefined
  const axes = text.split(';').flatMap((part): (readonly [string, AxisEnds])[] => {
    const [min, max, ...id] = part.split(',')
    const ends = [min, max].map((end) => (end ? Number(end) : undefined))
    const isValid = ends.every((end) => end === undefined || Number.isFinite(end)) && !(ends[0]! >= ends[1]!)
    const name = id.join(',').replaceAll('%3B', ';').replaceAll('%25', '%')
    return isValid && name !== '' && (min || max) ? [[name, [ends[0], ends[1]]]] : []
  })
  return Object.fromEntries(axes)
}

export const applyView = (options: ChartOptions, { range, days, scale, axes = {} }: View): ChartOptions => ({
  ...Object.entries(axes).reduce(withEnds, options),
  ...(scale && { scale }),
  ...(days ? { start_date: days[0], end_date: days[1] } : { range }),
})

function withEnds(options: ChartOptions, [id, [min, max]]: [string, AxisEnds]): ChartOptions {
  const { heatmap, y_axes = [] } = options
  if (id === ownAxes.heatmap) return heatmap ? { ...options, heatmap: { ...heatmap, y_min: min, y_max: max } } : options
  const ends = { domain_min: min, domain_max: max }
  const isDescribed = y_axes.some((axis) => axisId(axis) === id)
  return {
    ...options,
    y_axes: isDescribed
      ? y_axes.map((axis) => (axisId(axis) === id ? { ...axis, ...ends } : axis))
      : [...y_axes, { id, ...ends }],
  }
}

type DescribedAxis = NonNullable<ChartOptions['y_axes']>[number]

export const axisId = ({ id, side }: DescribedAxis): string => id ?? side ?? 'first'
