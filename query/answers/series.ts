import type { z } from 'zod'
import { isoDate, secondsPerDay } from '#base/days.ts'
import { ApiError } from '#contract/api-error.ts'
import { endpoints } from '#contract/endpoints.ts'
import { defaultInterval, periodStarts } from '#contract/intervals.ts'
import { isRecomputed, type MetricAggregate } from '#contract/metric-kinds.ts'
import type { PointInTime, Range } from '#contract/parameters.ts'
import type { CallerWork } from '#limits/admission.ts'
import { inferAggregate } from '#sql/formula/aggregate.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import type { Periods } from '#sql/formula/periods.ts'
import { checkReferences } from '#sql/formula/references.ts'
import { describeColumn, isSeries, type Metric } from '../catalogue.ts'
import type { Column, ColumnDescription } from '../table/columns.ts'
import { evaluateFor } from '../threads.ts'
import type { View } from '../view.ts'
import { readAfterBlocks } from './after-blocks.ts'
import { type Answer, noData, withheldMeta } from './answer.ts'
import { onlyDate } from './daily.ts'
import { type DailySeries, daysAnswer, historyMeta, recomputedInterval, rounded } from './days.ts'
import { hoursAt, readHours, requireOneRow } from './hours.ts'

type SeriesParameters = z.output<typeof endpoints.series.query>

/** A metric or formula; `grade` is the highest of its metrics. */
export interface Source {
  readonly name: string
  readonly columnNotes: ColumnDescription | undefined
  readonly grade: number
  readonly aggregate: MetricAggregate
  readonly needs: readonly Metric[]
  readonly compute: (
    valuesOf: (id: string) => Float64Array,
    length: number,
    work: CallerWork,
    /** Set if the aggregate is recomputed, for values of the period so far. */
    periods?: Periods,
  ) => Float64Array | Promise<Float64Array>
}

/** Formulas are evaluated over visible days. */
export async function seriesAnswer(view: View, parameters: SeriesParameters): Promise<Answer> {
  const { metrics, formula, digits, interval } = parameters
  const ids = [...new Set(metrics?.split(',') ?? [])]
  const sources = ids.map((id) => metricSource(view, id))
  if (formula !== undefined) sources.push(formulaSource(view, formula))
  if (sources.length === 0) {
    throw new ApiError('invalid_parameter', 'give metrics, formula, or both', { parameter: 'metrics' })
  }
  const { visible, withheld } = view.split(sources, sources.map(({ name }) => name).join(', '))

  const needed = [...new Map(visible.flatMap(({ needs }) => needs).map((metric) => [metric.id, metric])).values()]
  if (interval === 'block' || interval === '1h') {
    const answer = await fineAnswer(view, { ...parameters, interval }, visible, needed)
    return { ...answer, meta: { ...answer.meta, ...withheldMeta(withheld) } }
  }
  const { dayCount, firstDay, isCut } = view
  const range = { ...parameters, interval }
  const recomputed = recomputedInterval(range)
  const [read, toDate] = await Promise.all([view.valuesOf(needed), view.valuesOf(needed, recomputed)])
  const inputs = new Map(
    needed.map(({ id, kind, aggregate }, i) => [id, { kind, aggregate, values: read[i]!, toDate: toDate[i]! }]),
  )
  const find = (id: string) => inputs.get(requireSeries(view, id, 'formula').id)!
  const periods = recomputed && { find, starts: periodStarts(firstDay, dayCount, recomputed) }
  const series: DailySeries[] = []
  for (const { name, columnNotes, aggregate, compute } of visible) {
    const ofPeriods = isRecomputed(aggregate) && recomputed !== defaultInterval ? periods : undefined
    const values = await compute((id) => find(id).values, dayCount, view.work, ofPeriods)
    series.push({ name, columnNotes, aggregate, values })
  }
  const answer = await daysAnswer(view, series, { range, before: onlyDate, digits })
  return {
    table: answer.table,
    meta: {
      ...(answer === noData ? { note: 'it has no value on any day that you can see' } : answer.meta),
      // Functions of all days differ without earlier ones.
      ...(formula !== undefined && isCut && { history_limited_to: isoDate(firstDay) }),
      ...withheldMeta(withheld),
    },
  }
}

type FineRange = Range & PointInTime & { readonly interval: 'block' | '1h' }

