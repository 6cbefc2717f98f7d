import type { RequestedAxis, RequestedLine, SeriesOptions } from '../request.ts'
import type { ChartTemplate, TemplateArea, TemplateFormula, TemplateMetric } from '../template.ts'
import { blue, orange } from './colors.ts'

export const shareAxis = (title: string): RequestedAxis => ({
  id: 'share',
  side: 'left',
  format: 'percent',
  title,
  domainMinimum: 0,
  domainMaximum: 100,
})

export const level = (y: number, label: string): RequestedLine & { y: number } => ({ y, label })

/** The area between two levels, or from one level to the end of the axis. */
export const zone = (y1: number | undefined, y2: number | undefined, fill: string, label: string): TemplateArea => ({
  ...(y1 !== undefined && { y1 }),
  ...(y2 !== undefined && { y2 }),
  fill,
  label,
})

/** Axes for the price above a second panel, which takes `percent` of the height. */
export const belowPrice = (percent: number, lower: Partial<RequestedAxis> = {}): readonly RequestedAxis[] => [
  { id: 'upper', side: 'right', range: [percent + 4, 100] },
  { id: 'lower', side: 'left', range: [0, percent], ...lower },
]

export const overPrice = (names: Readonly<Record<string, string>>, axis: RequestedAxis) =>
  ({ metrics: lines(names, { axisId: axis.id }), axes: [axis], overlay: 'price' }) as const

export const gainsAndLosses = { style: 'bar', color: blue, negativeColor: orange } as const

/** Metrics by id with their labels, all with the same options. */
export const lines = (names: Readonly<Record<string, string>>, options: SeriesOptions = {}): TemplateMetric[] =>
  Object.entries(names).map(([id, label]) => ({ id, label, ...options }))

export function smoothed(
  id: string,
  label: string,
  days: number,
  unit: string,
): Pick<ChartTemplate, 'metrics' | 'formulas'> {
  return {
    metrics: [{ id, label, style: 'line', opacity: 0.55, lineWidth: 1 }],
    formulas: [formula(`sma(m1, ${days})`, `${days}-day mean`, unit, { lineWidth: 2 })],
  }
}

export const formula = (
  expression: string,
  label: string,
  unit: string,
  options: SeriesOptions = {},
): TemplateFormula => ({
  expression,
  label,
  unit,
  ...options,
})

/** Stacked metrics whose ids end in the name of a member, such as an exchange. */
export const breakdown = (
  prefix: string,
  members: Readonly<Record<string, string>>,
  style: 'area' | 'bar' = 'area',
): TemplateMetric[] =>
  Object.entries(members).map(([member, label]) => ({ id: `${prefix}_${member}`, label, style, stacked: true }))
