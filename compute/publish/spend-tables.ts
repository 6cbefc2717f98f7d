import path from 'node:path'
import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { kindsOf, lostTypes } from '#contract/kinds.ts'
import type { Table } from '#contract/tables/table.ts'
import { tables } from '#contract/tables/tables.ts'
import { readColumns, streamColumns } from '#sql/columns.ts'
import { parquetFiles, writeParquet } from '#sql/parquet.ts'
import { type Relation, withInputs } from '#sql/relation.ts'
import { readStatement } from '#sql/statement.ts'
import { auditFailed } from '../audit/audit-failed.ts'
import type { CoinPass } from '../cohorts/coin-pass.ts'
import { readValue } from '../read-value.ts'
import type { ScanRows } from './chain-tables.ts'
import { allDays, type NewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

/** Few enough to group and sort in memory. */
const daysPerStep = 250

/** Throws `audit_failed` if sums differ from `flows`. */
export const writeFineFlows = (
  draft: Draft,
  newDays: NewDays,
  scan: ScanRows,
  flows: Relation<'flows'>,
): Promise<Relation<'fine_flows'>> =>
  writeSpends(
    draft,
    newDays,
    tables.fine_flows,
    [scan('young_spends'), flows],
    ['spent_sats', 'spent_outputs', 'spent_sat_seconds', 'spent_output_seconds'],
  )

/**
 * Feeds `pass` the rows, and each day's created and lost coins. Throws `audit_failed` if sums
 * differ from `flows`.
 */
export function writeKindFlows(
  draft: Draft,
  newDays: NewDays,
  scan: ScanRows,
  flows: Relation<'flows'>,
  overwritten: Relation<'overwritten'>,
  pass: CoinPass,
): Promise<Relation<'kind_flows'>> {
  const { connection } = draft
  const dayOf = (date: string): string => `(${date} - DATE '1970-01-01')::INTEGER - ${newDays.closed.first}`
  // Subtracts spends of a day's own coins here, as whole numbers.
  const changes = (part: string): string => `
    WITH made AS (
      SELECT date, kind, sum(created_sats) AS sats, sum(created_outputs) AS outputs FROM ${scan('created_kinds').from}
      WHERE date > getvariable('after_day') AND date <= getvariable('last_day')
        AND kind NOT IN (${kindsOf(...lostTypes).join(', ')}) GROUP BY ALL
    )
    SELECT ${dayOf('date')} AS day, ${dayOf('created_date')} AS created, kind, made_sats::DOUBLE AS made_sats,
      made_outputs::DOUBLE AS made_outputs, sats::DOUBLE AS sats, outputs::DOUBLE AS outputs
    FROM (
      SELECT date, date AS created_date, kind, sats AS made_sats, outputs AS made_outputs,
        sats - coalesce(spent_sats, 0) AS sats, outputs - coalesce(spent_outputs, 0) AS outputs
      FROM made LEFT JOIN (FROM ${parquetFiles([part])} WHERE created_date = date) USING (date, kind)
      UNION ALL
      SELECT date, created_date, kind, 0, 0, -sats, -outputs FROM ${overwritten.from}
      WHERE date > getvariable('after_day') AND date <= getvariable('last_day')
    ) ORDER BY day, created, kind`
  const spends = (part: string): string => `
    SELECT ${dayOf('date')} AS day, ${dayOf('created_date')} AS created, kind, spent_sats::DOUBLE AS sats,
      spent_outputs::DOUBLE AS outputs FROM ${parquetFiles([part])}`
  return writeSpends(
    draft,
    newDays,
    tables.kind_flows,
    [scan('kind_flows'), flows],
    ['spent_sats', 'spent_outputs'],
    async (part) => {
      pass.addChanges(await readColumns(connection, changes(part)))
      for await (const { rows, columns } of streamColumns(connection, spends(part))) pass.addFlows(rows, columns)
    },
  )
}

/**
 * Writes a table of parts of `flows` by its statement, some days at a time. Continues from a
 * checkpoint that has the table.
 */
async function writeSpends<Name extends 'fine_flows' | 'kind_flows'>(
  draft: Draft,
  newDays: NewDays,
  table: Table<Name>,
  from: readonly Relation[],
  sums: readonly string[],
  onPart: (part: string) => Promise<void> = async () => {},
): Promise<Relation<Name>> {
  const days = newDays.savedRows.has(table.name) ? newDays : allDays(newDays)
  const { closed, after, cut = after } = days
  draft.part(table.name)
  const files: { readonly upToCut: string[]; readonly afterCut: string[] } = { upToCut: [], afterCut: [] }
  const query = readStatement(table.name === 'fine_flows' ? 'fine-flows' : 'kind-flows')
  for (let day = after; day < closed.last; ) {
    const last = Math.min(day + daysPerStep, day < cut ? cut : closed.last)
    const part = path.join(draft.folder, `${table.name}.part.${day}`)
    const values = { after_day: new DuckDBDateValue(day), last_day: new DuckDBDateValue(last) }
    await withInputs(draft.connection, { from, values }, async () => {
      await writeParquet(draft.connection, part, query)
      await compareSums(draft.connection, part, sums)
      await onPart(part)
    })
    ;(last <= cut ? files.upToCut : files.afterCut).push(part)
    day = last
  }
  return draft.growFromFiles(table, days, files)
}

async function compareSums(connection: DuckDBConnection, file: string, sums: readonly string[]): Promise<void> {
  const differ = sums.map((sum) => `fine.${sum} IS DISTINCT FROM flows.${sum} OR fine.least_${sum} < 0`).join(' OR ')
  const different = await readValue(
    connection,
    `SELECT min(date)::VARCHAR FROM (
       SELECT date, created_date, ${sums.map((sum) => `sum(${sum}) AS ${sum}, min(${sum}) AS least_${sum}`).join(', ')}
       FROM ${parquetFiles([file])} GROUP BY date, created_date
     ) AS fine
     FULL JOIN (FROM flows WHERE date > getvariable('after_day') AND date <= getvariable('last_day')) AS flows
       USING (date, created_date)
     WHERE ${differ}`,
  )
  if (typeof different === 'string')
    throw auditFailed(`on ${different} the spends by hour or kind do not add up to those of days`)
}
