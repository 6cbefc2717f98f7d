import { endpoints } from '#contract/endpoints.ts'
import { keyedTable } from './keyed.ts'

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
