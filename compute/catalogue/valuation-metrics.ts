import { priceDimension } from '#contract/metric-kinds.ts'
import { logRatio, logUsd, type MetricRow, percent, ratio, usd } from './definition.ts'
import { networkValuation } from './network-valuation.ts'

export const valuation: readonly MetricRow[] = [
  ratio('mvrv_z', 'MVRV Z-score', 'if(shift(price, 365) > 0, (market_cap - realized_cap) / cumstd(market_cap), 0)', {
    description:
      'Distance between market cap and realized cap, in standard deviations of the market cap. High values marked tops, negative ones lows.',
    variant:
      'The standard deviation is that of all days from the first price to the day; nothing is said before it spans a year. `mvrv_z_glassnode` counts the days before the first price, too.',
    source: 'Awe & Wonder, 2018',
    related: ['mvrv'],
  }),
  ratio(
    'mvrv_z_glassnode',
    'MVRV Z-score, since the first block',
    '(market_cap - realized_cap) / cumstd(coalesce(market_cap, 0))',
    {
      description:
        'Distance between market cap and realized cap, in standard deviations of the market cap since the first block.',
      variant:
        'The days before the first price count in the standard deviation, with a market cap of 0. Near the values of Glassnode, which does not publish its deviation: 2.7 % apart in the median.',
      related: ['mvrv_z'],
    },
  ),
  ratio('mvrv_z_2y', 'MVRV Z-score, rolling 2 years', '(market_cap - realized_cap) / std(market_cap, 730)', {
    description:
      'MVRV Z-score with the standard deviation of the last 730 days, so that early years no longer weigh on it.',
    source: 'Bitcoin Magazine Pro',
    related: ['mvrv_z'],
  }),
  ratio('mvrv_momentum', 'MVRV momentum', 'mvrv / sma(mvrv, 365)', {
    description: 'MVRV over its mean of a year. Above 1 the market is in an upswing.',
    source: 'Glassnode, 2022',
  }),
  ...[0.8, 2.4, 3.2].map((factor) =>
    logUsd(
      `realized_price_x${String(factor).replace('.', '_')}`,
      `Realized price × ${factor}`,
      `${factor} * realized_price`,
      {
        description: `The price at which MVRV would be ${factor}, one of the MVRV pricing bands.`,
        source: 'Glassnode, 2023',
        related: ['mvrv'],
      },
    ),
  ),
  ...(
    [
      ['minus_1sd', '-', 'below'],
      ['plus_1sd', '+', 'above'],
    ] as const
  ).map(([id, sign, side]) =>
    logUsd(
      `mvrv_price_${id}`,
      `MVRV price, one deviation ${side} the mean`,
      // No price is that low if the deviation exceeds the mean.
      `realized_price * (cummean(mvrv) ${sign} cumstd(mvrv))${sign === '-' ? ' / (cummean(mvrv) > cumstd(mvrv))' : ''}`,
      {
        description: `The price at which MVRV would be one standard deviation ${side} its mean of all days so far.`,
        ...(sign === '-' && { variant: 'Null where the deviation exceeds the mean: no price is that low.' }),
        source: 'CheckOnChain',
        related: ['mvrv'],
      },
    ),
  ),
  logRatio('lth_sth_mvrv_ratio', 'LTH to STH MVRV', 'lth_mvrv / sth_mvrv', {
    description: 'MVRV of long-term holders over that of short-term holders.',
  }),
  usd('realized_cap_change_30d', 'Realized cap change over 30 days', 'diff(realized_cap, 30)', {
    description: 'Realized cap minus what it was 30 days before: the capital that flowed in or out.',
    style: 'bar',
  }),
  percent('realized_cap_change_30d_percent', 'Realized cap growth over 30 days', 'percent_change(realized_cap, 30)', {
    description: 'Growth of the realized cap within 30 days.',
  }),
  logUsd('thermo_cap', 'Thermo cap', 'cumsum(issuance * price)', {
    description:
      'All coins ever issued, each at the price of the day on which it was mined: what miners were paid in new coins.',
    variant: 'New coins only, without fees; see `thermo_cap_with_fees`. Coins from before the first price count 0.',
    source: 'Nic Carter and Antoine Le Calvez (Coin Metrics), 2018',
  }),
  logUsd('thermo_cap_with_fees', 'Thermo cap with fees', 'cumsum(miner_revenue * price)', {
    description: 'All that miners ever received, new coins and fees, at the price of the day.',
  }),
  logUsd(
    'thermo_cap_glassnode',
    "Thermo cap, Glassnode's",
    'cumsum(issuance * price) + 0.04951 * (issued_supply - cumsum(if(price > 0, issuance, 0)))',
    {
      description: 'All coins ever issued, each at the price of the day on which it was mined.',
      variant: 'Coins from before the first price count 0.04951 USD each, which was the first one.',
      source: 'Glassnode',
      related: ['thermo_cap'],
    },
  ),
  logRatio('mc_tc_ratio_glassnode', "Market cap to thermo cap, Glassnode's", 'price / thermo_cap_glassnode', {
    description: 'Price over thermo cap: the market cap to thermo cap ratio per coin.',
    variant: 'Divided by the circulating supply, and with the coins from before the first price at that price.',
    source: 'Glassnode',
    related: ['mc_tc_ratio'],
  }),
  logUsd('thermo_price', 'Thermo price', 'thermo_cap / circulating_supply', {
    description: 'Thermo cap per coin.',
  }),
  logRatio('mc_tc_ratio', 'Market cap to thermo cap', 'market_cap / thermo_cap', {
    description:
      'Market cap over thermo cap, also called the thermo cap multiple: the premium over what miners were paid.',
  }),
  logUsd('average_cap', 'Average cap', 'cumsum(market_cap) / trading_age_days', {
    description: 'Mean market cap of all days since 5 October 2009.',
    variant:
      'Since the first published exchange rate, as its author counts; `average_cap_since_genesis` counts from the first block. Days before the first price count as 0.',
    source: 'Renato Shirakashi, 2018',
  }),
  logUsd('average_cap_since_genesis', 'Average cap since the first block', 'cumsum(market_cap) / market_age_days', {
    description: 'Mean market cap of all days since the first block.',
    variant: 'Days before the first price count as 0.',
    related: ['average_cap'],
  }),
  logUsd('average_price', 'Average cap per coin', 'average_cap / circulating_supply', {
    description: 'Average cap divided by the circulating supply.',
  }),
  logUsd('delta_cap', 'Delta cap', 'realized_cap - average_cap', {
    description: 'Realized cap minus average cap. It touched the market cap near the lows of past cycles.',
    source: 'David Puell, 2018',
  }),
  logUsd('delta_price', 'Delta price', 'delta_cap / circulating_supply', {
    description: 'Delta cap per coin.',
  }),
  logUsd('top_cap', 'Top cap', '35 * average_cap', {
    description: 'Average cap times 35, which marked the tops of early cycles.',
    source: 'Willy Woo, 2019',
  }),
  logUsd('top_cap_since_genesis', 'Top cap since the first block', '35 * average_cap_since_genesis', {
    description: 'Average cap since the first block, times 35.',
    related: ['top_cap'],
  }),
  logUsd('top_price', 'Top price', 'top_cap / circulating_supply', {
    description: 'Top cap per coin.',
  }),
  logUsd('delta_top', 'Delta top', '7 * delta_price', {
    description: 'Delta price times 7, which lay near past tops.',
    source: 'Willy Woo, 2022',
  }),
  logUsd(
    'transferred_price',
    'Transferred price',
    'cumsum(coindays_destroyed * price) / (circulating_supply * (trading_age_days - 2))',
    {
      dimension: priceDimension,
      description: 'All coin days ever destroyed, at the prices of their days, per coin and day of age.',
      variant:
        'The age is counted from 6 October 2009, as in the series of its author; `transferred_price_since_genesis` counts from the first block.',
      source: 'Renato Shirakashi, 2019',
    },
  ),
  logUsd(
    'transferred_price_since_genesis',
    'Transferred price since the first block',
    'cumsum(coindays_destroyed * price) / (circulating_supply * market_age_days)',
    {
      dimension: priceDimension,
      description: 'All coin days ever destroyed, at the prices of their days, per coin and day since the first block.',
      related: ['transferred_price'],
    },
  ),
  logUsd('balanced_price', 'Balanced price', 'realized_price - transferred_price', {
    description: 'Realized price minus transferred price. Past lows of the market were near it.',
    source: 'David Puell and Renato Shirakashi, 2019',
  }),
  logUsd('terminal_price', 'Terminal price', '21 * transferred_price', {
    description: 'Transferred price times 21, which marked past tops.',
    source: 'Checkmate, 2021',
  }),
  logUsd('cvdd', 'CVDD', 'cumsum(coindays_destroyed * price) / ((trading_age_days - 2) * 6000000)', {
    dimension: priceDimension,
    description: 'Cumulative value of coin days destroyed over the age of the market. Past lows lay close to it.',
    variant:
      'The age is counted from 6 October 2009, as in the series of its author; `cvdd_since_genesis` counts from the first block.',
    source: 'Willy Woo, 2019',
  }),
  logUsd(
    'cvdd_since_genesis',
    'CVDD since the first block',
    'cumsum(coindays_destroyed * price) / (market_age_days * 6000000)',
    {
      dimension: priceDimension,
      description: 'Cumulative value of coin days destroyed over the days since the first block.',
      related: ['cvdd'],
    },
  ),
  logUsd('investor_cap', 'Investor cap', 'realized_cap - thermo_cap', {
    description: 'Realized cap minus thermo cap: what investors paid beyond what miners received.',
    source: 'ARK Invest and David Puell, 2021',
  }),
  logUsd('true_market_mean', 'True market mean', 'investor_cap / active_supply', {
    description: 'Investor cap per active coin: the average cost of coins that really trade.',
    source: 'James Check and David Puell (Cointime Economics), 2023',
  }),
  ratio('aviv', 'AVIV ratio', 'price / true_market_mean', {
    description: 'Active value to investor value: price over the true market mean, an MVRV without lost coins.',
    source: 'James Check and David Puell (Cointime Economics), 2023',
  }),
  ...networkValuation,
]
