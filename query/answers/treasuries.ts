import { DuckDBDateValue } from '@duckdb/node-api'
import { endpoints } from '#contract/endpoints.ts'
import type { Range } from '#contract/parameters.ts'
import { tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, noData } from './answer.ts'
import { historyMeta } from './days.ts'
import { type KeyedTable, keyedTable } from './keyed.ts'
import { dateValues } from './newest-rows.ts'

export const entity = keyedTable({
  table: 'treasuries',
  key: 'id',
  endpoint: endpoints.datEntity.id,
  registry: { table: 'treasury_registry', key: 'id' },
  what: 'entity',
  listedAt: endpoints.datRegistry.path,
})

/** Days with a reported holding; only these have a source. */
export const reportsOfEntity: KeyedTable = { ...entity, where: 'source IS NOT NULL' }

/**
 * On the newest day within the dates, largest first. Coins reported by two entities count once. The
 * flow is null if its first day is not visible. Sums have an order, because threads would add
 * fractions in any other.
 */
export async function treasuryStatsAnswer(view: View, range: Range): Promise<Answer> {
  if (!view.has('treasuries') || !view.has('treasury_registry')) return noData
  const what = endpoints.datStats.path
  const stats = tableOf(
    await view.query(
      `WITH held AS (FROM ${view.table('treasuries', what)}),
         newest AS (SELECT max(date) AS day FROM held WHERE date BETWEEN $first AND $last)
       SELECT
         date, type, count(*) FILTER (btc_amount > 0) AS entities, sum(btc_amount ORDER BY id) AS btc_amount,
         sum(total_current_value_usd ORDER BY id) AS total_current_value_usd,
         CASE WHEN date - $flow_days::INTEGER >= $seen
           THEN sum(btc_amount ORDER BY id) - coalesce(sum(before ORDER BY id), 0) END AS net_flow_btc_30d,
         sum(percentage_of_total_supply ORDER BY id) AS percentage_of_total_supply,
         sum(market_share_pct ORDER BY id) AS market_share_pct,
         max_by(name, btc_amount ORDER BY id) AS largest_entity, max(btc_amount) AS largest_btc_amount
       FROM held
       JOIN ${view.table('treasury_registry', what)} USING (id)
       LEFT JOIN (
         SELECT id, btc_amount AS before FROM held WHERE date = (SELECT day - $flow_days::INTEGER FROM newest)
       ) USING (id)
       WHERE date = (SELECT day FROM newest) AND consolidated_in IS NULL
       GROUP BY date, type ORDER BY btc_amount DESC, type`,
      { flow_days: 30, seen: new DuckDBDateValue(view.firstDay), ...dateValues(view.visibleDays(range)) },
    ),
  )
  // Without a start date only the newest day is requested: no history is cut.
  const meta = historyMeta(view, { ...range, limit: 0 }, 0)
  const asksForDays = range.start_date !== undefined || range.end_date !== undefined
  return stats.rows === 0 && !asksForDays ? noData : { table: stats, meta }
}
