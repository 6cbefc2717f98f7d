import { cohorts as cohortTable, withColumns } from '#contract/tables/metrics.ts'
import { appendParts } from '#sql/columns.ts'
import { functionsVersion } from '#sql/formula/functions.ts'
import { quotedString } from '#sql/quote.ts'
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
     (number INTEGER, date DATE, ${measures.map(({ id }) => `${id} DOUBLE`).join(', ')})`,
  )
  function* rowsByCohort() {
    const nothing = new Float64Array(date.length).fill(Number.NaN)
    for (const [number, cohort] of cohorts.entries()) {
      const own = new Set(measuresOf(cohort))
      yield {
        number: new Int32Array(date.length).fill(number),
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
  const ids = cohorts.map(({ id }) => quotedString(id)).join(', ')
  const written = await draft.growCast(
    declaredCohorts,
    days,
    `(SELECT *, [${ids}][number + 1] AS cohort FROM cohort_values ORDER BY date, number)`,
  )
  await connection.run('DROP TABLE cohort_values')
  return written
}
