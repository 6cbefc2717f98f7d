import { isoDate, parseDay } from '#base/days.ts'
import { RequestError } from '#clients/typescript/request.ts'
import type { ChartBody } from '#contract/charts.ts'
import type { CycleFamily } from '#contract/cycle-families.ts'
import { defaultInterval } from '#contract/intervals.ts'
import { isRecomputed } from '#contract/metric-kinds.ts'
import type { ChartSource } from '#render/page/page.ts'
import type { CycleStarts } from '#render/request/chart-source.ts'
import { evaluateFormula } from '#sql/formula/evaluate.ts'
import { readIndex } from '../data/catalogue.ts'
import { read, readFull } from '../data/client.ts'
import { type Columns, chartDigits, readHistories } from '../data/columns.ts'

/**
 * Reads columns of the API, with a picture's digits unless `isExact`. `needed`: all metrics that a
 * chart shows or computes with.
 */
export async function pageSource(
  needed: readonly string[],
  { events, end_date }: ChartBody,
  isExact: boolean,
): Promise<ChartSource> {
  const [index, histories] = await Promise.all([readIndex(), readHistories(needed, isExact ? { digits: 'all' } : {})])
  const columns = [...new Set(histories)]
  const firstDay = Math.min(...columns.map((one) => one.firstDay))
  const lastDay = Math.max(...columns.map((one) => one.lastDay))
  const values = new Map(
    columns.flatMap((one) => [...one.values].map(([id, column]) => [id, aligned(one, column, firstDay, lastDay)])),
  )
  const requireMetric = (id: string, parameter: string) => {
    const metric = index.byId.get(id)
    if (metric) return metric
    throw new RequestError('not_found', `there is no metric '${id}'`, { parameter })
  }
  return {
    firstDay,
    lastDay,
    isCut: columns.some(({ isCut }) => isCut),
    sourceLine: '',
    address: undefined,
    events: events === true ? (await import('./market-events.ts')).marketEvents : [],
    template: (name) => {
      throw new RequestError('not_found', `a page has no template '${name}'`)
    },
    ids: { has: (id) => index.byId.has(id) },
    series: requireMetric,
    distribution: requireMetric,
    readValues: async (ids, interval = defaultInterval) => {
      const recomputed = ids.filter((id) => interval !== defaultInterval && isRecomputed(index.byId.get(id)?.aggregate))
      const digits = isExact ? undefined : chartDigits
      const until = end_date === undefined ? undefined : isoDate(end_date)
      const query = { metrics: recomputed.join(), interval, end_date: until, limit: 10_000, digits }
      const rows = recomputed.length > 0 ? (await read('series', query)).data : []
      return ids.map((id) => {
        const column = values.get(id)
        if (!column) throw new RequestError('not_found', `there is no data here for ${id}`)
        if (!recomputed.includes(id)) return column
        const sparse = new Float64Array(column.length).fill(Number.NaN)
        for (const row of rows) sparse[parseDay(row.date) - firstDay] = Number(row[id] ?? Number.NaN)
        return sparse
      })
    },
    readFine: async (...request) => (await import('./fine-columns.ts')).readFine(isExact, ...request),
    cycleStarts,
    readCells: () => Promise.reject(new RequestError('not_found', 'a page cannot draw a heatmap by itself')),
    evaluate: async (formula, length, lookup, periods) =>
      periods
        ? (await import('#sql/formula/periods.ts')).evaluateToDate(formula, periods)
        : evaluateFormula(formula, length, lookup),
  }
}

function aligned(columns: Columns, values: Float64Array, firstDay: number, lastDay: number): Float64Array {
  if (columns.firstDay === firstDay && columns.lastDay === lastDay) return values
  const whole = new Float64Array(lastDay - firstDay + 1).fill(Number.NaN)
  whole.set(values, columns.firstDay - firstDay)
  return whole
}

async function cycleStarts(family: CycleFamily): Promise<CycleStarts> {
  const { data } = await readFull('cycle-boundaries', { family, limit: 100 })
  const firstDays = data.map(({ start_date }) => parseDay(start_date)).sort((a, b) => a - b)
  return { firstDays, isLastProvisional: data.some(({ provisional }) => provisional) }
}
