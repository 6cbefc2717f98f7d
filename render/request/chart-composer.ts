import { isoDate } from '#base/days.ts'
import { chartDefaults, type FineInterval, isFine, type RangeName, rangeDays } from '#contract/chart-options.ts'
import type { ChartBody } from '#contract/charts.ts'
import { aggregatePeriods, seriesIntervalCodes, splitIntoPeriods, startOfPeriod } from '#contract/intervals.ts'
import { isRecomputed } from '#contract/metric-kinds.ts'
import { formatDay } from '../draw/calendar.ts'
import type { ChartSpecification, ColorColumn } from '../draw/specification.ts'
import { themes } from '../draw/theme.ts'
import { firstAxis } from './axis-assignment.ts'
import { chooseFormat, nameWithUnit } from './axis-defaults.ts'
import { toQuantity } from './chart-column.ts'
import { type ChartColumns, readChartColumns } from './chart-columns.ts'
import { type ChartPlan, hasFormulas, planChart } from './chart-plan.ts'
import type { ChartSource } from './chart-source.ts'
import { resolveCrossings } from './crossings.ts'
import { aggregateCandles, yearStart } from './intervals.ts'
import { normalize } from './normalize.ts'
import type {
  ComposedRequest,
  RequestedArea,
  RequestedAxis,
  RequestedHeatmap,
  RequestedSeries,
  RequestedVertical,
} from './request.ts'
import { ChartRequestError } from './request-error.ts'
import { buildSpecification } from './specification-builder.ts'

/** More heatmap columns than pixels would only be averaged. */
const maxHeatmapDays = 1_200

export interface ComposedChart {
  readonly specification: ChartSpecification
  /**
   * First day visible to the caller (YYYY-MM-DD), if the chart begins before it or has formulas,
   * which may look back further.
   */
  readonly historyLimitedTo: string | undefined
}

/**
 * Composes a chart, ready to be drawn. Throws `ChartRequestError`, `invalid_argument` for axes that
 * do not fit together, and the source's errors.
 */
export async function composeChart(source: ChartSource, body: ChartBody): Promise<ComposedChart> {
  const plan = planChart(body, source)
  requireVisible(source, plan)
  const { interval } = plan
  const [columns, halvings] = await Promise.all([
    isFine(interval) ? undefined : readChartColumns(source, plan),
    plan.range === 'cycle' ? source.cycleStarts('halving') : undefined,
  ])
  const span = chooseSpan(source, plan, halvings?.firstDays ?? [])
  const request = await (isFine(interval)
    ? composeFine(source, plan, interval, span)
    : composeKind(source, plan, columns!, span))
  const { theme, width, height, pixel_ratio, text_scale, scale, subtitle, labels, last_values } = plan
  await source.pause?.()
  return {
    specification: buildSpecification({
      ...request,
      theme,
      width,
      height,
      pixel_ratio,
      text_scale,
      scale,
      labels,
      last_values,
      subtitle: subtitle ?? request.subtitle ?? '',
      normalized: plan.stacked === 'percent',
      verticals: request.verticals ?? (await readVerticals(source, plan)),
      title: plan.title ?? request.title,
      ...(plan.brand !== false && { brand: { name: 'Coinstrata', address: source.address } }),
      source: source.sourceLine,
    }),
    historyLimitedTo:
      source.isCut && !plan.histogram && (span.startsBefore || hasFormulas(plan))
        ? isoDate(source.firstDay)
        : undefined,
  }
}

