import { DuckDBDateValue } from '@duckdb/node-api'
import { endpoints } from '#contract/endpoints.ts'
import type { Range } from '#contract/parameters.ts'
import { satsPerCoin } from '#root/bitcoin.ts'
import type { View } from '../published/view.ts'
import { tableOf } from '../table/columns.ts'
import { type Answer, noData } from './answer.ts'

/** Supply by cost after one day, prices ascending. Throws `insufficient_tier`. */
export async function costBasisAnswer(
  view: View,
  { date, ...range }: Range & { date?: number | undefined },
): Promise<Answer> {
  const table = view.table('cost_basis', endpoints.costBasis.path)
  if (!view.has('cost_basis')) return noData
  const { first, last, rows } = view.within(range)
  const columns = await view.query(
    `SELECT date, bin, lower_price, upper_price, supply_sats, supply_sats / ${satsPerCoin} AS supply
     FROM ${table}
     WHERE date = $day AND date BETWEEN $first AND $last ORDER BY bin LIMIT $rows`,
    {
      day: new DuckDBDateValue(date ?? last),
      first: new DuckDBDateValue(first),
      last: new DuckDBDateValue(last),
      rows,
    },
  )
  return { table: tableOf(columns) }
}
