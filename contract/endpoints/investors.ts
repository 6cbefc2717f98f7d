import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { dailyQuery, datedListQuery, entityId, exchange, pagedQuery, ticker } from '../parameters.ts'
import { otherColumns, rows } from '../rows.ts'
import { etf, funding, openInterest, treasuries } from '../tables/market.ts'
import { etfRegistry, treasuryRegistry } from '../tables/registries.ts'
import { dailyMetrics } from './daily-metrics.ts'

const dated = pagedQuery({})
const registry = {
  history: { all: 'it lists names and contains no values' },
  undated: 'the list has no dates',
  query: datedListQuery,
} as const

export const investorsEndpoints = {
  etfAggregate: dailyMetrics(
    'etf/aggregate',
    'ETFs',
    'Holdings, assets, flows, dominance and realized price of all funds together',
    rows.etfAggregate,
  ),
  etfRegistry: endpoint({
    id: 'etf/registry',
    tag: 'ETFs',
    summary: 'The funds: ticker, issuer, country, fee',
    ...registry,
    row: rows.etfRegistry,
    more: otherColumns(etfRegistry, rows.etfRegistry),
    key: ['ticker'],
  }),
  etfTicker: endpoint({
    id: 'etf/ticker',
    tag: 'ETFs',
    summary: 'Holdings and flows of one fund',
    query: dailyQuery({ ticker }),
    row: rows.etfTicker,
    more: otherColumns(etf, rows.etfTicker),
  }),
  futuresOi: dailyMetrics('futures/oi', 'Derivatives', 'Open interest of all exchanges together', rows.futuresOi),
  fundingAggregate: dailyMetrics(
    'funding/aggregate',
    'Derivatives',
    'Funding rate of all exchanges, weighted by open interest',
    rows.fundingAggregate,
  ),
  fundingExchange: endpoint({
    id: 'funding/exchange',
    tag: 'Derivatives',
    summary: 'Funding rate of one exchange',
    access: 'pro',
    query: dailyQuery({ exchange }),
    row: rows.fundingExchange,
    more: otherColumns(funding, rows.fundingExchange),
  }),
  fundingExchanges: endpoint({
    id: 'funding/exchanges',
    tag: 'Derivatives',
    summary: 'Exchanges with funding rates',
    ...registry,
    row: rows.exchanges,
    key: ['exchange'],
  }),
  oiExchange: endpoint({
    id: 'oi/exchange',
    tag: 'Derivatives',
    summary: 'Open interest of one exchange',
    access: 'pro',
    query: dailyQuery({ exchange }),
    row: rows.oiExchange,
    more: otherColumns(openInterest, rows.oiExchange),
  }),
  oiExchanges: endpoint({
    id: 'oi/exchanges',
    tag: 'Derivatives',
    summary: 'Exchanges with open interest',
    ...registry,
    row: rows.exchanges,
    key: ['exchange'],
  }),
  datAggregate: dailyMetrics(
    'dat/aggregate',
    'Treasuries',
    'Bitcoin of all companies with a treasury together',
    rows.datAggregate,
  ),
  datRegistry: endpoint({
    id: 'dat/registry',
    tag: 'Treasuries',
    summary: 'The companies and other entities that are tracked',
    ...registry,
    row: rows.datRegistry,
    more: otherColumns(treasuryRegistry, rows.datRegistry),
    key: ['id'],
  }),
  datEntity: endpoint({
    id: 'dat/entity',
    tag: 'Treasuries',
    summary: 'Holdings, value and flow of one entity, day by day',
    query: dailyQuery({ id: entityId }),
    row: rows.datEntity,
    more: otherColumns(treasuries, rows.datEntity),
  }),
  datHoldings: endpoint({
    id: 'dat/company/{id}/holdings',
    tag: 'Treasuries',
    summary: 'Reports of one entity: what it held from that day on, and the source',
    description: 'start_date and end_date bound the days of the reports, of which there are few.',
    pathParameters: z.object({ id: entityId }),
    query: dated,
    row: rows.datHoldings,
    more: otherColumns(treasuries, rows.datHoldings),
  }),
  datStats: endpoint({
    id: 'dat/stats',
    tag: 'Treasuries',
    summary: 'Newest totals by kind of entity',
    description:
      'Totals of one day: the newest published one within start_date and end_date. limit counts kinds. net_flow_btc_30d is null where the day 30 days before is not within the history of the tier.',
    query: datedListQuery,
    row: rows.datStats,
    key: ['date', 'type'],
  }),
} as const
