import type { ChartPart } from '#contract/charts.ts'
import type { RequestedAxis, SeriesOptions } from '../request.ts'
import type { ChartTemplate } from '../template.ts'
import { blue, orange, teal, zoneColors } from './colors.ts'

/**
 * Without the first years, when coins cost next to nothing and ratios to it were many times higher
 * than ever again.
 */
export const fromThirdYear = { start_date: '2012-01-01' } as const

export const shareAxis = (title: string): RequestedAxis => ({
  id: 'share',
  side: 'left',
  format: 'percent',
  title,
  domain_min: 0,
  domain_max: 100,
})

export const level = (y: number, label: string): ChartPart<'referenceLine'> => ({ y, label })

/** Area between two levels or formulas, or from one to the end of the axis. */
export const zone = (
  y1: number | string | undefined,
  y2: number | string | undefined,
  meaning: keyof typeof zoneColors,
  label?: string,
  options: ChartPart<'referenceArea'> = {},
): ChartPart<'referenceArea'> => ({
  ...(typeof y1 === 'string' ? { y1_formula: y1 } : y1 !== undefined && { y1 }),
  ...(typeof y2 === 'string' ? { y2_formula: y2 } : y2 !== undefined && { y2 }),
  fill: zoneColors[meaning],
  ...(label !== undefined && { label }),
  ...options,
})

/** Areas above and below two levels, to the ends of the axis. */
export const extremes = (high: number, low: number, dear = 'Overheated', cheap = 'Undervalued') => [
  zone(high, undefined, 'overheated', dear),
  zone(undefined, low, 'undervalued', cheap),
]

/** Axes for the price above a second panel, of `percent` of the height. */
export const belowPrice = (percent: number, lower: Partial<RequestedAxis> = {}): RequestedAxis[] => [
  { id: 'upper', side: 'right', range: [percent + 4, 100] },
  { id: 'lower', side: 'left', range: [0, percent], ...lower },
]

/** Metrics with labels by id, on their own axis if `yAxis` is given, and the price. */
export const overPrice = (
  names: Readonly<Record<string, string>>,
  { yAxis, ...options }: SeriesOptions & { readonly yAxis?: RequestedAxis } = {},
) =>
  ({
    metrics: lines(names, yAxis ? { ...options, y_axis_id: yAxis.id } : options),
    ...(yAxis && { y_axes: [yAxis] }),
    overlay: 'price',
  }) satisfies Partial<ChartTemplate>

export const gainsAndLosses = { style: 'bar', color: blue, negative_color: orange } as const

/** Bands around a mean, in one colour. */
export const thinBlue = { color: blue, line_width: 1 } as const

/** Metrics by id, without `prefix`, with their labels and the same options. */
export const lines = (
  names: Readonly<Record<string, string>>,
  options: SeriesOptions = {},
  prefix = '',
): ChartPart<'metricItem'>[] =>
  Object.entries(names).map(([id, label]) => ({ id: `${prefix}${id}`, label, ...options }))

/** A noisy metric as two means (days): a thin line and a strong one. */
export const smoothed = (id: string, unit: string, [short, long] = [7, 30]): Pick<ChartTemplate, 'formulas'> => ({
  formulas: [
    formula(`sma(${id}, ${short})`, `${short}-day mean`, unit, { color: teal, line_width: 1 }),
    formula(`sma(${id}, ${long})`, `${long}-day mean`, unit, { line_width: 2 }),
  ],
})

export const formula = (
  expression: string,
  label: string,
  unit: string,
  options: SeriesOptions = {},
): ChartPart<'formula'> => ({
  expression,
  label,
  unit,
  ...options,
})

/** Stacked metrics whose ids end in a member's name, such as an exchange or cohort. */
export const stack = (measure: string, names: Readonly<Record<string, string>>, options: SeriesOptions = {}) =>
  lines(names, { stacked: true, style: 'area', ...options }, `${measure}_`)

/** A stack of 100 %, with its axis' title. */
export const shares = (measure: string, names: Readonly<Record<string, string>>, title: string) => ({
  metrics: stack(measure, names, { y_axis_id: 'share' }),
  y_axes: [shareAxis(title)],
})
