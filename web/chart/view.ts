import { isoDate, msPerDay, parseDay } from '#base/days.ts'
import { ownAxes, type RangeName, rangeNames, type ScaleName, scaleNames } from '#contract/chart-options.ts'
import type { viewParameters } from '#contract/pages.ts'
import { replaceQuery, route } from '../app/router.ts'
import type { ChartOptions } from './chart-options.ts'

/** Ends of an axis in its values, and its scale; undefined follows the data and the chart. */
export type AxisEnds = readonly [min: number | undefined, max: number | undefined, scale?: ScaleName | undefined]

/**
 * `days` (unix days) replace `range`; `axes` are by id; `asOf` is the unix day by whose end values
 * were published.
 */
export interface View {
  readonly range: RangeName
  readonly days: readonly [from: number, to: number] | undefined
  readonly scale: ScaleName | undefined
  readonly axes?: Readonly<Record<string, AxisEnds>> | undefined
  readonly asOf?: number | undefined
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
    asOf: parseDay(query.get('as_of') ?? '') || undefined,
  }
}

/** A chart has at most 10,000 hours or blocks. */
export const defaultRanges = { day: 'all', week: 'all', month: 'all', year: 'all', hour: '3m', block: '1m' } as const

export const minDays = 7

/** Writes to the address, without a history entry; leaves out the default range. */
export function writeView({ range, days, scale, axes, asOf }: View, defaultRange: RangeName | undefined): void {
  const [from, to] = days?.map((day) => isoDate(Math.round(day))) ?? []
  const parameters: Record<(typeof viewParameters)[number], string | undefined> = {
    range: days || range === defaultRange ? undefined : range,
    from,
    to,
    scale,
    y: axes && formatAxes(axes),
    as_of: asOf === undefined ? undefined : isoDate(asOf),
  }
  replaceQuery(parameters)
}

/** `0.5,4,auto:ratio;,100,log!right`: lower and upper end, scale and id of each axis. */
const formatAxes = (axes: NonNullable<View['axes']>): string =>
  Object.entries(axes)
    .map(([id, [min = '', max = '', scale]]) => {
      const name = id.replaceAll('%', '%25').replaceAll(';', '%3B')
      return `${min},${max},${scale ? `${scale}!` : ''}${name}`
    })
    .join(';')

function parseAxes(text: string | null): View['axes'] {
  if (text === null) return undefined
  const axes = text.split(';').flatMap((part): (readonly [string, AxisEnds])[] => {
    const [min, max, ...rest] = part.split(',')
    const text = rest.join(',')
    const scale = scaleNames.find((one) => text.startsWith(`${one}!`))
    const ends = [min, max].map((end) => (end ? Number(end) : undefined))
    const isValid = ends.every((end) => end === undefined || Number.isFinite(end)) && !(ends[0]! >= ends[1]!)
    const id = scale ? text.slice(scale.length + 1) : text
    const name = id.replaceAll('%3B', ';').replaceAll('%25', '%')
    return isValid && name !== '' && (min || max || scale)
      ? [[name, scale ? [ends[0], ends[1], scale] : [ends[0], ends[1]]]]
      : []
  })
  return Object.fromEntries(axes)
}

export const applyView = (options: ChartOptions, { range, days, scale, axes = {}, asOf }: View): ChartOptions => ({
  ...Object.entries(axes).reduce(withEnds, options),
  ...(scale && { scale }),
  ...(asOf !== undefined && { as_of: (asOf + 1) * msPerDay - 1 }),
  ...(days ? { start_date: days[0], end_date: days[1] } : { range }),
})

function withEnds(options: ChartOptions, [id, [min, max, scale]]: [string, AxisEnds]): ChartOptions {
  const { heatmap, y_axes = [] } = options
  if (id === ownAxes.heatmap) return heatmap ? { ...options, heatmap: { ...heatmap, y_min: min, y_max: max } } : options
  const ends = { domain_min: min, domain_max: max, ...(scale && { scale }) }
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