/** Like `composeByDate`, with entries of hours or blocks; their times replace their numbers. */
async function composeFine(
  source: ChartSource,
  plan: ChartPlan,
  interval: FineInterval,
  span: Span,
): Promise<ComposedRequest> {
  const { createFineSource, toDays } = await import('./fine-source.ts')
  const fine = createFineSource(source, plan, interval, span.first)
  const columns = await readChartColumns(fine, plan)
  if (!columns.series.some(({ values }) => values.some((value) => !Number.isNaN(value)))) {
    throw new ChartRequestError('not_found', 'there are no values in these hours or blocks', {
      parameter: 'start_date',
    })
  }
  const entries = { ...span, first: 0, last: fine.lastDay }
  const { x, remarks = [], ...request } = await composeByDate(fine, { ...plan, interval: 'day' }, columns, entries)
  const found = fine.read()
  const days = toDays(found)
  return {
    ...request,
    x: { kind: 'date', days: Float64Array.from(x.days, (entry) => days[entry]!), interval },
    remarks: [...remarks, ...found.remarks],
  }
}

/** Loads code of rare charts on demand, sparing most pages. */
async function composeKind(source: ChartSource, plan: ChartPlan, columns: ChartColumns, span: Span) {
  if (plan.histogram) {
    const { composeHistogram } = await import('./histogram.ts')
    const chart = await composeHistogram(source, { date: span.last, ...plan.histogram }, themes[plan.theme].price)
    return { ...chart, axes: listAxes(plan) }
  }
  if (!plan.cycles) return composeByDate(source, plan, columns, span)
  const { composeCycles, requireConstant } = await import('./cycles.ts')
  const { axes, ...chart } = await composeCycles(source, plan, columns, span)
  const references = resolveReferences(plan, (level) => requireConstant(columns.level(level)))
  const described = listAxes(plan)
  const own = axes.map((axis) => ({ ...axis, ...described.find(({ id }) => id === axis.id) }))
  return { ...chart, axes: [...own, ...described], ...references }
}

/** Minimum years of a month table; fewer show neither seasons nor cycles. */
const minYears = 10
/** Pixels of a year in a month table. */
const rowHeight = 30
/** Rows of that height for heads, means and title. */
const otherRows = 4

interface Span {
  /** Unix days; `first` is within the caller's history. */
  readonly first: number
  readonly last: number
  /** The request begins before the caller's history. */
  readonly startsBefore: boolean
}

/** Throws `insufficient_tier` if all requested days are before the caller's history. */
function requireVisible({ isCut, firstDay }: ChartSource, { end_date, histogram }: ChartPlan): void {
  const parameter = histogram?.date === undefined ? 'end_date' : 'histogram.date'
  const last = histogram?.date ?? end_date
  if (!isCut || last === undefined || last >= firstDay) return
  const first_date = isoDate(firstDay)
  const message = `your history begins on ${first_date}: earlier days need tier pro or higher`
  throw new ChartRequestError('insufficient_tier', message, { parameter, first_date, needed: 'pro' })
}

