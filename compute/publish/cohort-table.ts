import { cohorts as cohortTable, withColumns } from '#contract/tables/metrics.ts'
import type { LazyNumbers } from '#sql/column-chunk.ts'
import { functionsVersion } from '#sql/formula/functions.ts'
import type { Relation } from '#sql/relation.ts'
import { definitionVersion, isWhole, revision } from '../catalogue/definition.ts'
import { cohortMetricId, fillFormula, measures, measuresOf } from '../catalogue/measures.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import { type NewDays, newDates, onNewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

/**
 * Changes with the formula of a measure and of those that it uses, and with the revision of a
 * measured one.
 */
function versionOf(id: string): string {
  const { formula, unit } = measures.find((measure) => measure.id === id)!
  const made = formula && fillFormula(formula, versionOf)
  return definitionVersion(id, made ?? revision('cohorts', id), unit, made && functionsVersion)
}

export const declaredCohorts = withColumns(
  cohortTable,
  measures.map(({ id, unit, formula, description, kind, variant, source }) => ({
    column: id,
    unit,
    kind,
    variant,
    source,
    definitionVersion: versionOf(id),
    whole: isWhole({ unit, formula }),
    description: description.replace('{coins}', 'the coins of the cohort'),
    formula: formula && fillFormula(formula, (own) => own),
  })),
)

export function writeCohortTable(
  draft: Draft,
  days: NewDays,
  cohorts: readonly Cohort[],
  take: (id: string) => Float64Array | undefined,
): Relation<'cohorts'> {
  const dates = newDates(days)
  const byMeasure = new Map(measures.map(({ id }) => [id, [] as (Float64Array | undefined)[]]))
  for (const cohort of cohorts) {
    const own = new Set(measuresOf(cohort))
    for (const measure of measures) {
      const { id } = measure
      const values = own.has(measure) ? take(cohortMetricId(cohort.id, id)) : undefined
      byMeasure.get(id)!.push(values && onNewDays(days, values))
    }
  }
  const length = cohorts.length * dates.length
  return draft.growColumns(declaredCohorts, days, {
    ...Object.fromEntries([...byMeasure].map(([id, columns]) => [id, interleave(columns, length)])),
    date: Int32Array.from({ length }, (_, row) => dates[Math.floor(row / cohorts.length)]!),
    cohort: Array.from({ length }, (_, row) => cohorts[row % cohorts.length]!.id),
  })
}

/** The first value of each column, then the second ones; those of missing columns are NULL. */
const interleave = (columns: readonly (Float64Array | undefined)[], length: number): LazyNumbers => ({
  length,
  slice(first, end) {
    if (!columns.some((column) => column)) return undefined
    const values = new Float64Array(end - first).fill(Number.NaN)
    for (const [place, column] of columns.entries()) {
      if (!column) continue
      let day = Math.ceil((first - place) / columns.length)
      let row = day * columns.length + place - first
      for (; row < values.length; row += columns.length) values[row] = column[day++]!
    }
    return values
  },
})
