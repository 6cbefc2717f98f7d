import { exchanges } from '#ingest/market/reference.ts'
import type { MetricRow } from './definition.ts'
import type { Origin, OriginColumn } from './origin.ts'

const allFunding = (column: OriginColumn<'funding_aggregate'>): Origin => ({ table: 'funding_aggregate', column })
const funding = (column: OriginColumn<'funding'>, key: string): Origin => ({ table: 'funding', column, key })
const allOpenInterest = (column: OriginColumn<'open_interest_aggregate'>): Origin => ({
  table: 'open_interest_aggregate',
  column,
})
const openInterest = (column: OriginColumn<'open_interest'>, key: string): Origin => ({
  table: 'open_interest',
  column,
  key,
})

const weighted =
  'Rates of the exchanges are means of the settlements of the UTC day, per 8 hours, weighted by open interest. It is null with fewer than three exchanges.'

/** Perpetual futures: what holding them costs, and how much is held. */
export const derivatives: readonly MetricRow[] = [
  {
    id: 'avg_funding_rate',
    name: 'Funding rate',
    unit: 'ratio',
    from: allFunding('avg_funding_rate'),
    endpoint: 'funding/aggregate',
    description:
      'What holders of long positions in perpetual futures paid to holders of short ones per 8 hours, as a fraction. Below 0 the shorts paid.',
    variant: weighted,
    style: 'bar',
  },
  {
    id: 'avg_funding_rate_7d_sma',
    name: 'Funding rate, mean of 7 days',
    unit: 'ratio',
    formula: 'sma(avg_funding_rate, 7)',
    endpoint: 'series',
    description: 'Mean funding rate of the last 7 days.',
  },
  {
    id: 'funding_annualized',
    name: 'Funding rate, annualized',
    unit: 'ratio',
    from: allFunding('annualized'),
    endpoint: 'funding/aggregate',
    field: 'annualized',
    description: 'Funding rate scaled to a year: times 3 payments a day and 365 days, without compounding.',
    variant: weighted,
  },
  {
    id: 'funding_spread',
    name: 'Funding rate spread',
    unit: 'ratio',
    from: allFunding('spread'),
    endpoint: 'funding/aggregate',
    field: 'spread',
    description: 'Highest less lowest funding rate of the exchanges.',
  },
  {
    id: 'funding_exchange_count',
    name: 'Exchanges with funding',
    unit: 'count',
    from: allFunding('exchange_count'),
    endpoint: 'funding/aggregate',
    field: 'exchange_count',
    description: 'Number of exchanges whose funding rate and open interest are known that day.',
  },
  {
    id: 'total_oi_usd',
    name: 'Open interest',
    unit: 'USD',
    from: allOpenInterest('total_oi_usd'),
    description:
      'Value of all open positions in bitcoin perpetual futures at the end of the day, each counted once. It is null with fewer than three exchanges.',
    style: 'area',
  },
  {
    id: 'total_oi_btc',
    name: 'Open interest in BTC',
    unit: 'BTC',
    from: allOpenInterest('total_oi_btc'),
    description: 'Bitcoin in all open positions in perpetual futures at the end of the day.',
    style: 'area',
  },
  {
    id: 'oi_delta_usd',
    name: 'Open interest change',
    unit: 'USD',
    from: allOpenInterest('oi_delta_usd'),
    description: 'Change of the open interest since the day before, over the markets that are known on both days.',
    style: 'bar',
  },
  {
    id: 'oi_delta_btc',
    name: 'Open interest change in BTC',
    unit: 'BTC',
    from: allOpenInterest('oi_delta_btc'),
    description:
      'Change of the open interest in coins since the day before, over the markets that are known on both days.',
    style: 'bar',
  },
  {
    id: 'oi_delta_percent',
    field: 'oi_delta_pct',
    aliases: ['oi_delta_pct'],
    name: 'Open interest change in percent',
    unit: 'percent',
    from: allOpenInterest('oi_delta_pct'),
    description: 'Change of the open interest since the day before, as a share of it.',
    style: 'bar',
  },
  {
    id: 'oi_exchange_count',
    name: 'Exchanges with open interest',
    unit: 'count',
    from: allOpenInterest('exchange_count'),
    field: 'exchange_count',
    description: 'Number of exchanges whose open interest is known that day.',
  },
  {
    id: 'oi_to_market_cap',
    name: 'Open interest to market cap',
    unit: 'ratio',
    formula: 'total_oi_usd / market_cap',
    description: 'Open interest as a fraction of the market cap.',
  },
  {
    id: 'oi_to_volume',
    name: 'Open interest to volume',
    unit: 'ratio',
    formula: 'total_oi_usd / volume',
    description: 'Open interest over the trading volume of the day.',
  },
  ...exchanges.flatMap(({ id, name }): MetricRow[] => [
    {
      id: `funding_rate_${id}`,
      name: `Funding rate on ${name}`,
      unit: 'ratio',
      from: funding('funding_rate', id),
      grade: 1,
      endpoint: 'funding/exchange',
      field: 'funding_rate',
      description: `What long positions on ${name} paid to short ones per 8 hours, as a fraction.`,
      style: 'bar',
      related: ['avg_funding_rate'],
    },
    {
      id: `funding_annualized_${id}`,
      name: `Funding rate on ${name}, annualized`,
      unit: 'ratio',
      from: funding('annualized', id),
      grade: 1,
      endpoint: 'funding/exchange',
      field: 'annualized',
      description: `Funding rate on ${name} scaled to a year, without compounding.`,
      related: ['funding_annualized'],
    },
    {
      id: `oi_weight_${id}`,
      name: `Weight of ${name} in the funding rate`,
      unit: 'ratio',
      from: funding('oi_weight', id),
      grade: 1,
      endpoint: 'funding/exchange',
      field: 'oi_weight',
      description: `Fraction of the open interest of all exchanges with funding that is on ${name}.`,
      related: ['avg_funding_rate'],
    },
    ...(
      [
        ['oi_usd', 'USD'],
        ['oi_btc', 'BTC'],
      ] as const
    ).map(
      ([field, unit]): MetricRow => ({
        id: `${field}_${id}`,
        name: `Open interest on ${name}, ${unit}`,
        unit,
        from: openInterest(field, id),
        grade: 1,
        endpoint: 'oi/exchange',
        field,
        description: `Open positions in bitcoin perpetual futures on ${name} at the end of the day, in ${unit}.`,
        style: 'area',
        related: ['total_oi_usd'],
      }),
    ),
    {
      id: `oi_delta_usd_${id}`,
      name: `Open interest change on ${name}`,
      unit: 'USD',
      from: openInterest('oi_delta_usd', id),
      grade: 1,
      endpoint: 'oi/exchange',
      field: 'oi_delta_usd',
      description: `Change of the open interest on ${name} since the day before.`,
      style: 'bar',
      related: ['oi_delta_usd'],
    },
    {
      id: `oi_share_${id}`,
      name: `Share of ${name} in open interest`,
      unit: 'ratio',
      from: openInterest('oi_share', id),
      grade: 1,
      endpoint: 'oi/exchange',
      field: 'oi_share',
      description: `Fraction of the open interest of all exchanges that is on ${name}.`,
      related: ['total_oi_usd'],
    },
  ]),
]
