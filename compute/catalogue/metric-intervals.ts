import { secondsPerDay } from '#base/days.ts'
import { coinCohortEnd } from '#contract/cohorts.ts'
import { hourlySource } from '#contract/hours.ts'
import { type SeriesInterval, seriesIntervals } from '#contract/intervals.ts'
import { tables } from '#contract/tables/tables.ts'
import type { FormulaNode } from '#sql/formula/parse.ts'
import type { Catalogue } from './catalogue.ts'
import type { MetricDefinition } from './definition.ts'
import type { Origin } from './origin.ts'

/** Numbers by which formulas convert days. */
const dayNumbers: ReadonlySet<number> = new Set([365, secondsPerDay])
/** Metrics of a whole day although their formulas have neither a window nor a number of days. */
const perDay: ReadonlySet<string> = new Set(['coindays_created', 'nvt', 'nvt_adjusted', 'velocity_glassnode'])

/** Intervals of each metric by id. */
export function findIntervals({ definitions, formulas }: Catalogue): ReadonlyMap<string, readonly SeriesInterval[]> {
  const hourly = shorterThanDays(formulas, definitions, (metric) => hourlySource(metric) !== undefined)
  const ofOneDay = shorterThanDays(
    formulas,
    definitions,
    ({ id, from }) => id === 'price' || from?.table === 'days' || (from?.table === 'cohorts' && isKnownDuringDay(from)),
  )
  return new Map(
    definitions.map(({ id, table }) => [
      id,
      seriesIntervals.filter((interval) => {
        if (table === tables.cost_basis.name) return false
        // Each cohort would double its columns.
        // The open day is computed without the operator's metrics.
        if (interval === 'block')
          return ofOneDay.has(id) && table !== tables.cohorts.name && table !== tables.own_metrics.name
        return interval !== '1h' || hourly.has(id)
      }),
    ]),
  )
}

/** Coins by size, script type and origin are computed for closed days only. */
const isKnownDuringDay = ({ key }: Origin): boolean => !coinCohortEnd.test(`_${key}`)

/**
 * Ids of metrics that `isMeasured`, and of those computed from them without other days or the
 * length of a day.
 */
function shorterThanDays(
  formulas: Catalogue['formulas'],
  definitions: readonly MetricDefinition[],
  isMeasured: (metric: MetricDefinition) => boolean,
): ReadonlySet<string> {
  const found = new Set(
    definitions.filter((metric) => metric.formula === undefined && isMeasured(metric)).map(({ id }) => id),
  )
  const follows = (node: FormulaNode): boolean => {
    if (node.kind === 'metric') return found.has(node.id)
    if (node.kind === 'number') return !dayNumbers.has(node.value)
    return node.kind === 'pointwise' && node.operands.every(follows)
  }
  // Each formula comes after those that it refers to.
  for (const [id, { root }] of formulas) if (!perDay.has(id) && follows(root)) found.add(id)
  return found
}
