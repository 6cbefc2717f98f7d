import type { DuckDBConnection } from '@duckdb/node-api'
import { appendColumns } from '#sql/columns.ts'
import { evaluateFormula } from '#sql/formula/evaluate.ts'
import { type Formula, parseFormula } from '#sql/formula/parse.ts'
import { writeParquet } from '#sql/parquet.ts'
import type { CohortColumns } from './cohort-pass.ts'
import type { Cohort } from './cohorts.ts'
import { type Measure, measures, metricId } from './measures.ts'

/** Published as integers: exact amounts and counts. */
const integerUnits = new Set(['sats', 'count'])

/**
 * Writes `cohorts.parquet`: date, cohort and one column for each measure, sorted by cohort and date. `firstDay` is the
 * unix day of the first row of each column.
 */
export async function writeCohortTable(
  connection: DuckDBConnection,
  file: string,
  firstDay: number,
  cohorts: readonly Cohort[],
  columns: CohortColumns,
  price: Float64Array,
): Promise<void> {
  const days = price.length
  const date = Int32Array.from({ length: days }, (_, day) => firstDay + day)
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE cohort_values
     (cohort_number INTEGER, day INTEGER, ${measures.map(({ id }) => `${id} DOUBLE`).join(', ')})`,
  )
  const all = measureColumns('all', columns, new Map(), price)
  for (const [number, { id }] of cohorts.entries()) {
    const own = id === 'all' ? all : measureColumns(id, columns, all, price)
    const values = measures.map((measure) => [measure.id, own.get(metricId(id, measure.id))!] as const)
    await appendColumns(connection, 'cohort_values', {
      cohort_number: new Int32Array(days).fill(number),
      day: date,
      ...Object.fromEntries(values),
    })
  }
  await connection.run('CREATE OR REPLACE TEMP TABLE cohort_names (number INTEGER, cohort VARCHAR)')
  const appender = await connection.createAppender('cohort_names')
  for (const [number, { id }] of cohorts.entries()) {
    appender.appendInteger(number)
    appender.appendVarchar(id)
    appender.endRow()
  }
  appender.closeSync()
  const selected = measures.map(({ id, unit }) => {
    const known = `CASE WHEN isnan(${id}) THEN NULL ELSE ${id} END`
    return integerUnits.has(unit) ? `(${known})::BIGINT AS ${id}` : `${known} AS ${id}`
  })
  await writeParquet(
    connection,
    file,
    `SELECT DATE '1970-01-01' + day AS date, cohort, ${selected.join(', ')}
     FROM cohort_values JOIN cohort_names ON number = cohort_number ORDER BY number, day`,
  )
  await connection.run('DROP TABLE cohort_values')
  await connection.run('DROP TABLE cohort_names')
}

/** All measures of a cohort by metric id: those of the pass, and the formulas over them. */
function measureColumns(
  cohort: string,
  columns: CohortColumns,
  all: ReadonlyMap<string, Float64Array>,
  price: Float64Array,
): Map<string, Float64Array> {
  const values = new Map<string, Float64Array>()
  for (const [measure, column] of Object.entries(columns.get(cohort)!)) values.set(metricId(cohort, measure), column)
  const lookup = (id: string): Float64Array => {
    const column = id === 'price' ? price : (values.get(id) ?? all.get(id))
    if (!column) throw new Error(`measure of ${cohort} refers to ${id}, which stands after it`)
    return column
  }
  for (const measure of measures) {
    const formula = parsedFormula(measure, cohort)
    if (formula) values.set(metricId(cohort, measure.id), evaluateFormula(formula, price.length, lookup))
  }
  return values
}

function parsedFormula(measure: Measure, cohort: string): Formula | undefined {
  return measure.formula && parseFormula(measure.formula((other) => metricId(cohort, other)))
}
