import { isoDate, parseDay } from '#base/days.ts'
import { mapInTurns } from '#base/own-turn.ts'
import { percentileRank } from '#base/percentile-rank.ts'
import type { EndpointParameters } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { periodDays } from '#contract/parameters.ts'
import { percentileDetails } from '#contract/rows.ts'
import { isVariant } from '#contract/variants.ts'
import { type Zones, zonesByMetric } from '#contract/zones.ts'
import { isSeries, type Metric } from '../catalogue.ts'
import type { Fields } from '../fields.ts'
import { tableOf } from '../table/columns.ts'
import type { UnrestrictedView, View } from '../view.ts'
import { type Answer, withheldMeta } from './answer.ts'
import { rankChanges } from './change-ranks.ts'
import { requireSeries } from './series.ts'

const daysAgo = 7
const zonesFrom = parseDay('2012-01-01')
const details = Object.keys(percentileDetails.shape).map((name) => ({ name }))

/**
 * Ranks of the newest values in all history, and of those a week earlier, for every tier: a rank
 * reveals almost nothing about old values, and one among sixty days would be mistaken for it.
 */
export async function percentilesAnswer(
  view: UnrestrictedView,
  { metrics, period }: EndpointParameters<typeof endpoints.percentiles>,
  wanted: Fields,
): Promise<Answer> {
  const { visible, withheld } = view.split(selectMetrics(view, metrics), endpoints.percentiles.path)
  const columns = await view.all.valuesOf(visible)
  const firstVisible = view.firstDay - view.all.firstDay
  const day = (row: number): number => view.all.firstDay + row
  const hasDetails = wanted.of(details).length > 0
  const ranks = await rankChanges(view, hasDetails ? visible : [], periodDays[period])
  const read = (metric: Metric, values: Float64Array) => {
    const standing = rankNewest(values, firstVisible)
    if (!standing) return []
    const rank = ranks.get(metric.id)
    const since = Math.max(day(Math.max(firstVisible, standing.first)), zonesFrom)
    const zones = day(standing.last) < since ? undefined : zonesByMetric.get(metric.id)
    const reading = zones && countZones(zones, values.subarray(since - day(0)), standing.value, isoDate(since))
    return [{ metric, ...standing, rank: rank && rank.firstRow < firstVisible ? undefined : rank, reading }]
  }
  const known = (await mapInTurns(visible, (metric, i) => read(metric, columns[i]!))).flat()
  const numbers = (of: (one: (typeof known)[number]) => number): Float64Array => Float64Array.from(known, of)
  const text = (name: string, of: (one: (typeof known)[number]) => string | undefined) =>
    ({ name, kind: 'text', values: known.map((one) => of(one) ?? null) }) as const
  return {
    table: tableOf([
      { name: 'id', kind: 'text', values: known.map(({ metric }) => metric.id) },
      { name: 'date', kind: 'date', values: numbers(({ last }) => day(last)) },
      { name: 'value', kind: 'number', values: numbers(({ value }) => value) },
      { name: 'percentile', kind: 'number', values: numbers(({ percentile }) => percentile) },
      { name: 'history_from', kind: 'date', values: numbers(({ first }) => day(first)) },
      { name: 'value_7d_ago', kind: 'number', values: numbers(({ valueBefore }) => valueBefore) },
      { name: 'percentile_7d_ago', kind: 'number', values: numbers(({ percentileBefore }) => percentileBefore) },
      { name: 'change', kind: 'number', values: numbers((one) => one.rank?.change ?? Number.NaN) },
      text('change_unit', (one) => (one.rank?.isPercent ? 'percent' : one.rank && one.metric.unit)),
      { name: 'change_percentile', kind: 'number', values: numbers((one) => one.rank?.percentile ?? Number.NaN) },
      text('like', (one) => one.rank?.like),
      text('zone', ({ reading }) => reading?.zone),
      { name: 'zones', kind: 'list', values: known.map(({ reading }) => reading?.zones ?? []) },
      text('zones_source', ({ reading }) => reading?.source),
    ]),
    meta: {
      ...withheldMeta(withheld.map(({ id, grade }) => ({ name: id, grade }))),
      ...(hasDetails && view.isCut && { history_limited_to: isoDate(view.firstDay) }),
    },
  }
}

/** By default without the thousands of single cohorts, exchanges, funds and entities. */
function selectMetrics(view: View, metrics: string | undefined): readonly Metric[] {
  if (metrics !== undefined) return [...new Set(metrics.split(','))].map((id) => requireSeries(view, id, 'metrics'))
  return view.catalogue.metrics.filter((metric) => metric.active && isSeries(metric) && !isVariant(metric))
}

/** Zone of `value`, and the share of each among known `values` since a day. */
function countZones({ texts, bounds, source }: Zones, values: Float64Array, value: number, since: string) {
  const indexOf = (one: number): number => bounds.filter((bound) => one >= bound).length
  const found = [...values].filter((one) => !Number.isNaN(one)).map(indexOf)
  const share = (zone: number): number => (100 * found.filter((one) => one === zone).length) / found.length
  const zones = texts.map((text, zone) => `${text}, ${share(zone).toFixed(1)} % of days since ${since}`)
  return { zone: texts[indexOf(value)]!.replace(/^.*: /, ''), zones, source }
}

/**
 * Percent of known values that are lower, plus half of the equal ones: 0 is common, not high, in a
 * flow that is mostly 0. Undefined if no value is known from row `firstVisible` on: earlier ones
 * stay hidden.
 */
export function rankNewest(values: Float64Array, firstVisible = 0) {
  const first = values.findIndex((value) => !Number.isNaN(value))
  const last = values.findLastIndex((value) => !Number.isNaN(value))
  if (last < firstVisible) return undefined
  const value = values[last]!
  const valueBefore = last - daysAgo < firstVisible ? Number.NaN : values[last - daysAgo]!
  return {
    first,
    last,
    value,
    valueBefore,
    percentile: percentileRank(values, value),
    percentileBefore: Number.isNaN(valueBefore) ? Number.NaN : percentileRank(values, valueBefore),
  }
}
