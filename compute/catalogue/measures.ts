import { type Cohort, isDayOld } from '../cohorts/cohorts.ts'
import { holdingMeasures } from './holding-measures.ts'
import type { Measure } from './measure.ts'
import { spendingMeasures } from './spending-measures.ts'

const listed = [...holdingMeasures, ...spendingMeasures]
export type MeasureId = (typeof listed)[number]['id']

/** In the order of the columns of `cohorts`. */
export const measures: readonly (Measure & { readonly id: MeasureId })[] = listed

/** Measures that only cohorts by size, script type or origin have. */
const created: ReadonlySet<MeasureId> = new Set(['created_volume', 'created_outputs'])
/** Measures that need ages finer than a day. */
const fine: ReadonlySet<MeasureId> = new Set(['spent_volume_1h', 'spent_volume_1h_usd', 'spent_cost_1h', 'asopr'])

/** The measures that a cohort has. */
export const measuresOf = (cohort: Cohort): typeof measures =>
  measures.filter(({ id }) => {
    if (cohort.kind !== 'coins') return !created.has(id)
    return !fine.has(id) && !(created.has(id) && cohort.minAge > 0)
  })

/** Cohorts whose name comes before the measure; all others come after it. */
const prefixes: ReadonlySet<string> = new Set(['lth', 'sth', 'lth_smooth', 'sth_smooth'])

const sameAfterDay = new Map<string, string | undefined>(measures.map((measure) => [measure.id, measure.sameAfterDay]))

/**
 * The id of a measure of a cohort: `mvrv`, `lth_mvrv`, `mvrv_1y_2y`; `sopr_1y_2y` for `asopr`,
 * which is the same.
 */
export const cohortMetricId = (cohort: string, measure: string): string =>
  idWith(cohort, (isDayOld(cohort) ? sameAfterDay.get(measure) : undefined) ?? measure)

/** Like `cohortMetricId`, with any names. */
export function idWith(cohort: string, measure: string): string {
  if (cohort === 'all') return measure === 'supply' ? 'circulating_supply' : measure
  return prefixes.has(cohort) ? `${cohort}_${measure}` : `${measure}_${cohort}`
}

/** The formula of a measure with ids instead of the measures in braces. */
export const fillFormula = (formula: string, idOf: (measure: string) => string): string =>
  formula.replaceAll(/\{(\w+)\}/g, (_, measure: string) => idOf(measure))
