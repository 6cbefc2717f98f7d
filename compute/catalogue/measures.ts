import { type CohortId, isDayOld } from '../cohorts/cohorts.ts'
import { holdingMeasures } from './holding-measures.ts'
import type { Measure, MeasureId } from './measure.ts'
import { spendingMeasures } from './spending-measures.ts'

/** In the order of the columns of `cohorts`. */
export const measures: readonly Measure[] = [...holdingMeasures, ...spendingMeasures]

/** Cohorts whose name comes before the measure; all others come after it. */
const prefixes: ReadonlySet<string> = new Set(['lth', 'sth', 'lth_smooth', 'sth_smooth'])

const sameAfterDay = new Map(measures.map((measure) => [measure.id, measure.sameAfterDay]))

/** The id of a measure of a cohort: `mvrv`, `lth_mvrv`, `mvrv_1y_2y`; `sopr_1y_2y` for `asopr`, which is the same. */
export const metricId = (cohort: CohortId, measure: MeasureId): string =>
  idWith(cohort, (isDayOld(cohort) ? sameAfterDay.get(measure) : undefined) ?? measure)

/** Like `metricId`, with any names. */
export function idWith(cohort: string, measure: string): string {
  if (cohort === 'all') return measure === 'supply' ? 'circulating_supply' : measure
  return prefixes.has(cohort) ? `${cohort}_${measure}` : `${measure}_${cohort}`
}
