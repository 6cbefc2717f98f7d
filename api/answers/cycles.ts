import { endpoints } from '#contract/endpoints.ts'
import type { cycleFamilies, Range } from '#contract/parameters.ts'
import { rowLimit } from '#contract/parameters.ts'
import type { Tier } from '#contract/tiers.ts'
import { isoDate } from '#root/days.ts'
import type { Published } from '../published/published.ts'
import { type Column, emptyTable, tableOf } from '../table/columns.ts'
import { type Answer, firstVisibleDay, noData } from './answer.ts'
import { metricsAnswer } from './daily.ts'
import { listAnswer } from './keyed.ts'

type CycleFamily = (typeof cycleFamilies)[number]

export const cycleBoundariesAnswer = (published: Published, family: CycleFamily, limit: number): Promise<Answer> =>
  listAnswer(
    published,
    'cycles',
    `SELECT cycle, family, start_date, end_date, duration_days, start_height, start_price
     FROM ${published.table('cycles')} WHERE family = '${family}' ORDER BY cycle DESC`,
    limit,
  )

/** Indices of the running cycles by date; or, with a family, all its cycles laid over each other. */
export function cyclePerformanceAnswer(
  published: Published,
  tier: Tier,
  parameters: Range & { type?: CycleFamily | undefined },
): Promise<Answer> {
  const { type } = parameters
  if (type === undefined) return runningCycles(published, tier, parameters)
  return overlaidCycles(published, tier, parameters, type)
}

function runningCycles(published: Published, tier: Tier, range: Range): Promise<Answer> {
  const { catalogue } = published
  const fields = catalogue.servedBy(endpoints.cyclePerformance.id).map((metric) => ({ ...metric, name: metric.field }))
  const sinceHalving = catalogue.find('days_since_halving')
  const offset = sinceHalving ? [{ ...sinceHalving, name: 'day_offset' }] : []
  return metricsAnswer(published, tier, range, endpoints.cyclePerformance.path, [...offset, ...fields])
}

async function overlaidCycles(published: Published, tier: Tier, range: Range, family: CycleFamily): Promise<Answer> {
  const priceMetric = published.catalogue.find('price')
  if (!published.has('cycles') || !priceMetric) return noData
  const [starts] = await published.query(
    `SELECT start_date FROM ${published.table('cycles')} WHERE family = '${family}' ORDER BY cycle`,
  )
  const [price] = await published.valuesOf([priceMetric])
  if (starts?.kind !== 'date' || !price) return { table: emptyTable }

  const { firstDay, lastDay } = published
  const visible = firstVisibleDay(published, tier)
  const from = Math.max(visible, range.start_date ?? visible)
  const to = Math.min(lastDay, range.end_date ?? lastDay)
  const cycles = Array.from(starts.values, (start, i) => {
    const length = (starts.values[i + 1] ?? lastDay + 1) - start
    const reference = price[start - firstDay] ?? Number.NaN
    return Float64Array.from({ length }, (_, offset) => {
      const day = start + offset
      return day < from || day > to ? Number.NaN : price[day - firstDay]! / reference
    })
  })
  const longest = Math.max(0, ...cycles.map(({ length }) => length))
  const known = Array.from({ length: longest }, (_, offset) => offset).filter((offset) =>
    cycles.some((cycle) => !Number.isNaN(cycle[offset] ?? Number.NaN)),
  )
  const offsets = known.slice(0, range.start_date === undefined ? range.limit : rowLimit)
  const columns: Column[] = [
    { name: 'day_offset', kind: 'integer', values: Float64Array.from(offsets) },
    ...cycles.map((cycle, i) => ({
      name: `cycle_${i + 1}`,
      kind: 'number' as const,
      values: Float64Array.from(offsets, (offset) => cycle[offset] ?? Number.NaN),
    })),
  ]
  const isCut = visible > firstDay && (range.start_date ?? firstDay) < visible
  return { table: tableOf(columns), meta: isCut ? { history_limited_to: isoDate(visible) } : {} }
}
