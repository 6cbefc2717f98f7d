import { endpoints } from '#contract/endpoints.ts'
import type { Published } from '../published/published.ts'
import type { Answer } from './answer.ts'
import { keyedTable, listAnswer } from './keyed.ts'

const exchanges = { table: 'exchanges', key: 'exchange' } as const

export const fundingOfExchange = keyedTable({
  table: 'funding',
  key: 'exchange',
  registry: exchanges,
  what: 'exchange',
  listedAt: endpoints.fundingExchanges.path,
  columns: ['date', 'exchange', 'funding_rate', 'annualized', 'oi_weight'],
})

export const openInterestOfExchange = keyedTable({
  table: 'open_interest',
  key: 'exchange',
  registry: exchanges,
  what: 'exchange',
  listedAt: endpoints.oiExchanges.path,
  columns: ['date', 'exchange', 'oi_usd', 'oi_btc', 'oi_delta_usd', 'oi_share'],
})

/** The exchanges of a table, with the dates between which it has rows of them. */
export const exchangesAnswer = (
  published: Published,
  table: 'funding' | 'open_interest',
  limit: number,
): Promise<Answer> =>
  listAnswer(
    published,
    table,
    `SELECT exchange, ${published.has('exchanges') ? 'any_value(names.name)' : 'exchange'} AS name,
       min(date) AS first_date, max(date) AS last_date
     FROM ${published.table(table)}
     ${published.has('exchanges') ? `LEFT JOIN ${published.table('exchanges')} AS names USING (exchange)` : ''}
     GROUP BY exchange ORDER BY exchange`,
    limit,
  )