/** Ascending. Metrics without hours have the rows kept after each hour's last block. */
export async function readFine(view: View, needed: readonly Metric[], range: FineRange) {
  const { interval } = range
  const ofHours = interval === '1h' ? needed.filter(({ intervals }) => intervals.includes('1h')) : []
  const others = needed.filter((metric) => !ofHours.includes(metric))
  const kept =
    interval === 'block' || others.length > 0 ? await readAfterBlocks(view, others, range, interval) : undefined
  const hours = kept ? await hoursAt(view, ofHours, kept.times) : await readHours(view, ofHours, range)
  const { times } = kept ?? hours
  return {
    times,
    days: kept?.days ?? times.map((time) => Math.floor(time / secondsPerDay)),
    heights: interval === 'block' ? kept?.heights : undefined,
    columns: new Map([...hours.columns, ...(kept?.columns ?? [])]),
    meta: kept?.meta ?? {},
    version: kept?.version,
  }
}

async function fineAnswer(
  view: View,
  range: SeriesParameters & FineRange,
  sources: readonly Source[],
  needed: readonly Metric[],
): Promise<Answer> {
  const { formula, digits } = range
  if (formula !== undefined) requireOneRow(formula)
  const { times, days, heights, columns, meta, version } = await readFine(view, needed, range)
  const series: Column[] = [...onlyDate(days), { name: 'time', kind: 'time', values: times }]
  if (heights) series.push({ name: 'height', kind: 'integer', values: heights })
  for (const { name, columnNotes, compute } of sources) {
    const values = await compute((id) => columns.get(id)!, times.length, view.work)
    series.push({ name, columnNotes, kind: 'number', values: rounded(values, digits) })
  }
  return {
    table: { columns: series, rows: times.length, isReversed: true },
    meta: { ...historyMeta(view, range, times.length), ...meta },
    ...(version !== undefined && { version }),
  }
}

const maxSuggestions = 3

type WithCatalogue = Pick<View, 'catalogue'>

export function requireSeries(view: WithCatalogue, id: string, parameter: string): Metric {
  const metric = requireMetric(view, id, parameter)
  if (isSeries(metric)) return metric
  const message = `'${id}' is a distribution, not a series; /v1/${metric.endpoint} serves it`
  throw new ApiError('invalid_parameter', message, { parameter })
}

/** By id or name; `not_found` names probable ids. */
export function requireMetric({ catalogue }: WithCatalogue, id: string, parameter: string): Metric {
  const metric = catalogue.find(id)
  if (metric) return metric
  const namesakes = catalogue.names.namesakes(id).map((one) => one.id)
  if (namesakes.length > 0) {
    const message = `'${id}' is a name of several metrics; use one of the ids ${namesakes.join(', ')}`
    throw new ApiError('invalid_parameter', message, { parameter, allowed: namesakes })
  }
  const { metrics, notTracked } = catalogue.search(id, maxSuggestions)
  const near = metrics.map((one) => `'${one.id}'`).join(', ')
  const reason = notTracked === undefined ? '' : `; ${notTracked}`
  const hint = near === '' ? ';' : `; did you mean ${near}?`
  throw new ApiError(
    'not_found',
    `there is no metric '${id}'${reason}${hint} ${endpoints.metrics.path} lists them all`,
    {
      parameter,
      ...(metrics[0] && { suggestion: metrics[0].id }),
    },
  )
}

export function metricSource(view: View, id: string): Source {
  const metric = requireSeries(view, id, 'metrics')
  return {
    name: id,
    columnNotes: describeColumn(metric),
    grade: metric.grade,
    aggregate: metric.aggregate,
    needs: [metric],
    compute: (valuesOf, _length, _work, periods) => periods?.find(metric.id).toDate ?? valuesOf(metric.id),
  }
}

export function formulaSource(view: View, text: string): Source {
  const formula = parseFormula(text)
  checkReferences(formula, view.catalogue.ids)
  const needs = [...formula.references.keys()].map((id) => requireSeries(view, id, 'formula'))
  return {
    name: 'formula',
    columnNotes: { formula: text },
    grade: Math.max(0, ...needs.map(({ grade }) => grade)),
    aggregate: inferAggregate(formula, (id) => requireSeries(view, id, 'formula')),
    needs,
    compute: (valuesOf, length, work, periods) =>
      evaluateFor(work, formula, length, (id) => valuesOf(requireSeries(view, id, 'formula').id), periods),
  }
}
