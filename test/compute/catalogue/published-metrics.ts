import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { readColumns } from '#sql/columns.ts'
import { quotedIdentifier, quotedString } from '#sql/quote.ts'
import { withSession } from '#sql/session.ts'
import type { Values } from '#test/sql/formula/naive.ts'
import { currentFolder } from '#test/support/published.ts'

/** Every published column of the daily tables, found as readers find it: by the catalogue. */

interface Row {
  readonly id: string
  readonly table: string
  readonly column: string
  readonly cohort: string | null
}

/**
 * The values of every metric of a generation but the distributions, by id; each series is read when
 * it is asked for.
 */
export async function publishedMetrics(dataDir: string, temporaryFolder: string): Promise<Map<string, Values>> {
  const file = (table: string): string => quotedString(path.join(currentFolder(dataDir), `${table}.parquet`))
  return withSession({ temporaryFolder }, async (connection) => {
    const catalogue = await connection.runAndReadAll(
      `SELECT id, table_name, column_name, cohort FROM ${file('catalogue')} WHERE table_name <> 'cost_basis'`,
    )
    const rows = catalogue.getRows().map(
      ([id, table, column, cohort]): Row => ({
        id: String(id),
        table: String(table),
        column: String(column),
        cohort: cohort === null ? null : String(cohort),
      }),
    )
    const metrics = new Map<string, Values>()
    for (const series of Map.groupBy(rows, ({ table }) => table).values()) {
      const { table, cohort } = series[0]!
      const names = [...new Set(series.map(({ column }) => column))]
      const selected = names.map((name) => `${quotedIdentifier(name)}::DOUBLE AS ${quotedIdentifier(name)}`)
      const order = cohort === null ? 'date' : 'cohort, date'
      const columns = await readColumns(
        connection,
        `SELECT ${selected.join(', ')} FROM ${file(table)} ORDER BY ${order}`,
      )
      const rowsOf = cohort === null ? undefined : await rowsByCohort(connection, file(table))
      for (const one of series) {
        const values = columns[one.column]!.subarray(...(rowsOf?.get(one.cohort ?? '') ?? []))
        metrics.set(one.id, toValues(values))
      }
    }
    return metrics
  })
}

/** First and last row of each cohort. */
async function rowsByCohort(connection: DuckDBConnection, file: string): Promise<Map<string, [number, number]>> {
  const counts = await connection.runAndReadAll(
    `SELECT cohort, count(*)::INTEGER FROM ${file} GROUP BY cohort ORDER BY cohort`,
  )
  let begin = 0
  return new Map(
    counts.getRows().map(([cohort, count]) => {
      const end = begin + Number(count)
      const rows: [number, number] = [begin, end]
      begin = end
      return [String(cohort), rows]
    }),
  )
}

/** NaN is null. */
function toValues(column: Int32Array | Float64Array): Values {
  const values: Values = []
  for (const value of column) values.push(Number.isNaN(value) ? null : value)
  return values
}
