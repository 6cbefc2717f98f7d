import type {
  RequestedArea,
  RequestedAxis,
  RequestedHeatmap,
  RequestedLine,
  SeriesOptions,
} from '#render/request.ts'
import type { ScaleName, SeriesStyle, ThemeName } from '#render/specification.ts'
import { type ChartTemplate, templates } from '#render/templates.ts'
import { closest } from '#sql/formula/suggestion.ts'
import { ApiError } from '../api-error.ts'
import type { ChartAsk } from '../contract/charts.ts'

type CycleFamily = ChartAsk['cycle_family']

/** A level that is a number, or a formula over the columns of the chart. */
export type Level = { readonly value: number } | { readonly formula: string }

/** What a chart is made of, with templates resolved; columns and everything that follows from them are still missing. */
export interface ChartPlan {
  readonly title: string | undefined
  /** m1, m2 … of formulas, in this order. */
  readonly metrics: readonly (SeriesOptions & { readonly id: string })[]
  /** f1, f2 … */
  readonly formulas: readonly (SeriesOptions & { readonly expression: string; readonly unit?: string })[]
  readonly axes: readonly RequestedAxis[]
  readonly scale: ScaleName | undefined
  readonly style: SeriesStyle | undefined
  readonly overlay: boolean
  readonly lines: readonly (Omit<RequestedLine, 'y'> & { readonly y: Level })[]
  readonly areas: readonly (Omit<RequestedArea, 'y1' | 'y2'> & { readonly y1: Level; readonly y2: Level })[]
  readonly cycles: { readonly family: CycleFamily; readonly indexed: boolean } | undefined
  readonly heatmap: (Omit<RequestedHeatmap, HeatmapColumns> & { readonly metric: string }) | undefined
  readonly theme: ThemeName
  readonly width: number
  readonly height: number
}

type HeatmapColumns = 'id' | 'label' | 'unit' | 'binLower' | 'binUpper' | 'values'

/** Throws `invalid_parameter` where it is not clear what to draw, `not_found` for an unknown template. */
export function planChart(ask: ChartAsk): ChartPlan {
  const subjects = [ask.metric, ask.metrics, ask.template, ask.heatmap].filter((subject) => subject !== undefined)
  if (subjects.length !== 1) {
    const message = `${subjects.length === 0 ? 'none' : 'more than one'} of metric, metrics, template and heatmap is given: give exactly one`
    throw new ApiError('invalid_parameter', message, { parameter: 'metric' })
  }
  const template = ask.template === undefined ? undefined : requireTemplate(ask.template)
  const metrics = template?.metrics ?? (ask.metric === undefined ? (ask.metrics ?? []) : [ask.metric])
  const plan: ChartPlan = {
    title: ask.title ?? template?.title,
    metrics: metrics.map((item) => (typeof item === 'string' ? { id: item } : 'show_in_legend' in item || 'y_axis_id' in item || 'line_width' in item || 'axis' in item ? item : item)),
    formulas: [],
    axes: [],
    scale: undefined,
    style: undefined,
    overlay: false,
    lines: [],
    areas: [],
    cycles: undefined,
    heatmap: undefined,
    theme: 'light',
    width: 0,
    height: 0,
  }
  return plan
}
