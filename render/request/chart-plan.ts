import { findClosest } from '#base/suggestions.ts'
import type { IntervalName, Normalization, RangeName, SeriesStyle } from '#contract/chart-options.ts'
import type { ChartBody, ChartPart } from '#contract/charts.ts'
import type { CycleFamily } from '#contract/cycle-families.ts'
import { firstAxis } from './axis-assignment.ts'
import type { ChartSource } from './chart-source.ts'
import type {
  ChartAppearance,
  RequestedArea,
  RequestedAxis,
  RequestedHeatmap,
  RequestedLine,
  RequestedVertical,
  SeriesOptions,
} from './request.ts'
import { ChartRequestError } from './request-error.ts'
import type { ChartTemplate, TemplateArea } from './template.ts'

export type Level = { readonly value: number } | { readonly formula: string }

/** A chart query with templates resolved, but without columns. */
export interface ChartPlan {
  readonly title: string | undefined
  readonly interval: IntervalName
  /** Newest days to show; the first ones of each cycle. */
  readonly days: number | undefined
  readonly range: RangeName | undefined
  /** The metric whose first value is the beginning of range `all`. */
  readonly since: string | undefined
  /** m1, m2 … in formulas. */
  readonly metrics: readonly (SeriesOptions & { readonly id: string })[]
  /** f1, f2 … in formulas. */
  readonly formulas: readonly (SeriesOptions & { readonly expression: string; readonly unit?: string })[]
  readonly axes: readonly RequestedAxis[]
  readonly style: SeriesStyle | undefined
  readonly overlay: boolean
  readonly lines: readonly (Omit<RequestedLine, 'y'> & { readonly y: Level })[]
  readonly areas: readonly (Omit<RequestedArea, 'y1' | 'y2'> & { readonly y1?: Level; readonly y2?: Level })[]
  readonly verticals: readonly RequestedVertical[]
  readonly halvings: boolean
  readonly events: boolean
  readonly normalize: Normalization | undefined
  readonly candles: boolean
  readonly byMonth: boolean
  readonly brand: boolean
  readonly cycles: { readonly family: CycleFamily; readonly indexed: boolean } | undefined
  readonly heatmap: Omit<RequestedHeatmap, 'label' | 'unit' | 'binLower' | 'binUpper' | 'values'> | undefined
  readonly appearance: ChartAppearance
}

/** The levels of a chart with the name of their formula parameter. */
export const listLevels = ({ lines, areas }: ChartPlan): (readonly [name: string, Level])[] => [
  ...lines.map(({ y }, i) => [`reference_lines.${i}.y_formula`, y] as const),
  ...areas.flatMap(({ y1, y2 }, i) => [
    ...(y1 ? [[`reference_areas.${i}.y1_formula`, y1] as const] : []),
    ...(y2 ? [[`reference_areas.${i}.y2_formula`, y2] as const] : []),
  ]),
]

export const hasFormulas = (plan: ChartPlan): boolean =>
  plan.formulas.length > 0 || listLevels(plan).some(([, level]) => 'formula' in level)

