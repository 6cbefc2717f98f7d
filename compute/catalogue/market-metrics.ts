import { satsPerCoin } from '#base/bitcoin.ts'
import { type MetricKind, priceDimension } from '#contract/metric-kinds.ts'
import {
  days as fromDays,
  inDays,
  inUnit,
  logUsd,
  type Measured,
  type MetricRow,
  percent,
  ratio,
  usd,
} from './definition.ts'
import { movingAverages } from './moving-averages.ts'
import type { OriginColumn } from './origin.ts'

const prices = (column: OriginColumn<'prices'>, kind: MetricKind): Measured => ({
  from: { table: 'prices', column },
  kind,
})

const returnDays = [1, 7, 14, 30, 60, 90, 180, 365, 730, 1095, 1460]
const volatilityDays = { '1w': 7, '2w': 14, '1m': 30, '3m': 90, '6m': 180, '1y': 365 }
const riskDays = [30, 90, 365]

export const market: readonly MetricRow[] = [
  logUsd('price', 'Price', prices('close', 'level'), {
    dimension: priceDimension,
    description:
      'Closing price of one bitcoin on the UTC day: the median of all sources. It is null before the first exchange rate, in July 2010. A day without trade carries the last close.',
  }),
  logUsd(
    'price_onchain',
    'Price from the chain',
    { from: { table: 'price_onchain', column: 'price' }, kind: 'level' },
    {
      dimension: priceDimension,
      description:
        'Experimental: price of one bitcoin that payments of round dollar amounts show, from the blocks alone. It is null on days whose payments do not tell it.',
      related: ['price', 'price_onchain_gap'],
    },
  ),
  ratio('price_onchain_gap', 'Gap of the price from the chain', 'price_onchain / price - 1', {
    description:
      'Experimental: by how much the price from the chain is above the price of markets, as a fraction. Above 5 % for three days, one of them is wrong.',
    related: ['price_onchain', 'price'],
  }),
  ...(
    [
      ['open', 'Open', 'first', 'First'],
      ['high', 'High', 'max', 'Highest'],
      ['low', 'Low', 'min', 'Lowest'],
    ] as const
  ).map(([column, name, aggregate, which]) =>
    logUsd(column, name, prices(column, 'level'), {
      dimension: priceDimension,
      aggregate,
      description: `${which} price of the UTC day: the median of the sources that have it.`,
    }),
  ),
  usd('volume', 'Trading volume', prices('volume', 'flow'), {
    description:
      'Value of the bitcoin traded during the UTC day on the tracked exchanges; where theirs is not known, on the whole market.',
  }),
  ratio('volume_to_market_cap', 'Volume to market cap', 'volume / market_cap', {
    description: 'Trading volume as a fraction of the market cap: how much of bitcoin changed hands on exchanges.',
  }),
  usd('market_cap', 'Market cap', 'price * circulating_supply', {
    description: 'Price times circulating supply.',
    style: 'area',
    related: ['realized_cap', 'mvrv'],
  }),
  inDays('market_age_days', 'Market age', fromDays('market_age_days', 'level'), {
    whole: true,
    description: 'Days since 3 January 2009, when the first block was made; that day is 1. Several formulas use it.',
  }),
  inDays('trading_age_days', 'Age of trading', '(market_age_days - 275) / (market_age_days > 275)', {
    whole: true,
    description:
      'Days since 5 October 2009, when an exchange rate was first published; that day is 1. The average cap and what follows from it count from there.',
  }),
  inUnit('sats per USD', 'log')('sats_per_dollar', 'Satoshis per dollar', `${satsPerCoin} / price`, {
    description: 'How many satoshis, the hundred-millionths of a bitcoin, one US dollar buys.',
  }),
  ...returnDays.map((days): MetricRow => {
    const span = days === 1 ? 'one day' : `${days} days`
    return ratio(`return_${days}d`, `Return over ${span}`, `price / shift(price, ${days}) - 1`, {
      // A gain of one day does not last.
      ...(days === 1 && { kind: 'rate' as const }),
      description: `Gain of the price since the close ${days === 1 ? 'of the day' : span} before, as a fraction.`,
      style: 'area',
    })
  }),
  ...(
    [
      ['asia_close', 'Asian', '08:00'],
      ['europe_close', 'European', '16:00'],
    ] as const
  ).map(([column, name, time]) =>
    logUsd(column, `Close of ${name} hours`, prices(column, 'level'), {
      dimension: priceDimension,
      description: `Price at ${time} UTC, the median of all sources; null without hourly prices.`,
    }),
  ),
  ...(
    [
      ['asia', 'Asian', 'midnight to 08:00', 'asia_close / shift(price, 1) - 1'],
      ['europe', 'European', '08:00 to 16:00', 'europe_close / asia_close - 1'],
      ['america', 'American', '16:00 to midnight', 'price / europe_close - 1'],
    ] as const
  ).map(([session, name, span, formula]) =>
    ratio(`return_${session}`, `Return in ${name} hours`, formula, {
      kind: 'rate',
      description: `Gain of the price from ${span} UTC, as a fraction. The three sessions together make the return of the day.`,
      related: ['return_1d'],
      style: 'bar',
    }),
  ),
  ...[2, 4, 8].map((years) =>
    ratio(
      `cagr_${years}y`,
      `Annual growth rate over ${years} years`,
      `(price / shift(price, ${years * 365})) ^ (1 / ${years}) - 1`,
      { description: `Compound annual growth rate of the price over the last ${years} years, as a fraction.` },
    ),
  ),
  logUsd('ath', 'All-time high', 'cummax(high)', {
    description: 'Highest `high` of all days up to that day.',
  }),
  ratio('drawdown', 'Drawdown', 'price / cummax(price) - 1', {
    description:
      'Fall of the price below the highest close so far, as a fraction: 0 at a new high, −0.5 at half of it.',
    style: 'area',
  }),
  ratio('drawdown_from_high', 'Drawdown from the all-time high', 'price / ath - 1', {
    description: 'Fall of the price below the highest price ever paid, as a fraction.',
    variant: 'Measured from the highest price within a day; `drawdown` is measured from the highest close.',
    style: 'area',
  }),
  inDays('days_since_ath', 'Days since the all-time high', 'days_since(high == ath)', {
    whole: true,
    description: 'Days since the highest price so far was paid.',
    style: 'area',
  }),
  logUsd('high_1y', 'One-year high', 'max(high, 365)', {
    description: 'Highest price of the last 365 days.',
  }),
  logUsd('low_1y', 'One-year low', 'min(low, 365)', {
    description: 'Lowest price of the last 365 days.',
  }),
  ...Object.entries(volatilityDays).map(([span, days]) =>
    percent(
      `realized_vol_${span}`,
      `Realized volatility over ${days} days`,
      `100 * sqrt(365) * std(log(price / shift(price, 1)), ${days})`,
      {
        description: `How much the price moves from day to day: standard deviation of the daily log returns of ${days} days, scaled to a year.`,
      },
    ),
  ),
  ...(['1m', '6m'] as const).map((span) =>
    ratio(
      `realized_vol_${span}_coin_metrics`,
      `Realized volatility over ${volatilityDays[span]} days, Coin Metrics'`,
      `std(log(price / shift(price, 1)), ${volatilityDays[span]})`,
      {
        description: `Standard deviation of the daily log returns of ${volatilityDays[span]} days.`,
        variant: 'For one day, as a fraction, not scaled to a year.',
        source: 'Coin Metrics',
        related: [`realized_vol_${span}`],
      },
    ),
  ),
  ...riskDays.flatMap((days): MetricRow[] => [
    ratio(
      `sharpe_${days}d`,
      `Sharpe ratio over ${days} days`,
      `sma(return_1d, ${days}) / std(return_1d, ${days}) * sqrt(365)`,
      {
        description: `Mean daily return of the last ${days} days over its standard deviation, scaled to a year.`,
        variant: 'The risk-free rate is taken to be 0.',
        source: 'William Sharpe, 1966',
      },
    ),
    ratio(
      `sortino_${days}d`,
      `Sortino ratio over ${days} days`,
      `sma(return_1d, ${days}) / sqrt(sma(if(return_1d < 0, return_1d ^ 2, 0), ${days})) * sqrt(365)`,
      {
        description: `Mean daily return of the last ${days} days divided by the deviation of only the losses, scaled to a year.`,
        variant: 'The deviation of losses is taken over all days, and the risk-free rate is taken to be 0.',
        source: 'Frank Sortino, 1994',
      },
    ),
  ]),
  ...movingAverages,
]
