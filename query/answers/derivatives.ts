import { endpoints } from '#contract/endpoints.ts'
import { keyedTable } from './keyed.ts'

const exchanges = { table: 'exchanges', key: 'exchange' } as const

export const fundingOfExchange = keyedTable({
  table: 'funding',
  key: 'exchange',
  endpoint: endpoints.fundingExchange.id,
  registry: exchanges,
  what: 'exchange',
  listedAt: endpoints.fundingExchanges.path,
})

export const openInterestOfExchange = keyedTable({
  table: 'open_interest',
  key: 'exchange',
  endpoint: endpoints.oiExchange.id,
  registry: exchanges,
  what: 'exchange',
  listedAt: endpoints.oiExchanges.path,
})
