import { DuckDBDateValue } from '@duckdb/node-api'
import { satsPerCoin } from '#base/bitcoin.ts'
import { invalidParameter } from '#contract/api-error.ts'
import { endpoints } from '#contract/endpoints.ts'
import type { Range } from '#contract/parameters.ts'
import { tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, noData } from './answer.ts'

/**
 * Supply by cost after one day, or after each day from a start date; prices ascend within each day. Throws
 * `insufficient_tier`.
 */
export async function costBasisAnswer(
  view: View,
  { date, ...range }: Range & { date?: number | undefined },
): Promise<Answer> {
  const { start_date, end_date } = range
  if (date !== undefined && (start_date ?? end_date) !== undefined) {
    throw invalidParameter('date', 'is one day, start_date and end_date are a range: give one or the other')
  }
  const table = view.table('cost_basis', endpoints.costBasis.path)
  if (!view.has('cost_basis')) return noData
  const { first, last, rows, ascending } = view.page(range)
  const oneDay = date ?? view.visibleDays(range).last
  const columns = await view.query(
    `SELECT date, bin, lower_price, upper_price, supply_sats, supply_sats / ${satsPerCoin} AS supply
     FROM ${table}
     WHERE date BETWEEN $first AND $last ORDER BY date ${ascending ? 'ASC' : 'DESC'}, bin LIMIT $rows`,
    {
      first: new DuckDBDateValue(start_date === undefined ? Math.max(oneDay, view.firstDay) : first),
      last: new DuckDBDateValue(start_date === undefined ? oneDay : last),
      rows,
    },
  )
  return { table: tableOf(columns) }
}
