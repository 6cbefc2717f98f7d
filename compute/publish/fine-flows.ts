import path from 'node:path'
import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { tables } from '#contract/tables/tables.ts'
import { parquetFiles, writeParquet } from '#sql/parquet.ts'
import { type Relation, withInputs } from '#sql/relation.ts'
import { readStatement } from '#sql/statement.ts'
import { auditFailed } from '../audit/audit-failed.ts'
import type { ScanRelations } from './chain-tables.ts'
import { allDays, type NewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

/** Few enough days to group and sort in memory. */
const daysPerStep = 250

/** Continues from the checkpoint if that has the table. Throws `audit_failed` if it does not add up to `flows`. */
export async function writeFineFlows(
  draft: Draft,
  newDays: NewDays,
  { youngSpends }: Pick<ScanRelations, 'youngSpends'>,
  flows: Relation<'flows'>,
): Promise<Relation<'fine_flows'>> {
  const table = tables.fine_flows
  const days = newDays.savedRows.has(table.name) ? newDays : allDays(newDays)
  const { closed, after, cut = after } = days
  draft.part(table.name)
  const files: { readonly upToCut: string[]; readonly afterCut: string[] } = { upToCut: [], afterCut: [] }
  const query = readStatement('fine-flows')
  for (let day = after; day < closed.last; ) {
    const last = Math.min(day + daysPerStep, day < cut ? cut : closed.last)
    const part = path.join(draft.folder, `${table.name}.part.${day}`)
    const values = { after_day: new DuckDBDateValue(day), last_day: new DuckDBDateValue(last) }
    await withInputs(draft.connection, { from: [youngSpends, flows], values }, async () => {
      await writeParquet(draft.connection, part, query)
      await compareSums(draft.connection, part)
    })
    ;(last <= cut ? files.upToCut : files.afterCut).push(part)
    day = last
  }
  return draft.growFromFiles(table, days, files)
}

const sums = ['spent_sats', 'spent_outputs', 'spent_sat_seconds', 'spent_output_seconds'] as const

async function compareSums(connection: DuckDBConnection, file: string): Promise<void> {
  const differ = sums.map((sum) => `fine.${sum} IS DISTINCT FROM flows.${sum} OR fine.least_${sum} < 0`).join(' OR ')
  const result = await connection.runAndReadAll(
    `SELECT min(date)::VARCHAR FROM (
       SELECT date, created_date, ${sums.map((sum) => `sum(${sum}) AS ${sum}, min(${sum}) AS least_${sum}`).join(', ')}
       FROM ${parquetFiles([file])} GROUP BY date, created_date
     ) AS fine
     FULL JOIN (FROM flows WHERE date > getvariable('after_day') AND date <= getvariable('last_day')) AS flows
       USING (date, created_date)
     WHERE ${differ}`,
  )
  const [different] = result.getRows()[0] ?? []
  if (typeof different === 'string')
    throw auditFailed(`on ${different} the spends of hours do not add up to those of days`)
}
