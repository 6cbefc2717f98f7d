import { parseDay } from '#base/days.ts'
import { type ChartInterval, isFine } from '#contract/chart-options.ts'
import type { ChartBody } from '#contract/charts.ts'
import { defaultInterval, type Interval, intervalCodes } from '#contract/intervals.ts'
import type { KnownIds } from '#contract/metric-ids.ts'
import type { ChartSource } from './chart-source.ts'
import type { SeriesOptions } from './request.ts'
import { ChartRequestError } from './request-error.ts'
import { type ChartTemplate, metricId, templateBody } from './template.ts'

/** A request with its template filled in, without columns. */
export interface ChartPlan extends Omit<ChartBody, 'metric' | 'metrics' | 'template' | 'calendar'> {
  readonly interval: ChartInterval
  /** m1, m2 … in formulas. */
  readonly metrics: readonly (SeriesOptions & { readonly id: string })[]
  readonly candles: boolean
  readonly byMonth: boolean
  readonly cycles: boolean
}

/** Days unless the chart shows longer periods. */
export const longInterval = ({ interval, byMonth, cycles, heatmap, histogram }: ChartPlan): Interval =>
  byMonth ? '1m' : cycles || heatmap || histogram || isFine(interval) ? defaultInterval : intervalCodes[interval]

/** Formulas of levels and colours, with their parameter's name. */
export const listLevels = ({
  metrics,
  formulas,
  reference_lines,
  reference_areas,
}: ChartPlan): (readonly [name: string, formula: string])[] =>
  Object.entries({ metrics, formulas, reference_lines, reference_areas }).flatMap(([list, levels]) =>
    levels.flatMap((level, i) =>
      Object.entries(level).flatMap(([field, formula]) =>
        (field.endsWith('_formula') || field === 'color_by') && typeof formula === 'string'
          ? [[`${list}.${i}.${field}`, formula] as const]
          : [],
      ),
    ),
  )

export const hasFormulas = (plan: ChartPlan): boolean => plan.formulas.length > 0 || listLevels(plan).length > 0

/** Throws `ChartRequestError` for an ambiguous or empty query, and an unknown template. */
export function planChart(body: ChartBody, source: Pick<ChartSource, 'template' | 'ids' | 'lastDay'>): ChartPlan {
  requireSubject(body)
  const template =
    body.template === undefined ? undefined : withKnownMetrics(source.template(body.template), source.ids)
  const { metric, metrics: items, calendar, template: _, ...chart } = template ? fillIn(body, template) : body
  const { heatmap, stacked } = chart
  const single = metric ?? calendar?.metric
  const requested = items ?? (single === undefined ? [] : [single])
  // The price over a heatmap uses the heatmap's axis.
  const overHeatmap = chart.overlay && heatmap ? ['price'] : []
  const withStacking = <Part extends SeriesOptions>(part: Part): Part =>
    stacked === undefined || part.stacked !== undefined ? part : { ...part, stacked: stacked !== false }
  const metrics = [...requested, ...overHeatmap].map((item) => ({
    ...(typeof item === 'string' ? { id: item } : item),
    ...(template && body.style && { style: body.style }),
  }))
  const plan: ChartPlan = {
    ...chart,
    overlay: heatmap ? undefined : chart.overlay,
    interval: body.interval ?? chooseInterval(template, body, source.lastDay),
    metrics: metrics.map(withStacking),
    formulas: chart.formulas.map(withStacking),
    candles: [...metrics, ...chart.formulas, chart].some((one) => one.style === 'candle'),
    byMonth: calendar !== undefined,
    cycles: chart.x_axis === 'day_offset',
  }
  requireCandles(plan)
  if (plan.histogram && (plan.formulas.length > 0 || plan.cycles)) {
    const message = 'a histogram shows one distribution on one day, without formulas and cycles: leave them out'
    throw new ChartRequestError('invalid_parameter', message, { parameter: 'histogram' })
  }
  if (plan.cycles && (plan.metrics.length !== 1 || plan.formulas.length > 0 || heatmap)) {
    const message = 'x_axis day_offset lays the cycles of one metric over each other: give one metric and no formulas'
    throw new ChartRequestError('invalid_parameter', message, { parameter: 'x_axis' })
  }
  return plan
}

function requireSubject({ metric, metrics, template, heatmap, histogram, calendar, formulas }: ChartBody): void {
  const subjects = [metric, metrics, template, heatmap, histogram, calendar].filter((subject) => subject !== undefined)
  if (subjects.length === 1 || (subjects.length === 0 && formulas.length > 0)) return
  const given = subjects.length === 0 ? 'none' : 'more than one'
  const message = `give exactly one of metric, metrics, template, heatmap, histogram and calendar, or formulas alone: ${given} is given`
  throw new ChartRequestError('invalid_parameter', message, { parameter: 'metric' })
}

/** Adds template fields to a request, which may replace single fields and extend lists. */
function fillIn(body: ChartBody, template: ChartTemplate): ChartBody {
  const { start_date, ...of } = templateBody(template)
  const start = start_date === undefined ? Number.NaN : parseDay(start_date)
  const hasOwnStart = body.days === undefined && body.range === undefined && start <= (body.end_date ?? start)
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
  return {
    ...body,
    ...of,
    ...given,
    x_axis: of.x_axis ?? body.x_axis,
    cycle_family: of.cycle_family ?? body.cycle_family,
    days: body.days ?? (body.range === undefined ? of.days : undefined),
    start_date: body.start_date ?? (hasOwnStart ? start : undefined),
    formulas: [...(of.formulas ?? []), ...body.formulas],
    y_axes: [...(of.y_axes ?? []), ...body.y_axes],
    reference_lines: [...(of.reference_lines ?? []), ...body.reference_lines],
    reference_areas: [...(of.reference_areas ?? []), ...body.reference_areas],
  }
}

/** The template's interval, but weeks instead of months for few days. */
function chooseInterval(
  template: ChartTemplate | undefined,
  { days, start_date, end_date }: ChartBody,
  lastDay: number,
): ChartInterval {
  const requestedDays = start_date === undefined ? days : Math.min(end_date ?? lastDay, lastDay) - start_date
  if (template?.interval === 'month' && requestedDays !== undefined && requestedDays < minDaysForMonths) return 'week'
  return template?.interval ?? 'day'
}

const minDaysForMonths = 120

function requireCandles({ candles, cycles, style, metrics, formulas }: ChartPlan): void {
  if (!candles) return
  const others = [...metrics.filter(({ id }) => id !== 'price'), ...formulas].filter((one) => one.style === 'candle')
  const hasPrice = metrics.some(({ id }) => id === 'price')
  if (!cycles && others.length === 0 && (style !== 'candle' || hasPrice)) return
  const message = 'candles show open, high, low and close of the metric price, by date; give others another style'
  throw new ChartRequestError('invalid_parameter', message, { parameter: 'style' })
}

/**
 * Omits unknown metrics, such as exchanges without data, unless formulas name metrics by position.
 */
function withKnownMetrics(template: ChartTemplate, ids: KnownIds): ChartTemplate {
  const metrics = template.metrics?.filter((item) => ids.has(metricId(item))) ?? []
  return metrics.length === 0 || template.formulas || template.crossings ? template : { ...template, metrics }
}
