import { endpoints } from '#contract/endpoints.ts'
import { keyedTable } from './keyed.ts'

export const fund = keyedTable({
  table: 'etf',
  key: 'ticker',
  endpoint: endpoints.etfTicker.id,
  registry: { table: 'etf_registry', key: 'ticker' },
  what: 'fund',
  listedAt: endpoints.etfRegistry.path,
})
