import { DuckDBDateValue } from '@duckdb/node-api'
import { endpoints } from '#contract/endpoints.ts'
import type { Range } from '#contract/parameters.ts'
import type { Fields } from '../fields.ts'
import { tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, noData } from './answer.ts'
import { historyMeta } from './days.ts'

const columnNames = ['date', 'value', 'low', 'high'].map((name) => ({ name }))

/** A measure of addresses with its intervals, newest first. */
export async function addressEstimatesAnswer(
  view: View,
  range: Range & { readonly measure: string },
  fields: Fields,
): Promise<Answer> {
  // Earlier versions counted no addresses.
  if (!view.has('address_balances')) return noData
  const { first, last, rows, ascending } = view.page(range)
  const columns = fields.of(columnNames).map(({ name }) => name)
  const read = await view.query(
    `FROM (
       SELECT ${columns.join(', ')} FROM ${view.table('address_balances', endpoints.addressEstimates.path)}
       WHERE date BETWEEN $first AND $last AND measure = $measure
       ORDER BY date ${ascending ? 'ASC' : 'DESC'} LIMIT $rows
     ) ORDER BY date DESC`,
    { first: new DuckDBDateValue(first), last: new DuckDBDateValue(last), measure: range.measure, rows },
  )
  const table = tableOf(read)
  return { table, meta: historyMeta(view, range, table.rows) }
}
