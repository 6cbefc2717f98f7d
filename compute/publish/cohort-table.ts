import type { DuckDBConnection } from '@duckdb/node-api'
import { appendColumns } from '#sql/columns.ts'
import { writeParquet } from '#sql/parquet.ts'
import { createTableOfRows } from '#sql/rows.ts'
import type { Measure } from '../catalogue/measure.ts'
import { measures, metricId } from '../catalogue/measures.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import { publishedColumn } from './metric-table.ts'

/** Published as integers: exact amounts and counts. */
const integerUnits: ReadonlySet<Measure['unit']> = new Set(['sats', 'count'])

/**
 * Writes `cohorts.parquet`: date, cohort and one column for each measure, sorted by cohort and date. `firstDay` is the
 * unix day of the first of `days` rows of each cohort; `take` gives the column of a metric.
 */
export async function writeCohortTable(
  connection: DuckDBConnection,
  file: string,
  firstDay: number,
  days: number,
  cohorts: readonly Cohort[],
  take: (id: string) => Float64Array,
): Promise<void> {
  const date = Int32Array.from({ length: days }, (_, day) => firstDay + day)
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE cohort_values
     (cohort_number INTEGER, day INTEGER, ${measures.map(({ id }) => `${id} DOUBLE`).join(', ')})`,
  )
  for (const [number, cohort] of cohorts.entries()) {
    const values = measures.map(({ id }) => [id, take(metricId(cohort.id, id))] as const)
    await appendColumns(connection, 'cohort_values', {
      cohort_number: new Int32Array(days).fill(number),
      day: date,
      ...Object.fromEntries(values),
    })
  }
  const names = cohorts.map(({ id }, number) => ({ number, cohort: id }))
  await createTableOfRows(connection, 'cohort_names', { number: 'INTEGER', cohort: 'VARCHAR' }, names)
  const selected = measures.map(({ id, unit }) => publishedColumn(id, integerUnits.has(unit)))
  await writeParquet(
    connection,
    file,
    `SELECT DATE '1970-01-01' + day AS date, cohort, ${selected.join(', ')}
     FROM cohort_values JOIN cohort_names ON number = cohort_number ORDER BY number, day`,
  )
  await connection.run('DROP TABLE cohort_values')
  await connection.run('DROP TABLE cohort_names')
}
