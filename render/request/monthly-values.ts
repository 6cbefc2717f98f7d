import { bisectLeft } from 'd3-array'
import { msPerDay } from '#base/days.ts'
import { aggregatePeriods, splitIntoPeriods } from '#contract/intervals.ts'
import type { MetricAggregate } from '#contract/metric-kinds.ts'
import type { MonthGrid } from '../draw/specification.ts'

/**
 * Change over each month and year in percent of the last value before, or its aggregate. `days` are
 * consecutive; the newest month and year may be incomplete.
 * @param yearly values by day for the totals of years, if recomputed
 */
export function monthlyValues(
  days: Int32Array,
  values: Float64Array,
  look: Pick<MonthGrid, 'name' | 'measure' | 'center' | 'format' | 'factor'> = {
    measure: 'change',
    format: 'percent',
    factor: 1,
  },
  how: MetricAggregate = look.measure === 'change' ? 'last' : look.measure,
  yearly = values,
): MonthGrid {
  const { measure } = look
  const ends = new Map<number, number>()
  const periods = splitIntoPeriods(days, '1m')
  const lasts = aggregatePeriods(values, periods, how)
  periods.forEach(([, to], i) => {
    if (!Number.isNaN(lasts[i]!)) ends.set(monthNumber(days[to - 1]!), lasts[i]!)
  })
  const known = [...ends.keys()]
  const [first, last] = [Math.min(...known), Math.max(...known)]
  // The first month has no change and does not count for its year.
  const firstYear = Math.floor(Math.min(first + 1, last) / 12)
  const years = Array.from({ length: Math.floor(last / 12) - firstYear + 1 }, (_, i) => firstYear + i)
  const change = (now: number | undefined, before: number | undefined): number =>
    now === undefined || before === undefined || before <= 0 ? Number.NaN : 100 * (now / before - 1)
  const months = Float64Array.from({ length: years.length * 12 }, (_, i) => {
    const month = firstYear * 12 + i
    return measure === 'change' ? change(ends.get(month), ends.get(month - 1)) : (ends.get(month) ?? Number.NaN)
  })
  const totals = Float64Array.from(years, (year) => {
    if (measure !== 'change') {
      const [from, to] = [year, year + 1].map((one) => bisectLeft(days, Date.UTC(one, 0) / msPerDay))
      return aggregatePeriods(yearly, [[from!, to!]], how)[0]!
    }
    const end = ends.get(Math.min(year * 12 + 11, last))
    return change(end, ends.get(year * 12 - 1))
  })
  return { ...look, years, months, totals }
}

function monthNumber(day: number): number {
  const date = new Date(day * msPerDay)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}
