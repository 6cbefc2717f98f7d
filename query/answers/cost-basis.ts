import { type DuckDBValue, listValue } from '@duckdb/node-api'
import { satsPerCoin } from '#base/bitcoin.ts'
import { invalidParameter } from '#contract/api-error.ts'
import type { ScaleName } from '#contract/chart-options.ts'
import type { EndpointParameters } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { groupBins } from '#contract/price-bins.ts'
import { tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, noData } from './answer.ts'
import { dateValues } from './newest-rows.ts'

export interface BinChoice {
  /** At most; undefined for the bins of the table. */
  readonly bins: number | undefined
  /** Default: log. */
  readonly scale: ScaleName | undefined
}

/** After one day, or each day from a start date; prices ascend within a day. */
export async function costBasisAnswer(
  view: View,
  { date, bins, scale, ...range }: EndpointParameters<typeof endpoints.costBasis>,
): Promise<Answer> {
  const { start_date, end_date } = range
  if (date !== undefined && (start_date ?? end_date) !== undefined) {
    throw invalidParameter('date', 'is one day, start_date and end_date are a range: give one or the other')
  }
  const table = view.table('cost_basis', endpoints.costBasis.path)
  if (!view.has('cost_basis')) return noData
  const { first, last, rows, ascending } = view.page(range)
  const oneDay = date ?? view.visibleDays(range).last
  const asked = start_date === undefined ? { first: Math.max(oneDay, view.firstDay), last: oneDay } : undefined
  // All pages have the same groups.
  const binned = await selectBins(view, table, { bins, scale }, asked ?? view.visibleDays(range))
  const columns = await view.query(
    `SELECT date, bin, lower_price, upper_price, supply_sats, supply_sats / ${satsPerCoin} AS supply,
       spent_sats, spent_sats / ${satsPerCoin} AS spent
     FROM (${binned.sql}) WHERE date BETWEEN $first AND $last ORDER BY date ${ascending ? 'ASC' : 'DESC'}, bin LIMIT $rows`,
    { ...dateValues(asked ?? { first, last }), rows, ...binned.values },
  )
  return { table: tableOf(columns) }
}

/**
 * SQL for the bins of these days, and its values: the table's bins, or at most `bins` groups common
 * to all days.
 */
export async function selectBins(
  view: View,
  table: string,
  { bins, scale = 'log' }: BinChoice,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<{ sql: string; values: Record<string, DuckDBValue> }> {
  if (bins === undefined) return { sql: `FROM ${table}`, values: {} }
  const [lowest, highest] = await view.query(
    `SELECT min(bin), max(bin) FROM ${table} WHERE bin > 0 AND date BETWEEN $first AND $last`,
    dateValues({ first, last }),
  )
  const groups = groupBins(Number(lowest?.values[0] ?? 1), Number(highest?.values[0] ?? 1), bins, scale)
  // As text: a list of numbers that begins with a whole one is bound as INTEGER[].
  const list = (prices: readonly number[]) => listValue(prices.map(String))
  return {
    sql: `SELECT date, start AS bin, any_value(lower) AS lower_price, any_value(upper) AS upper_price,
            sum(supply_sats)::BIGINT AS supply_sats, sum(spent_sats)::BIGINT AS spent_sats
          FROM ${table} ASOF JOIN (
            SELECT unnest($starts) AS start, unnest($lower::DOUBLE[]) AS lower, unnest($upper::DOUBLE[]) AS upper
          ) ON bin >= start
          GROUP BY date, start`,
    values: { starts: listValue(groups.starts), lower: list(groups.lower), upper: list(groups.upper) },
  }
}