function chooseSpan(
  { firstDay, lastDay }: ChartSource,
  { cycles, days, range, byMonth, start_date, end_date, interval, height }: ChartPlan,
  halvings: readonly number[],
): Span {
  const last = Math.min(end_date ?? lastDay, lastDay)
  const everything = Number.NEGATIVE_INFINITY
  const newest = (count: number) => last - count + 1
  const startOf = (name: RangeName): number => {
    if (name === 'ytd') return yearStart(last)
    if (name === 'cycle') return halvings.findLast((day) => day <= last) ?? everything
    return name === 'all' ? everything : newest(rangeDays[name])
  }
  const requestedStart = cycles
    ? everything
    : days !== undefined
      ? newest(days)
      : startOf(range ?? (isFine(interval) ? '1m' : chartDefaults.range))
  const years = Math.max(minYears, Math.floor(height / rowHeight) - otherRows)
  const start = start_date ?? (byMonth ? Math.min(requestedStart, yearStart(last, years - 1)) : requestedStart)
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
): Promise<ComposedRequest> {
  const origin = source.firstDay
  const { series } = columns
  const distribution = plan.heatmap && source.distribution(plan.heatmap.metric, 'heatmap.metric')
  const firstDataDay = distribution ? (distribution.firstDay ?? origin) : origin + firstKnownRow(series)
  const firstShownDay = Math.max(first, firstDataDay)
  // Begins with a whole week, month or year if data allow. A month table also needs the last day of
  // the previous year.
  const interval = plan.heatmap ? '1d' : seriesIntervalCodes[plan.interval]
  const start = plan.byMonth ? yearStart(firstShownDay) - 1 : startOfPeriod(firstShownDay, interval)
  const firstKnown = Math.max(start, origin)
  const count = last - firstKnown + 1
  const step = plan.heatmap ? Math.max(1, Math.ceil(count / maxHeatmapDays)) : 1
  if (count < 1 || (!plan.heatmap && !hasValues(series, firstKnown - origin, last - origin))) {
    const message = `there are no values between ${isoDate(first)} and ${isoDate(Math.max(first, last))}`
    throw new ChartRequestError('not_found', message, { parameter: 'start_date' })
  }
  const shownDays = Math.ceil(count / step)
  const days = new Int32Array(shownDays).map((_, i) => last - (shownDays - 1 - i) * step)
  const cut = (values: Float64Array): Float64Array =>
    step === 1
      ? values.slice(firstKnown - origin, last - origin + 1)
      : new Float64Array(shownDays).map((_, i) => values[days[i]! - origin]!)
  const periods = splitIntoPeriods(days, interval)
  const readLevel = (level: number | string): number | Float64Array => {
    const value = columns.level(level)
    return typeof value === 'number' ? value : aggregatePeriods(cut(value), periods, 'last')
  }
  // A period from before the caller's history has no sum or mean.
  const beginsWithin = source.isCut && startOfPeriod(days[0]!, interval) < days[0]!
  const summarize = ({ values, aggregate = 'last' }: RequestedSeries): Float64Array => {
    const summaries = aggregatePeriods(cut(values), periods, aggregate)
    return beginsWithin && aggregate !== 'last' ? summaries.with(0, Number.NaN) : summaries
  }
  const readColors = (text: string): ColorColumn => {
    const level = readLevel(text)
    const known = source.ids.has(text) ? source.series(text, 'color_by') : undefined
    const { id = '', name = text.slice(0, 60) } = known ?? {}
    const { unit } = toQuantity(known ?? { unit: '', dimension: '' })
    const look = chooseFormat({ id, unit })
    const title = look.format === 'percent' ? name : nameWithUnit(name, unit)
    return { title, ...look, values: typeof level === 'number' ? new Float64Array(periods.length).fill(level) : level }
  }
  const toPeriodSeries = (one: RequestedSeries, i: number): RequestedSeries => {
    const values = summarize(one)
    // A nearly flat area over a short range would be a solid block, and normalized ones hide others.
    const isSlab =
      (one.style === 'area' && isNearlyFlat(values)) || (plan.normalize && ['area', 'bar'].includes(one.style ?? ''))
    const summed = {
      ...one,
      values,
      ...(isSlab && !one.stacked && isStyleOpen(plan, i) && { style: 'line' as const }),
      ...(one.color_by !== undefined && { colorBy: readColors(one.color_by) }),
      ...(one.candles && { candles: aggregateCandles(periods, one.candles, cut) }),
    }
    return plan.normalize && !one.stacked ? normalize(summed, plan.normalize) : summed
  }
  if (plan.byMonth) {
    const { id, unit, values } = series[0]!
    const { name, kind, aggregate } = columns.metrics[0]!
    const measure = kind === 'flow' ? 'sum' : kind === 'rate' || ['%', 'ratio'].includes(unit) ? 'mean' : 'change'
    const how = kind === 'rate' ? aggregate : measure === 'change' ? 'last' : measure
    const title = `${name}${isRecomputed(how) ? '' : `: ${kind === 'rate' ? how : measure}`} by month`
    const [yearly = values] = isRecomputed(how) ? await source.readValues([id], '1y') : []
    const { monthlyValues } = await import('./monthly-values.ts')
    const center = unit === 'ratio' ? 1 : undefined
    const look = { name: title, measure, center, ...chooseFormat({ id, unit }) } as const
    const monthGrid = monthlyValues(days, cut(values), look, how, cut(yearly))
    const shown = days.subarray(days.indexOf(Math.max(yearStart(firstShownDay), firstDataDay)))
    return { title: plan.title ?? title, x: { kind: 'date', days: shown }, series: [], monthGrid }
  }
  const shown: RequestedSeries[] = []
  for (const [i, one] of series.entries()) {
    shown.push(toPeriodSeries(one, i))
    await source.pause?.()
  }
  const shownUntil = Int32Array.from(periods, ([, to]) => days[to - 1]!)
  return {
    title: defaultTitle(plan, columns, distribution?.name),
    x: { kind: 'date', days: shownUntil, interval: plan.interval },
    series: plan.normalize === 'index' ? nameBases(shown, shownUntil) : shown,
    remarks: columns.remarks,
    ...(columns.price && { priceOverlay: aggregatePeriods(cut(columns.price), periods, 'last') }),
    axes: listAxes(plan),
    ...resolveReferences(plan, readLevel),
    ...(plan.crossings && { crossings: resolveCrossings(plan, series) }),
    ...(plan.heatmap && { heatmap: await readHeatmap(source, plan.heatmap, days) }),
  }
}

