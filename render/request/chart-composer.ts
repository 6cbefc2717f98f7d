import { isoDate } from '#base/days.ts'
import { chartDefaults, type RangeName } from '#contract/chart-options.ts'
import type { ChartBody } from '#contract/charts.ts'
import { aggregatePeriods } from '#contract/intervals.ts'
import type { ChartSpecification } from '../draw/specification.ts'
import { type ChartColumns, createSeries, displayUnit, readChartColumns } from './chart-columns.ts'
import { type ChartPlan, hasFormulas, type Level, planChart } from './chart-plan.ts'
import type { ChartSource } from './chart-source.ts'
import { createCycleSeries, overlayCycles } from './cycles.ts'
import { aggregateCandles, lastPerPeriod, periodStart, toPeriods } from './intervals.ts'
import { monthlyChanges, yearStart } from './monthly-changes.ts'
import { normalize } from './normalize.ts'
import type { ChartRequest, RequestedArea, RequestedSeries, RequestedVertical } from './request.ts'
import { ChartRequestError } from './request-error.ts'
import { buildSpecification } from './specification-builder.ts'

/** More columns of a heatmap than pixels would only be averaged away. */
const maxHeatmapDays = 1_200

export interface ComposedChart {
  readonly specification: ChartSpecification
  /** First day that the caller may see (YYYY-MM-DD), if the chart begins before it, or has formulas, which may look back further. */
  readonly historyLimitedTo: string | undefined
}

/**
 * Composes a chart with its columns, ready to be drawn. Throws `ChartRequestError` for an invalid request, `invalid_argument` for
 * axes that do not fit together, and the errors of the source.
 */
export async function composeChart(source: ChartSource, body: ChartBody): Promise<ComposedChart> {
  const plan = planChart(body, source)
  const [columns, halvings] = await Promise.all([
    readChartColumns(source, plan),
    plan.range === 'cycle' ? source.cycleStarts('halving') : [],
  ])
  const span = chooseSpan(source, body, plan, halvings)
  const request = plan.cycles
    ? await composeCycles(source, plan, columns, span)
    : await composeByDate(source, plan, columns, span)
  return {
    specification: buildSpecification({
      ...request,
      ...plan.appearance,
      verticals: await readVerticals(source, plan),
      ...(plan.brand && { brand: { name: 'Coinstrata', address: source.address } }),
      source: source.sourceLine,
    }),
    historyLimitedTo: source.isCut && (span.startsBefore || hasFormulas(plan)) ? isoDate(source.firstDay) : undefined,
  }
}

/** Minimum rows of a month table; fewer would show neither seasons nor cycles. */
const minYears = 10

interface Span {
  /** Unix days; `first` is not before the caller's history. */
  readonly first: number
  readonly last: number
  /** The requested days begin before the caller's history. */
  readonly startsBefore: boolean
}

function chooseSpan(
  { firstDay, lastDay }: ChartSource,
  body: ChartBody,
  { cycles, days, range, byMonth }: ChartPlan,
  halvings: readonly number[],
): Span {
  const { start_date, end_date } = body
  const last = Math.min(end_date ?? lastDay, lastDay)
  const everything = Number.NEGATIVE_INFINITY
  const newest = (count: number) => last - count + 1
  const ranges: Record<RangeName, number> = {
    '1y': newest(chartDefaults.days),
    '4y': newest(4 * chartDefaults.days + 1),
    cycle: halvings.findLast((day) => day <= last) ?? everything,
    all: everything,
  }
  const requestedStart = cycles ? everything : days !== undefined ? newest(days) : ranges[range ?? '1y']
  const start = start_date ?? (byMonth ? Math.min(requestedStart, yearStart(last, minYears - 1)) : requestedStart)
  if (start_date !== undefined && end_date !== undefined && start_date > end_date) {
    throw new ChartRequestError('invalid_parameter', `parameter 'start_date' must not be later than end_date`, {
      parameter: 'start_date',
    })
  }
  return { first: Math.max(start, firstDay), last, startsBefore: start < firstDay }
}