/** Throws `ChartRequestError` for an ambiguous or empty query, and for an unknown template. */
export function planChart(
  body: ChartBody,
  { templates, ids, lastDay }: Pick<ChartSource, 'templates' | 'ids' | 'lastDay'>,
): ChartPlan {
  const subjects = [body.metric, body.metrics, body.template, body.heatmap, body.calendar].filter(
    (subject) => subject !== undefined,
  )
  if (subjects.length > 1 || (subjects.length === 0 && body.formulas.length === 0)) {
    const given = subjects.length === 0 ? 'none' : 'more than one'
    const message = `${given} of metric, metrics, template, heatmap and calendar is given: give exactly one, or formulas alone`
    throw new ChartRequestError('invalid_parameter', message, { parameter: 'metric' })
  }
  const template =
    body.template === undefined ? undefined : withKnownMetrics(requireTemplate(body.template, templates), ids)
  const single = body.metric ?? body.calendar?.metric
  const requested = body.metrics ?? (single === undefined ? [] : [single])
  const heatmap = template?.heatmap
    ? { id: template.heatmap.metric, colorScale: template.heatmap.colorScale }
    : body.heatmap && toHeatmap(body.heatmap)
  const withStyle = (metric: ChartTemplate['metrics'][number]) => ({
    ...metric,
    ...omitUndefined({ style: body.style }),
  })
  const wantsPrice = (body.overlay ?? template?.overlay) === 'price'
  // The price over a heatmap uses the heatmap's axis.
  const overHeatmap = wantsPrice && heatmap && !template ? [{ id: 'price' }] : []
  const metrics: ChartPlan['metrics'] = [
    ...(template?.metrics.map(withStyle) ?? requested.map(toMetric)),
    ...overHeatmap,
  ]
  const formulas: ChartPlan['formulas'] = [...(template?.formulas ?? []), ...body.formulas.map(toFormula)]
  const { stacked = template?.stacked } = body
  const withStacking = <Part extends SeriesOptions>(part: Part): Part =>
    stacked === undefined || part.stacked !== undefined ? part : { ...part, stacked: stacked !== false }
  const range = body.range ?? (template && !template.cycles && !template.days ? (template.range ?? 'all') : undefined)
  const plan: ChartPlan = {
    title: body.title ?? template?.title,
    interval: body.interval ?? chooseInterval(template, body, lastDay),
    days: body.days ?? (body.range === undefined ? template?.days : undefined),
    range,
    since: range === 'all' ? template?.since : undefined,
    metrics: metrics.map(withStacking),
    formulas: formulas.map(withStacking),
    axes: [...(template?.axes ?? []), ...body.y_axes.map(toAxis)],
    style: body.style,
    overlay: wantsPrice && !heatmap,
    lines: [
      ...(template?.referenceLines ?? []).map((line) => ({ ...line, y: { value: line.y } })),
      ...toReferenceLines(body),
    ],
    areas: [...(template?.referenceAreas ?? []).map(fromTemplateArea), ...toReferenceAreas(body)],
    verticals: toVerticals(body),
    halvings: body.halvings ?? template?.halvings ?? false,
    events: body.events ?? template?.events ?? false,
    normalize: body.normalize ?? template?.normalize,
    candles: [...metrics, ...formulas].some(({ style }) => style === 'candle') || body.style === 'candle',
    byMonth: body.calendar !== undefined || template?.byMonth === true,
    brand: body.brand ?? true,
    cycles:
      template?.cycles ??
      (body.x_axis === 'day_offset' ? { family: body.cycle_family, indexed: body.indexed ?? false } : undefined),
    heatmap,
    appearance: omitUndefined({
      theme: body.theme,
      width: body.width,
      height: body.height,
      pixelRatio: body.pixel_ratio,
      textScale: body.text_scale,
      scale: body.scale ?? template?.scale,
      subtitle: body.subtitle ?? template?.subtitle,
      normalized: stacked === 'percent',
      labels: body.labels ?? template?.labels,
      lastValues: body.last_values ?? template?.lastValues,
    }),
  }
  requireCandles(plan)
  if (plan.cycles && (plan.metrics.length !== 1 || plan.formulas.length > 0 || plan.heatmap)) {
    const message = 'x_axis day_offset lays the cycles of one metric over each other: give one metric and no formulas'
    throw new ChartRequestError('invalid_parameter', message, { parameter: 'x_axis' })
  }
  return plan
}

