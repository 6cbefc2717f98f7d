import { endpoints } from '#contract/endpoints.ts'
import type { Published } from '../published/published.ts'
import type { Answer } from './answer.ts'
import { keyedTable, listAnswer } from './keyed.ts'

export const fund = keyedTable({
  table: 'etf',
  key: 'ticker',
  registry: { table: 'etf_registry', key: 'ticker' },
  what: 'fund',
  listedAt: endpoints.etfRegistry.path,
  columns: [
    'date',
    'ticker',
    'btc_holdings',
    'net_flow_btc',
    'cumulative_flow_btc',
    'aum_usd',
    'realized_cap',
    'premium',
  ],
})

export const fundsAnswer = (published: Published, limit: number): Promise<Answer> =>
  listAnswer(
    published,
    'etf_registry',
    `SELECT ticker, name, issuer, country, launch_date, fee_percent, status
     FROM ${published.table('etf_registry')} ORDER BY country = 'US' DESC, country, ticker`,
    limit,
  )
