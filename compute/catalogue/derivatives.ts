import type { MetricKind } from '#contract/metric-kinds.ts'
import { exchanges } from '#ingest/market/reference.ts'
import { btc, count, inUnit, type Measured, type MetricRow, percent, ratio, sameField, usd } from './definition.ts'
import type { OriginColumn } from './origin.ts'

const funding = (column: OriginColumn<'funding_aggregate'>, kind: MetricKind): Measured =>
  sameField({ table: 'funding_aggregate', column }, kind, { endpoint: 'funding/aggregate' })

const openInterest = (column: OriginColumn<'open_interest_aggregate'>, kind: MetricKind): Measured =>
  sameField({ table: 'open_interest_aggregate', column }, kind)

const exchangeFunding = (key: string, column: OriginColumn<'funding'>, kind: MetricKind): Measured =>
  sameField({ table: 'funding', column, key }, kind, { endpoint: `funding/exchange?exchange=${key}`, grade: 1 })

const exchangeOpenInterest = (key: string, column: OriginColumn<'open_interest'>, kind: MetricKind): Measured =>
  sameField({ table: 'open_interest', column, key }, kind, { endpoint: `oi/exchange?exchange=${key}`, grade: 1 })

const weighted =
  'Rates of the exchanges are means of the settlements of the UTC day, per 8 hours, weighted by open interest. It is null with fewer than three exchanges.'

export const derivatives: readonly MetricRow[] = [
  ratio('avg_funding_rate', 'Funding rate', funding('avg_funding_rate', 'rate'), {
    description:
      'What holders of long positions in perpetual futures paid to holders of short positions per 8 hours, as a fraction. Below 0, shorts paid longs.',
    variant: weighted,
    style: 'bar',
  }),
  ratio('avg_funding_rate_7d_sma', 'Funding rate, mean of 7 days', 'sma(avg_funding_rate, 7)', {
    endpoint: 'series',
    description: 'Mean funding rate of the last 7 days.',
  }),
  ratio('funding_annualized', 'Funding rate, annualized', funding('annualized', 'rate'), {
    description: 'Funding rate scaled to a year: times 3 payments a day and 365 days, without compounding.',
    variant: weighted,
  }),
  ratio('funding_spread', 'Funding rate spread', funding('spread', 'rate'), {
    description: 'Highest minus lowest funding rate of the exchanges.',
  }),
  count('funding_exchange_count', 'Exchanges with funding', funding('exchange_count', 'level'), {
    description: 'Number of exchanges whose funding rate and open interest are known that day.',
  }),
  usd('total_oi_usd', 'Open interest', openInterest('total_oi_usd', 'level'), {
    description:
      'Value of all open positions in bitcoin perpetual futures at the end of the day, each counted once. It is null with fewer than three exchanges.',
    style: 'area',
  }),
  btc('total_oi_btc', 'Open interest in BTC', openInterest('total_oi_btc', 'level'), {
    description: 'Bitcoin in all open positions in perpetual futures at the end of the day.',
    style: 'area',
  }),
  usd('oi_delta_usd', 'Open interest change', openInterest('oi_delta_usd', 'flow'), {
    description: 'Change of the open interest since the day before, over the markets that are known on both days.',
  }),
  btc('oi_delta_btc', 'Open interest change in BTC', openInterest('oi_delta_btc', 'flow'), {
    description:
      'Change of the open interest in coins since the day before, over the markets that are known on both days.',
  }),
  percent('oi_delta_percent', 'Open interest change in percent', openInterest('oi_delta_pct', 'rate'), {
    aliases: ['oi_delta_pct'],
    description: 'Change of the open interest since the day before, as a share of it.',
    style: 'bar',
  }),
  count('oi_exchange_count', 'Exchanges with open interest', openInterest('exchange_count', 'level'), {
    description: 'Number of exchanges whose open interest is known that day.',
  }),
  ratio('oi_to_market_cap', 'Open interest to market cap', 'total_oi_usd / market_cap', {
    description: 'Open interest as a fraction of the market cap.',
  }),
  ratio('oi_to_volume', 'Open interest to volume', 'total_oi_usd / volume', {
    description: 'Open interest over the trading volume of the day.',
  }),
  ...exchanges.flatMap(({ id, name }): MetricRow[] => [
    ratio(`funding_rate_${id}`, `Funding rate on ${name}`, exchangeFunding(id, 'funding_rate', 'rate'), {
      description: `What long positions on ${name} paid to short positions per 8 hours, as a fraction.`,
      style: 'bar',
      related: ['avg_funding_rate'],
    }),
    ratio(
      `funding_annualized_${id}`,
      `Funding rate on ${name}, annualized`,
      exchangeFunding(id, 'annualized', 'rate'),
      {
        description: `Funding rate on ${name} scaled to a year, without compounding.`,
        related: ['funding_annualized'],
      },
    ),
    ratio(`oi_weight_${id}`, `Weight of ${name} in the funding rate`, exchangeFunding(id, 'oi_weight', 'level'), {
      description: `Fraction of the open interest of all exchanges with funding that is on ${name}.`,
      related: ['avg_funding_rate'],
    }),
    ...(['oi_usd', 'oi_btc'] as const).map((field) => {
      const unit = field === 'oi_usd' ? 'USD' : 'BTC'
      return inUnit(unit)(
        `${field}_${id}`,
        `Open interest on ${name}, ${unit}`,
        exchangeOpenInterest(id, field, 'level'),
        {
          description: `Open positions in bitcoin perpetual futures on ${name} at the end of the day, in ${unit}.`,
          style: 'area',
          related: ['total_oi_usd'],
        },
      )
    }),
    usd(`oi_delta_usd_${id}`, `Open interest change on ${name}`, exchangeOpenInterest(id, 'oi_delta_usd', 'flow'), {
      description: `Change of the open interest on ${name} since the day before.`,
      related: ['oi_delta_usd'],
    }),
    ratio(`oi_share_${id}`, `Share of ${name} in open interest`, exchangeOpenInterest(id, 'oi_share', 'level'), {
      description: `Fraction of the open interest of all exchanges that is on ${name}.`,
      related: ['total_oi_usd'],
    }),
  ]),
]
