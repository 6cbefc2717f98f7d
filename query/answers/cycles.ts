import { isoDate } from '#base/days.ts'
import { invalidParameter } from '#contract/api-error.ts'
import type { CycleFamily } from '#contract/cycle-families.ts'
import type { EndpointParameters } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import type { Range } from '#contract/parameters.ts'
import type { Fields } from '../fields.ts'
import { type Column, emptyTable, tableOf } from '../table/columns.ts'
import type { UnrestrictedView, View } from '../view.ts'
import { type Answer, noData } from './answer.ts'
import { metricsAnswer } from './daily.ts'

/** The running cycles by date, or all cycles of a family side by side. */
export function cyclePerformanceAnswer(
  view: UnrestrictedView,
  { type, ...range }: EndpointParameters<typeof endpoints.cyclePerformance>,
  wanted: Fields,
): Promise<Answer> {
  if (type === undefined) return runningCycles(view, range, wanted)
  if (range.cursor) throw invalidParameter('cursor', 'is for rows by date: with type one answer holds all rows')
  return overlaidCycles(view, range, type)
}

function runningCycles(view: View, range: Range, wanted: Fields): Promise<Answer> {
  const { catalogue } = view
  const fields = catalogue.servedBy(endpoints.cyclePerformance.id).map((metric) => ({ ...metric, name: metric.field }))
  const sinceHalving = catalogue.find('days_since_halving')
  const offset = sinceHalving ? [{ ...sinceHalving, name: 'day_offset' }] : []
  return metricsAnswer(view, range, endpoints.cyclePerformance.path, [...offset, ...fields], wanted)
}

async function overlaidCycles(view: UnrestrictedView, range: Range, family: CycleFamily): Promise<Answer> {
  const priceMetric = view.catalogue.find('price')
  if (!view.has('cycles') || !priceMetric) return noData
  const [starts, provisional] = await view.query(
    `SELECT start_date, provisional FROM ${view.table('cycles', endpoints.cyclePerformance.path)}
     WHERE family = $family ORDER BY cycle`,
    { family },
  )
  const { firstDay, lastDay } = view.all
  const [price] = await view.all.valuesOf([priceMetric])
  if (starts?.kind !== 'date' || provisional?.kind !== 'flag' || !price) return { table: emptyTable }

  const { first: from, last: to, rows } = view.visibleDays(range)
  const cycles = Array.from(starts.values, (start, i) => {
    const length = (starts.values[i + 1] ?? lastDay + 1) - start
    const reference = price[start - firstDay] ?? Number.NaN
    return Float64Array.from({ length }, (_, offset) => {
      const day = start + offset
      return day < from || day > to ? Number.NaN : price[day - firstDay]! / reference
    })
  })
  const maxLength = Math.max(0, ...cycles.map(({ length }) => length))
  const known = Array.from({ length: maxLength }, (_, offset) => offset).filter((offset) =>
    cycles.some((cycle) => !Number.isNaN(cycle[offset] ?? Number.NaN)),
  )
  const offsets = known.slice(0, rows)
  const columns: Column[] = [
    { name: 'day_offset', kind: 'integer', values: Float64Array.from(offsets) },
    ...cycles.map((cycle, i) => ({
      name: `cycle_${i + 1}${provisional.values[i] ? '_provisional' : ''}`,
      kind: 'number' as const,
      values: Float64Array.from(offsets, (offset) => cycle[offset] ?? Number.NaN),
    })),
  ]
  const isCut = view.isCut && (range.start_date ?? firstDay) < view.firstDay
  return { table: tableOf(columns), meta: isCut ? { history_limited_to: isoDate(view.firstDay) } : {} }
}