const readHeatmap = async (
  source: ChartSource,
  { metric: id, bins, ...look }: NonNullable<ChartPlan['heatmap']>,
  days: Int32Array,
): Promise<RequestedHeatmap> => ({ ...look, id, ...(await source.readCells(id, days, bins, look.y_scale)) })

const listAxes = ({ y_axes }: ChartPlan): RequestedAxis[] =>
  y_axes.map(({ id, ...axis }) => ({ ...axis, id: id ?? axis.side ?? firstAxis }))

function resolveReferences({ reference_lines, reference_areas }: ChartPlan, readLevel: ChartColumns['level']) {
  const read = (level: number | string | undefined) => (level === undefined ? undefined : readLevel(level))
  return {
    referenceLines: reference_lines.flatMap(({ x: _, y, y_formula, ...line }) => {
      const level = read(y ?? y_formula)
      return level === undefined ? [] : [{ ...line, y: level }]
    }),
    referenceAreas: reference_areas.map(
      ({ y1, y1_formula, y2, y2_formula, ...area }): RequestedArea => ({
        ...area,
        y1: read(y1 ?? y1_formula),
        y2: read(y2 ?? y2_formula),
      }),
    ),
  }
}

/** Series that begin on different days say in their labels where each is 100. */
function nameBases(series: readonly RequestedSeries[], days: Int32Array): readonly RequestedSeries[] {
  const begins = series.map(({ values }) => days[values.findIndex(Number.isFinite)])
  const isSame = new Set(begins.filter((begin) => begin !== undefined)).size < 2
  return series.map((one, i) => {
    const begin = begins[i]
    return isSame || begin === undefined ? one : { ...one, label: `${one.label} (100 on ${formatDay(begin)})` }
  })
}

/** Whether only the metric's definition determines the style. */
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

function defaultTitle({ title, formulas }: ChartPlan, { metrics }: ChartColumns, distribution?: string): string {
  if (title !== undefined) return title
  if (distribution !== undefined) return distribution
  const names = [...metrics.map(({ name }) => name), ...formulas.map((formula) => formula.label ?? formula.expression)]
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`
}

async function readVerticals(source: ChartSource, plan: ChartPlan): Promise<RequestedVertical[]> {
  // The first cycle began with the chain, not a halving.
  const halvings = plan.halvings ? (await source.cycleStarts('halving')).firstDays.slice(1) : []
  return [
    ...plan.reference_lines.flatMap(({ x, ...line }) => (x === undefined ? [] : [{ ...line, day: x }])),
    ...halvings.map((day) => ({ day, label: 'Halving' })),
    ...(plan.events ? source.events : []),
  ]
}