/** The interval of the template, but weeks instead of months for few days. */
function chooseInterval(
  template: ChartTemplate | undefined,
  { days, start_date, end_date }: ChartBody,
  lastDay: number,
): IntervalName {
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

/** Omits unknown metrics, such as exchanges without data, unless formulas refer to metrics by position. */
function withKnownMetrics(template: ChartTemplate, ids: ReadonlySet<string>): ChartTemplate {
  const metrics = template.metrics.filter(({ id }) => ids.has(id))
  return metrics.length === 0 || template.formulas ? template : { ...template, metrics }
}

function requireTemplate(name: string, templates: ChartSource['templates']): ChartTemplate {
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined
  if (template) return template
  // The id of a metric suggests the template that shows it.
  const shows = Object.entries(templates).find(([, { metrics }]) => metrics.length === 1 && metrics[0]!.id === name)
  const suggestion = shows?.[0] ?? findClosest(name, Object.keys(templates))
  const hint = suggestion === undefined ? '.' : `; did you mean '${suggestion}'?`
  const allowed = Object.keys(templates)
  const message = `there is no template '${name}'${hint} There are ${allowed.join(', ')}`
  throw new ChartRequestError('not_found', message, { parameter: 'template', allowed })
}

function toMetric(item: NonNullable<ChartBody['metrics']>[number]): ChartPlan['metrics'][number] {
  if (typeof item === 'string') return { id: item }
  const { id, axis, ...look } = item
  return { id, ...omitUndefined({ side: axis }), ...toSeriesOptions(look) }
}

const toFormula = ({ expression, unit, ...look }: ChartBody['formulas'][number]) => ({
  expression,
  ...omitUndefined({ unit }),
  ...toSeriesOptions(look),
})

const toSeriesOptions = ({
  y_axis_id,
  show_in_legend,
  line_width,
  negative_color,
  ...same
}: Omit<ChartPart<'formula'>, 'expression' | 'unit'>): SeriesOptions =>
  omitUndefined({
    ...same,
    axisId: y_axis_id,
    showInLegend: show_in_legend,
    lineWidth: line_width,
    negativeColor: negative_color,
  })

const toAxis = ({ id, domain_min, domain_max, no_padding, ...same }: ChartBody['y_axes'][number]): RequestedAxis => ({
  id: id ?? same.side ?? firstAxis,
  ...omitUndefined({ ...same, domainMinimum: domain_min, domainMaximum: domain_max, noPadding: no_padding }),
})

const toHeatmap = ({ metric, color_scale, y_scale, y_min, y_max }: NonNullable<ChartBody['heatmap']>) => ({
  id: metric,
  ...omitUndefined({ colorScale: color_scale, yScale: y_scale, yMinimum: y_min, yMaximum: y_max }),
})

const toReferenceLines = ({ reference_lines }: ChartBody): ChartPlan['lines'] =>
  reference_lines.flatMap(({ y, y_formula, y_axis_id, stroke, stroke_dasharray, label }) => {
    const level = toLevel(y, y_formula)
    return level ? [{ y: level, ...omitUndefined({ axisId: y_axis_id, stroke, dash: stroke_dasharray, label }) }] : []
  })

const toVerticals = ({ reference_lines }: ChartBody): RequestedVertical[] =>
  reference_lines.flatMap(({ x, stroke, stroke_dasharray, label }) =>
    x === undefined ? [] : [{ day: x, ...omitUndefined({ stroke, dash: stroke_dasharray, label }) }],
  )

const fromTemplateArea = ({ y1, y2, ...same }: TemplateArea) => ({
  ...same,
  ...omitUndefined({ y1: parseBound(y1), y2: parseBound(y2) }),
})

const parseBound = (bound: number | string | undefined): Level | undefined =>
  typeof bound === 'string' ? toLevel(undefined, bound) : toLevel(bound, undefined)

const toReferenceAreas = ({ reference_areas }: ChartBody): ChartPlan['areas'] =>
  reference_areas.map(({ y1, y1_formula, y2, y2_formula, y_axis_id, fill, fill_opacity, label }) => ({
    ...omitUndefined({
      y1: toLevel(y1, y1_formula),
      y2: toLevel(y2, y2_formula),
      axisId: y_axis_id,
      fill,
      opacity: fill_opacity,
      label,
    }),
  }))

const toLevel = (value: number | undefined, formula: string | undefined): Level | undefined => {
  if (value !== undefined) return { value }
  return formula === undefined ? undefined : { formula }
}

function omitUndefined<Fields extends object>(fields: Fields): PresentFields<Fields> {
  const found: PresentFields<Fields> = {}
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined && value !== null) found[name] = value
  }
  return found
}

type PresentFields<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> }
