import { endpoints } from '#contract/endpoints.ts'
import type { Tier } from '#contract/tiers.ts'
import type { Published } from '../published/published.ts'
import { type Answer, noData } from './answer.ts'
import { keyedTable, listAnswer } from './keyed.ts'

const entities = {
  table: 'treasuries',
  key: 'id',
  registry: { table: 'treasury_registry', key: 'id' },
  what: 'entity',
  listedAt: endpoints.datRegistry.path,
} as const

export const entity = keyedTable({
  ...entities,
  columns: [
    'date',
    'id',
    'btc_amount',
    'total_current_value_usd',
    'net_flow_btc',
    'cumulative_flow_btc',
    'percentage_of_total_supply',
    'market_share_pct',
  ],
})

/** Days on which a holding was reported, which alone have a source. */
export const reportsOfEntity = keyedTable({
  ...entities,
  columns: ['date', 'btc_amount', 'net_flow_btc', 'source'],
  where: 'source IS NOT NULL',
})

export const entitiesAnswer = (published: Published, limit: number): Promise<Answer> =>
  listAnswer(
    published,
    'treasury_registry',
    `SELECT id, name, ticker, type, country, first_date FROM ${published.table('treasury_registry')} ORDER BY id`,
    limit,
  )

/** Totals of the newest day by kind of entity, the largest first; coins that another entity reports too count once. */
export async function treasuryStatsAnswer(published: Published, _: Tier, limit: number): Promise<Answer> {
  if (!published.has('treasuries')) return noData
  return listAnswer(
    published,
    'treasury_registry',
    `SELECT
       date, type, count(*) FILTER (btc_amount > 0) AS entities, sum(btc_amount) AS btc_amount,
       sum(total_current_value_usd) AS total_current_value_usd,
       sum(btc_amount) - coalesce(sum(before), 0) AS net_flow_btc_30d,
       sum(percentage_of_total_supply) AS percentage_of_total_supply, sum(market_share_pct) AS market_share_pct,
       max_by(name, btc_amount) AS largest_entity, max(btc_amount) AS largest_btc_amount
     FROM ${published.table('treasuries')} AS held
     JOIN ${published.table('treasury_registry')} USING (id)
     LEFT JOIN (
       SELECT id, date + 30 AS date, btc_amount AS before FROM ${published.table('treasuries')}
     ) USING (id, date)
     WHERE date = (SELECT max(date) FROM ${published.table('treasuries')}) AND consolidated_in IS NULL
     GROUP BY date, type ORDER BY btc_amount DESC, type`,
    limit,
  )
}
