import { cohorts as cohortTable, withColumns } from '#contract/tables/metrics.ts'
import { appendParts } from '#sql/columns.ts'
import { functionsVersion } from '#sql/formula/functions.ts'
import type { Relation } from '#sql/relation.ts'
import { createTableOfRows } from '#sql/rows.ts'
import { definitionVersion, isWhole, revision } from '../catalogue/definition.ts'
import { cohortMetricId, fillFormula, measures, measuresOf } from '../catalogue/measures.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import { type NewDays, newDates, onNewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

/**
 * Changes with the formula of a measure and of those that it follows from, and with its revision if
 * it is measured.
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

export async function writeCohortTable(
  draft: Draft,
  days: NewDays,
  cohorts: readonly Cohort[],
  take: (id: string) => Float64Array,
): Promise<Relation<'cohorts'>> {
  const { connection } = draft
  const date = newDates(days)
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE cohort_values
     (cohort_number INTEGER, date DATE, ${measures.map(({ id }) => `${id} DOUBLE`).join(', ')})`,
  )
  function* rowsByCohort() {
    const nothing = new Float64Array(date.length).fill(Number.NaN)
    for (const [number, cohort] of cohorts.entries()) {
      const own = new Set(measuresOf(cohort))
      yield {
        cohort_number: new Int32Array(date.length).fill(number),
        date,
        ...Object.fromEntries(
          measures.map((measure) => {
            const { id } = measure
            return [id, own.has(measure) ? onNewDays(days, take(cohortMetricId(cohort.id, id))) : nothing] as const
          }),
        ),
      }
    }
  }
  await appendParts(connection, 'cohort_values', rowsByCohort())
  const names = cohorts.map(({ id }, number) => ({ number, cohort: id }))
  await createTableOfRows(connection, 'cohort_names', { number: 'INTEGER', cohort: 'VARCHAR' }, names)
  const written = await draft.growCast(
    declaredCohorts,
    days,
    '(FROM cohort_values JOIN cohort_names ON number = cohort_number ORDER BY date, number)',
  )
  await connection.run('DROP TABLE cohort_values')
  await connection.run('DROP TABLE cohort_names')
  return written
}
