import path from 'node:path'
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

/** The values of every metric of a generation but the distributions, by id; each series is read when it is asked for. */
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
    for (const series of Map.groupBy(rows, ({ table, cohort }) => `${table} ${cohort}`).values()) {
      const { table, cohort } = series[0]!
      const selected = series.map(({ id, column }) => `${quotedIdentifier(column)}::DOUBLE AS ${quotedIdentifier(id)}`)
      const where = cohort === null ? '' : 'WHERE cohort = $cohort'
      const columns = await readColumns(
        connection,
        `SELECT ${selected.join(', ')} FROM ${file(table)} ${where} ORDER BY date`,
        cohort === null ? {} : { cohort },
      )
      for (const [id, values] of Object.entries(columns)) {
        metrics.set(
          id,
          Array.from(values, (value) => (Number.isNaN(value) ? null : value)),
        )
      }
    }
    return metrics
  })
}