async function composeByDate(
  source: ChartSource,
  plan: ChartPlan,
  columns: ChartColumns,
  { first, last }: Span,
): Promise<Omit<ChartRequest, 'source'>> {
  const origin = source.firstDay
  const series = createSeries(plan, columns)
  const distribution = plan.heatmap && source.distribution(plan.heatmap.id, 'heatmap.metric')
  const beginning = series.filter(({ id }) => plan.since === undefined || id === plan.since)
  const firstDataDay = distribution ? (distribution.firstDay ?? origin) : origin + firstKnownRow(beginning)
  const firstShownDay = Math.max(first, firstDataDay)
  // Begins with a whole week, month or year if there are data. A month table needs the last day of the previous year, too.
  const start = plan.byMonth
    ? yearStart(firstShownDay) - 1
    : plan.heatmap
      ? firstShownDay
      : periodStart(plan.interval, firstShownDay)
  const firstKnown = Math.max(start, origin)
  const count = last - firstKnown + 1
  const step = plan.heatmap ? Math.max(1, Math.ceil(count / maxHeatmapDays)) : 1
  if (count < 1 || (!plan.heatmap && !hasValues(series, firstKnown - origin, last - origin))) {
    const message =
      source.isCut && last < source.firstDay
        ? `your history begins on ${isoDate(source.firstDay)}: earlier days need a higher tier`
        : `there are no values between ${isoDate(first)} and ${isoDate(Math.max(first, last))}`
    throw new ChartRequestError('not_found', message, { parameter: 'start_date' })
  }
  const shownDays = Math.ceil(count / step)
  const days = new Int32Array(shownDays).map((_, i) => last - (shownDays - 1 - i) * step)
  const cut = (values: Float64Array): Float64Array =>
    step === 1
      ? values.slice(firstKnown - origin, last - origin + 1)
      : new Float64Array(shownDays).map((_, i) => values[days[i]! - origin]!)
  const periods = toPeriods(plan.heatmap ? 'day' : plan.interval, days)
  const readLevel = (level: Level): number | Float64Array => {
    const value = columns.level(level)
    return typeof value === 'number' ? value : lastPerPeriod(cut(value), periods)
  }
  // A period that begins before the caller's history has no sum or mean.
  const beginsWithin = plan.interval !== 'day' && periodStart(plan.interval, days[0]!) < days[0]! && source.isCut
  const summarize = ({ values, aggregate = 'last' }: RequestedSeries): Float64Array => {
    const summaries = aggregatePeriods(cut(values), periods, aggregate)
    return beginsWithin && aggregate !== 'last' ? summaries.with(0, Number.NaN) : summaries
  }
  const toPeriodSeries = (one: RequestedSeries, i: number): RequestedSeries => {
    const values = summarize(one)
    // An area that hardly changes over a short range would be a solid block.
    const isSlab = one.style === 'area' && !one.stacked && isStyleOpen(plan, i) && isNearlyFlat(values)
    const summed = {
      ...one,
      values,
      ...(isSlab && { style: 'line' as const }),
      ...(one.candles && { candles: aggregateCandles(periods, one.candles, cut) }),
    }
    return plan.normalize && !one.stacked ? normalize(summed, plan.normalize) : summed
  }
  if (plan.byMonth) {
    const title = plan.title ?? `${columns.metrics[0]?.metric.name}: change by month`
    const monthGrid = monthlyChanges(days, cut(series[0]!.values))
    const shown = days.subarray(days.indexOf(Math.max(yearStart(firstShownDay), firstDataDay)))
    return { title, x: { kind: 'date', days: shown }, series: [], monthGrid }
  }
  return {
    title: defaultTitle(plan, columns),
    x: { kind: 'date', days: Int32Array.from(periods, ([, to]) => days[to - 1]!), interval: plan.interval },
    series: series.map(toPeriodSeries),
    ...(columns.price && { priceOverlay: lastPerPeriod(cut(columns.price), periods) }),
    axes: [...plan.axes],
    ...resolveReferences(plan, readLevel),
    ...(plan.heatmap && { heatmap: { ...plan.heatmap, ...(await source.readCells(plan.heatmap.id, days)) } }),
  }
}

