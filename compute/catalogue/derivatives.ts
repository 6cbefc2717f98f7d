import type { MetricKind } from '#contract/metric-kinds.ts'
import { exchanges } from '#ingest/market/reference.ts'
import { type MeasuredRow, type MetricRow, ratio } from './definition.ts'
import type { OriginColumn } from './origin.ts'

type Description = Omit<MeasuredRow, 'id' | 'field' | 'from' | 'endpoint' | 'grade' | 'kind'>

const funding = (
  id: string,
  field: OriginColumn<'funding_aggregate'>,
  kind: MetricKind,
  row: Description,
): MetricRow => ({
  id,
  field,
  from: { table: 'funding_aggregate', column: field },
  endpoint: 'funding/aggregate',
  kind,
  ...row,
})

const openInterest = (
  id: string,
  field: OriginColumn<'open_interest_aggregate'>,
  kind: MetricKind,
  row: Description,
): MetricRow => ({
  id,
  field,
  from: { table: 'open_interest_aggregate', column: field },
  kind,
  ...row,
})

const exchangeFunding = (
  exchange: string,
  field: OriginColumn<'funding'>,
  kind: MetricKind,
  row: Description,
): MetricRow => ({
  id: `${field === 'annualized' ? 'funding_annualized' : field}_${exchange}`,
  field,
  from: { table: 'funding', column: field, key: exchange },
  endpoint: 'funding/exchange',
  grade: 1,
  kind,
  ...row,
})

const exchangeOpenInterest = (
  exchange: string,
  field: OriginColumn<'open_interest'>,
  kind: MetricKind,
  row: Description,
): MetricRow => ({
  id: `${field}_${exchange}`,
  field,
  from: { table: 'open_interest', column: field, key: exchange },
  endpoint: 'oi/exchange',
  grade: 1,
  kind,
  ...row,
})

const weighted =
  'Rates of the exchanges are means of the settlements of the UTC day, per 8 hours, weighted by open interest. It is null with fewer than three exchanges.'

export const derivatives: readonly MetricRow[] = [
  funding('avg_funding_rate', 'avg_funding_rate', 'rate', {
    name: 'Funding rate',
    unit: 'ratio',
    description:
      'What holders of long positions in perpetual futures paid to holders of short positions per 8 hours, as a fraction. Below 0, shorts paid longs.',
    variant: weighted,
    style: 'bar',
  }),
  ratio('avg_funding_rate_7d_sma', 'Funding rate, mean of 7 days', 'sma(avg_funding_rate, 7)', {
    endpoint: 'series',
    description: 'Mean funding rate of the last 7 days.',
  }),
  funding('funding_annualized', 'annualized', 'rate', {
    name: 'Funding rate, annualized',
    unit: 'ratio',
    description: 'Funding rate scaled to a year: times 3 payments a day and 365 days, without compounding.',
    variant: weighted,
  }),
  funding('funding_spread', 'spread', 'rate', {
    name: 'Funding rate spread',
    unit: 'ratio',
    description: 'Highest minus lowest funding rate of the exchanges.',
  }),
  funding('funding_exchange_count', 'exchange_count', 'level', {
    name: 'Exchanges with funding',
    unit: 'count',
    description: 'Number of exchanges whose funding rate and open interest are known that day.',
  }),
  openInterest('total_oi_usd', 'total_oi_usd', 'level', {
    name: 'Open interest',
    unit: 'USD',
    description:
      'Value of all open positions in bitcoin perpetual futures at the end of the day, each counted once. It is null with fewer than three exchanges.',
    style: 'area',
  }),
  openInterest('total_oi_btc', 'total_oi_btc', 'level', {
    name: 'Open interest in BTC',
    unit: 'BTC',
    description: 'Bitcoin in all open positions in perpetual futures at the end of the day.',
    style: 'area',
  }),
  openInterest('oi_delta_usd', 'oi_delta_usd', 'flow', {
    name: 'Open interest change',
    unit: 'USD',
    description: 'Change of the open interest since the day before, over the markets that are known on both days.',
  }),
  openInterest('oi_delta_btc', 'oi_delta_btc', 'flow', {
    name: 'Open interest change in BTC',
    unit: 'BTC',
    description:
      'Change of the open interest in coins since the day before, over the markets that are known on both days.',
  }),
  openInterest('oi_delta_percent', 'oi_delta_pct', 'rate', {
    aliases: ['oi_delta_pct'],
    name: 'Open interest change in percent',
    unit: 'percent',
    description: 'Change of the open interest since the day before, as a share of it.',
    style: 'bar',
  }),
  openInterest('oi_exchange_count', 'exchange_count', 'level', {
    name: 'Exchanges with open interest',
    unit: 'count',
    description: 'Number of exchanges whose open interest is known that day.',
  }),
  ratio('oi_to_market_cap', 'Open interest to market cap', 'total_oi_usd / market_cap', {
    description: 'Open interest as a fraction of the market cap.',
  }),
  ratio('oi_to_volume', 'Open interest to volume', 'total_oi_usd / volume', {
    description: 'Open interest over the trading volume of the day.',
  }),
  ...exchanges.flatMap(({ id, name }): MetricRow[] => [
    exchangeFunding(id, 'funding_rate', 'rate', {
      name: `Funding rate on ${name}`,
      unit: 'ratio',
      description: `What long positions on ${name} paid to short positions per 8 hours, as a fraction.`,
      style: 'bar',
      related: ['avg_funding_rate'],
    }),
    exchangeFunding(id, 'annualized', 'rate', {
      name: `Funding rate on ${name}, annualized`,
      unit: 'ratio',
      description: `Funding rate on ${name} scaled to a year, without compounding.`,
      related: ['funding_annualized'],
    }),
    exchangeFunding(id, 'oi_weight', 'level', {
      name: `Weight of ${name} in the funding rate`,
      unit: 'ratio',
      description: `Fraction of the open interest of all exchanges with funding that is on ${name}.`,
      related: ['avg_funding_rate'],
    }),
    ...(['oi_usd', 'oi_btc'] as const).map((field) => {
      const unit = field === 'oi_usd' ? 'USD' : 'BTC'
      return exchangeOpenInterest(id, field, 'level', {
        name: `Open interest on ${name}, ${unit}`,
        unit,
        description: `Open positions in bitcoin perpetual futures on ${name} at the end of the day, in ${unit}.`,
        style: 'area',
        related: ['total_oi_usd'],
      })
    }),
    exchangeOpenInterest(id, 'oi_delta_usd', 'flow', {
      name: `Open interest change on ${name}`,
      unit: 'USD',
      description: `Change of the open interest on ${name} since the day before.`,
      related: ['oi_delta_usd'],
    }),
    exchangeOpenInterest(id, 'oi_share', 'level', {
      name: `Share of ${name} in open interest`,
      unit: 'ratio',
      description: `Fraction of the open interest of all exchanges that is on ${name}.`,
      related: ['total_oi_usd'],
    }),
  ]),
]
