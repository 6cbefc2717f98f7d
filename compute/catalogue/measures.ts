import { type Cohort, isDayOld } from '../cohorts/cohorts.ts'
import { holdingMeasures } from './holding-measures.ts'
import type { Measure } from './measure.ts'
import { spendingMeasures } from './spending-measures.ts'

const listed = [...holdingMeasures, ...spendingMeasures]
export type MeasureId = (typeof listed)[number]['id']

/** In the order of the columns of `cohorts`. */
export const measures: readonly (Measure & { readonly id: MeasureId })[] = listed

/** Measures of cohorts by size, script type or origin only. */
const created: ReadonlySet<MeasureId> = new Set(['created_volume', 'created_outputs'])
/** Measures that need ages finer than a day. */
const fine: ReadonlySet<MeasureId> = new Set(['spent_volume_1h', 'spent_volume_1h_usd', 'spent_cost_1h', 'asopr'])

export const measuresOf = (cohort: Cohort): typeof measures =>
  measures.filter(({ id }) => {
    if (cohort.kind !== 'coins') return !created.has(id)
    return !fine.has(id) && !(created.has(id) && cohort.minAge > 0)
  })

/** Cohorts named before the measure; others follow it. */
const prefixes: ReadonlySet<string> = new Set(['lth', 'sth', 'lth_smooth', 'sth_smooth'])

const sameAfterDay = new Map<string, string | undefined>(measures.map((measure) => [measure.id, measure.sameAfterDay]))

/**
 * Id of a measure of a cohort: `mvrv`, `lth_mvrv`, `mvrv_1y_2y`; `sopr_1y_2y` for the equal
 * `asopr`.
 */
export const cohortMetricId = (cohort: string, measure: string): string =>
  idWith(cohort, (isDayOld(cohort) ? sameAfterDay.get(measure) : undefined) ?? measure)

/** As `cohortMetricId` for any names. */
export function idWith(cohort: string, measure: string): string {
  if (cohort === 'all') return measure === 'supply' ? 'circulating_supply' : measure
  return prefixes.has(cohort) ? `${cohort}_${measure}` : `${measure}_${cohort}`
}

/** Replaces measures in braces by ids. */
export const fillFormula = (formula: string, idOf: (measure: string) => string): string =>
  formula.replaceAll(/\{(\w+)\}/g, (_, measure: string) => idOf(measure))