/** Overlays the cycles of the plan's only metric, cut to `plan.days`. */
async function composeCycles(
  source: ChartSource,
  plan: ChartPlan,
  { metrics, level }: ChartColumns,
  { first, last }: Span,
): Promise<Omit<ChartRequest, 'source'>> {
  const [only] = metrics
  if (!only || !plan.cycles) throw new Error('plan has no cycles of a metric')
  const { metric, values } = only
  const { family, indexed } = plan.cycles
  const starts = await source.cycleStarts(family)
  // Omits cycles that were more than a third over when the metric began.
  const isIncomplete = (start: number, i: number) => {
    const next = starts[i + 1]
    return next !== undefined && metric.firstDay !== undefined && metric.firstDay - start > (next - start) / 3
  }
  const firstDays = starts.filter((start, i) => !isIncomplete(start, i))
  const days = Int32Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)
  const shown = values.subarray(first - source.firstDay, Math.max(first, last + 1) - source.firstDay)
  const overlay = overlayCycles(days, shown, firstDays, indexed)
  const dayCount = plan.days ?? overlay.x.days.length
  const cut = {
    ...overlay,
    x: { ...overlay.x, days: overlay.x.days.slice(0, dayCount) },
    cycles: overlay.cycles
      .map((cycle) => ({ ...cycle, values: cycle.values.slice(0, dayCount) }))
      .filter((cycle) => cycle.values.some(Number.isFinite)),
  }
  if (cut.cycles.length === 0) {
    const message = `there is no cycle of the family ${family} between ${isoDate(first)} and ${isoDate(last)}`
    throw new ChartRequestError('not_found', message, { parameter: 'cycle_family' })
  }
  const label = plan.metrics[0]?.label ?? metric.name
  const { axes, series } = createCycleSeries({ id: metric.id, label, unit: displayUnit(metric.unit) }, cut)
  return {
    title: plan.title ?? `${label}, ${family} cycles`,
    x: cut.x,
    axes: [...axes, ...plan.axes],
    series,
    ...resolveReferences(plan, (one) => requireConstant(level(one))),
  }
}

const resolveReferences = ({ lines, areas }: ChartPlan, readLevel: ChartColumns['level']) => ({
  referenceLines: lines.map((line) => ({ ...line, y: readLevel(line.y) })),
  referenceAreas: areas.map(
    ({ y1, y2, ...same }): RequestedArea => ({
      ...same,
      ...(y1 && { y1: readLevel(y1) }),
      ...(y2 && { y2: readLevel(y2) }),
    }),
  ),
})

function requireConstant(level: number | Float64Array): number {
  if (typeof level === 'number') return level
  throw new ChartRequestError('invalid_parameter', 'with x_axis day_offset a level must be a number', {
    parameter: 'reference_lines',
  })
}

/** Only the definition of the metric determines the style, not the request or its template. */
const isStyleOpen = ({ style, metrics }: ChartPlan, i: number): boolean =>
  style === undefined && metrics[i] !== undefined && metrics[i].style === undefined

function isNearlyFlat(values: Float64Array): boolean {
  const known = values.filter(Number.isFinite)
  return known.length > 1 && Math.min(...known) > 0.8 * Math.max(...known)
}

const firstKnownRow = (series: readonly RequestedSeries[]): number =>
  Math.min(
    ...series.map(({ values }) => values.findIndex((value) => !Number.isNaN(value))).filter((row) => row >= 0),
    Number.MAX_SAFE_INTEGER,
  )

const hasValues = (series: readonly RequestedSeries[], from: number, to: number): boolean =>
  series.some(({ values }) => values.subarray(from, to + 1).some((value) => !Number.isNaN(value)))

function defaultTitle({ title, heatmap, formulas }: ChartPlan, { metrics }: ChartColumns): string {
  if (title !== undefined) return title
  if (heatmap) return 'Cost basis distribution'
  const names = [
    ...metrics.map(({ metric }) => metric.name),
    ...formulas.map((formula) => formula.label ?? formula.expression),
  ]
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`
}

async function readVerticals(source: ChartSource, plan: ChartPlan): Promise<RequestedVertical[]> {
  // The first cycle began with the chain, not with a halving.
  const halvings = plan.halvings ? (await source.cycleStarts('halving')).slice(1) : []
  return [
    ...plan.verticals,
    ...halvings.map((day) => ({ day, label: 'Halving' })),
    ...(plan.events ? source.events : []),
  ]
}
