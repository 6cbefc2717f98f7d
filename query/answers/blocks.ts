import { secondsPerDay } from '#base/days.ts'
import type { EndpointParameters } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import type { Range } from '#contract/parameters.ts'
import { tables } from '#contract/tables/tables.ts'
import type { Fields } from '../fields.ts'
import { tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, noData } from './answer.ts'
import { historyMeta } from './days.ts'
import { dateValues, newestRows } from './newest-rows.ts'

/** Blocks after the last published day are of a day that is not closed. */
const anyDay = 2 ** 20
const anyHeight = 2 ** 30

const columnNames = Object.keys(tables.blocks.columns).map((name) => ({ name }))

/** Newest first. */
export async function blocksAnswer(
  view: View,
  range: EndpointParameters<typeof endpoints.blocks>,
  fields: Fields,
): Promise<Answer> {
  if (!view.has('blocks')) return noData
  const { min_height = 0, max_height = anyHeight, end_date = anyDay, cursor } = range
  const page = view.page(range)
  const last = page.ascending ? end_date : Math.min(end_date, cursor?.day ?? anyDay)
  const rows = await newestRows(
    view,
    { ...page, last },
    {
      from: view.table('blocks', endpoints.blocks.path),
      columns: fields.of(columnNames).map(({ name }) => name),
      where: 'height BETWEEN $min_height AND $max_height',
      values: { min_height, max_height },
      by: 'height',
    },
  )
  const table = tableOf(rows)
  return { table, meta: historyMeta(view, range, table.rows) }
}

const defaultDays = 7

/** Known pools on the requested days (default: seven), most blocks first. */
export async function poolsAnswer(view: View, range: Range): Promise<Answer> {
  if (!view.has('pool_days') || !view.has('pools')) return noData
  const { first, last } = view.visibleDays(range)
  const what = endpoints.pools.path
  const table = tableOf(
    await view.query(
      `WITH span AS (
         SELECT max(date) AS last_date, min(date) AS first_date, sum(blocks_mined) AS all_blocks,
           sum(work ORDER BY date) / (count(*) * ${secondsPerDay}) AS all_hashes
         FROM ${view.table('days', what)} WHERE date BETWEEN $first AND $last
       )
       SELECT
         last_date AS date, first_date AS from_date, pool, name, link, own.blocks, 100 * own.blocks / all_blocks AS share_percent,
         own.blocks / all_blocks * all_hashes AS hash_rate, fees_sats, coinbase_sats
       FROM (
         SELECT pool, sum(blocks)::BIGINT AS blocks, sum(fees_sats)::BIGINT AS fees_sats, sum(coinbase_sats)::BIGINT AS coinbase_sats
         FROM ${view.table('pool_days', what)}
         WHERE date BETWEEN $first AND $last GROUP BY pool
       ) AS own JOIN ${view.table('pools', what)} USING (pool), span
       ORDER BY own.blocks DESC, pool`,
      dateValues({ first: range.start_date === undefined ? Math.max(first, last - defaultDays + 1) : first, last }),
    ),
  )
  return { table, meta: historyMeta(view, { ...range, limit: 0 }, 0) }
}
