import path from 'node:path'
import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { CoinstrataError } from '#base/errors.ts'
import { kindCount, kindsOf, lostTypes } from '#contract/kinds.ts'
import type { TableName } from '#contract/tables/tables.ts'
import { readColumns } from '#sql/columns.ts'
import { describeFileChange } from '#sql/file-digest.ts'
import type { OpenGeneration } from '#sql/generation.ts'
import { parquetFiles } from '#sql/parquet.ts'

/** Returns the FROM clause of a published table. */
export type PublishedFrom = (table: TableName) => string

/** Throws `data_not_ready` if files of these tables have changed since publication. */
export async function openTables(
  { generation, folder }: OpenGeneration,
  names: readonly TableName[],
): Promise<PublishedFrom> {
  const file = (name: TableName): string => path.join(folder, `${name}.parquet`)
  for (const name of names) {
    const table = generation.tables[name]
    const change = table ? await describeFileChange(file(name), table) : `the table ${name} is not published`
    if (change !== undefined) throw notReady(change)
  }
  return (name) => parquetFiles([file(name)])
}

export const notReady = (what: string): CoinstrataError =>
  new CoinstrataError('data_not_ready', `what is published cannot be continued: ${what}`, {
    cure: 'run "coinstrata update"; following then continues by itself',
  })

/** Unspent value and outputs by creation day, or by its kinds. */
export interface UnspentSums {
  readonly sats: Float64Array
  readonly outputs: Float64Array
}

/** Reads what was unspent after unix day `lastDay`, for `days` creation days from `firstDay` on. */
export async function readUnspent(
  connection: DuckDBConnection,
  from: PublishedFrom,
  { firstDay, lastDay }: { readonly firstDay: number; readonly lastDay: number },
  days: number,
  byKind: boolean,
): Promise<UnspentSums> {
  const [created, spent, kind] = byKind
    ? (['created_kinds', 'kind_flows', 'kind'] as const)
    : (['days', 'flows', '0'] as const)
  const width = byKind ? kindCount : 1
  const spendable = byKind ? `AND kind NOT IN (${kindsOf(...lostTypes).join(', ')})` : ''
  const found = await readColumns(
    connection,
    `SELECT date, kind, sum(sats)::DOUBLE AS sats, sum(outputs)::DOUBLE AS outputs FROM (
       SELECT date, ${kind} AS kind, created_sats AS sats, created_outputs AS outputs FROM ${from(created)}
       WHERE date <= $last ${spendable}
       UNION ALL
       SELECT created_date, ${kind}, -sum(spent_sats), -sum(spent_outputs) FROM ${from(spent)}
       WHERE date <= $last GROUP BY ALL
       UNION ALL
       SELECT created_date, ${kind}, -sats, -outputs FROM ${from('overwritten')} WHERE date <= $last
     ) GROUP BY date, kind`,
    { last: new DuckDBDateValue(lastDay) },
  )
  const sums = { sats: new Float64Array(days * width), outputs: new Float64Array(days * width) }
  for (const [row, day] of found.date!.entries()) {
    const at = (day - firstDay) * width + found.kind![row]!
    sums.sats[at] = found.sats![row]!
    sums.outputs[at] = found.outputs![row]!
  }
  return sums
}
