import { secondsPerDay } from '#base/days.ts'
import { type FineInterval, maxFinePoints } from '#contract/chart-options.ts'
import { requiredHistory } from '#sql/formula/evaluate.ts'
import type { Formula } from '#sql/formula/parse.ts'
import type { ChartPlan } from './chart-plan.ts'
import type { ChartSource, FineColumns } from './chart-source.ts'
import { ChartRequestError } from './request-error.ts'

/**
 * A source of hours or blocks instead of days, counted from 0. Reading values chooses the entries.
 * Throws `ChartRequestError` for charts that have only days.
 */
export function createFineSource(source: ChartSource, plan: ChartPlan, interval: FineInterval, firstDay: number) {
  const { readFine } = source
  if (plan.cycles || plan.byMonth || plan.heatmap || plan.histogram) {
    throw invalid('interval', 'this kind of chart has days only')
  }
  let found: FineColumns | undefined
  const read = (): FineColumns => {
    if (found) return found
    throw new Error('no hours or blocks are read yet')
  }
  return {
    ...source,
    firstDay: 0,
    get lastDay() {
      return read().times.length - 1
    },
    read,
    readValues: async (ids: readonly string[]) => {
      const { end_date, generation, as_of } = plan
      const range = { start_date: firstDay, end_date, generation, as_of }
      found = await readFine(ids, interval, range)
      const { times, columns } = found
      if (times.length > maxFinePoints)
        throw invalid('start_date', `a chart has at most ${maxFinePoints} hours or blocks: choose fewer days`)
      return ids.map((id) => columns.get(id)!)
    },
    evaluate: (formula: Formula, length: number, lookup: (id: string) => Float64Array) => {
      if (requiredHistory(formula) === 0) return source.evaluate(formula, length, lookup)
      throw invalid('formulas', 'functions over several rows count days: use none of them with hours and blocks')
    },
  }
}

const invalid = (parameter: string, problem: string): ChartRequestError =>
  new ChartRequestError('invalid_parameter', `parameter '${parameter}': ${problem}`, { parameter })

/** Times as fractional unix days. Header times may be earlier than their predecessors'. */
export function toDays({ times }: FineColumns): Float64Array {
  let latest = 0
  return times.map((time) => {
    latest = Math.max(latest, time / secondsPerDay)
    return latest
  })
}
