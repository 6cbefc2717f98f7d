import { endpoints } from '#contract/endpoints.ts'
import { keyedTable } from './keyed.ts'

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
