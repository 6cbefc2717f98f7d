import { DuckDBDateValue } from '@duckdb/node-api'
import { endpoints } from '#contract/endpoints.ts'
import type { Range } from '#contract/parameters.ts'
import { tableOf } from '../table/columns.ts'
import { type UnrestrictedView, View } from '../view.ts'
import { type Answer, noData } from './answer.ts'

/** Newest first, with the hash and signature of the list of all days. */
export async function proofAnswer({ all, work }: UnrestrictedView, range: Range): Promise<Answer> {
  const { proof } = all.generation
  if (!all.has('day_hashes')) return noData
  const view = new View(all, 'enterprise', work)
  const { first, last, rows, ascending } = view.page(range)
  const read = await view.query(
    `FROM (
       FROM ${view.table('day_hashes', endpoints.proof.path)} WHERE date BETWEEN $first AND $last
       ORDER BY date ${ascending ? 'ASC' : 'DESC'} LIMIT $rows
     ) ORDER BY date DESC`,
    { first: new DuckDBDateValue(first), last: new DuckDBDateValue(last), rows },
  )
  return { table: tableOf(read), meta: { proof } }
}
