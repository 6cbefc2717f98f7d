import { satsPerCoin } from '#base/bitcoin.ts'
import { secondsPerDay } from '#base/days.ts'
import { btc, days, inUnit, logRatio, type MetricRow, percent, ratio, usdFlow } from './definition.ts'

const ribbonDays = [9, 14, 25, 40, 60, 90, 128, 200]
const ribbon = (combine: (line: string) => string): string =>
  ribbonDays.map((span) => combine(`difficulty_sma_${span}`)).join(' + ')

const recovered = '(hash_ribbon > 1 and sma(price, 10) > price_sma_20)'
/** The days before since `recovered` reach back beyond the last capitulation; null without one. */
const isFirst = `coalesce(days_since(hash_ribbon <= 1) <= coalesce(days_since(shift(${recovered}, 1)), 10^9), 0)`

export const mining: readonly MetricRow[] = [
  inUnit('sats')('issuance_sats', 'Issuance in satoshis', days('issuance_sats', 'flow'), {
    description:
      'New coins of the day as an exact number of satoshis: what the coinbases actually claimed beyond the fees.',
  }),
  btc('issuance', 'Issuance', `issuance_sats / ${satsPerCoin}`, {
    description: 'New coins of the day: what the coinbases actually claimed beyond the fees.',
  }),
  usdFlow('issuance_usd', 'Issuance in USD', 'issuance * price', {
    description: 'New coins of the day at its price.',
  }),
  logRatio('inflation_rate', 'Inflation rate', 'sum(issuance, 365) / shift(circulating_supply, 365)', {
    description: 'Coins issued within 365 days as a fraction of the supply before them.',
  }),
  logRatio('inflation_rate_annualized', 'Inflation rate, annualized', '365 * issuance / circulating_supply', {
    description: 'Coins issued during the day times 365, as a fraction of the supply.',
    variant: 'Not compounded, as Coin Metrics computes it; `inflation_rate_glassnode` compounds.',
  }),
  logRatio(
    'inflation_rate_glassnode',
    "Inflation rate, Glassnode's",
    '((1 + issuance / circulating_supply) ^ 365 - 1) / (market_age_days > 363)',
    {
      description: 'Growth of the supply in a year if it grew on every day as it did on this one.',
      variant: 'The growth of the day, compounded over 365 days; null in 2009, when the supply doubled within days.',
      source: 'Glassnode',
      related: ['inflation_rate'],
    },
  ),
  btc('miner_revenue', 'Miner revenue', 'issuance + fees', {
    description: 'What miners received during the day: new coins and fees.',
  }),
  usdFlow('miner_revenue_usd', 'Miner revenue in USD', 'miner_revenue * price', {
    description: 'New coins and fees of the day, at its price.',
  }),
  btc('cumulative_miner_revenue', 'Cumulative miner revenue', 'cumsum(miner_revenue)', {
    description: 'All new coins and fees up to the day.',
    style: 'area',
  }),
  btc('block_reward', 'Mean block reward', 'miner_revenue / blocks_mined', {
    dimension: 'BTC per block',
    description: 'New coins and fees per block.',
  }),
  percent('fees_percent', 'Share of fees in the reward', '100 * fees / miner_revenue', {
    description: 'Fees as a share of what miners received.',
  }),
  logRatio('fee_ratio_multiple', 'Fee ratio multiple', 'miner_revenue / fees', {
    description: 'Miner revenue over fees: how far the security of the chain depends on new coins.',
    source: 'Matteo Leibowitz, 2018',
  }),
  // Work is 2^256 over the target, difficulty (2^16 − 1) · 2^208 over it.
  inUnit('difficulty', 'log')(
    'difficulty_mean',
    'Mean difficulty',
    `work / blocks_mined * ${(2 ** 16 - 1) / 2 ** 48}`,
    {
      description: 'Mean difficulty of the blocks of the day.',
      related: ['difficulty'],
    },
  ),
  inUnit('difficulty', 'log')('difficulty', 'Difficulty', days('difficulty', 'level'), {
    description: 'How many times harder than at the start it is to find a block, by the last block of the day.',
  }),
  inUnit('hashes', 'log')('work', 'Work', days('work', 'flow'), {
    description: 'Number of hashes that the blocks of the day are expected to have taken.',
    style: 'line',
  }),
  inUnit('hashes', 'log')('cumulative_work', 'Cumulative work', 'cumsum(work)', {
    description:
      'Number of hashes that the whole chain is expected to have taken: what an attacker would have to repeat.',
  }),
  ...[1, 7, 30, 60].map((span) =>
    inUnit('H/s', 'log')(
      `hash_rate_${span}d`,
      `Hash rate, ${span} ${span === 1 ? 'day' : 'days'}`,
      span === 1 ? `work / ${secondsPerDay}` : `sum(work, ${span}) / ${span * secondsPerDay}`,
      {
        description: `Hashes per second that the blocks of ${span === 1 ? 'the day' : `the last ${span} days`} are expected to have taken.`,
      },
    ),
  ),
  ratio('hash_ribbon', 'Hash ribbon', 'hash_rate_30d / hash_rate_60d', {
    description: 'Hash rate of 30 days over that of 60 days. Below 1 miners are switching off.',
    source: 'Charles Edwards (Capriole Investments), 2019',
  }),
  ratio('hash_ribbon_buy_signal', 'Hash ribbon buy signal', `if(${recovered}, ${isFirst}, 0)`, {
    aggregate: 'max',
    endpoint: 'series',
    description:
      '1 on the first day after a capitulation of miners on which the hash ribbon is above 1 and the 10-day mean of the price above the 20-day one, 0 otherwise.',
    variant:
      'The means of the price may have crossed before the hash ribbon did; a capitulation has at most one signal.',
    source: 'Charles Edwards (Capriole Investments), 2019',
    style: 'bar',
  }),
  ...ribbonDays.map((span) =>
    inUnit('difficulty', 'log')(
      `difficulty_sma_${span}`,
      `Difficulty ribbon, ${span} days`,
      `sma(difficulty, ${span})`,
      {
        description: `Mean of \`difficulty\` on the last ${span} days, one line of the difficulty ribbon.`,
        source: 'Willy Woo, 2019',
      },
    ),
  ),
  inUnit('difficulty', 'log')(
    'difficulty_ribbon_mean',
    'Difficulty ribbon, mean',
    `(${ribbon((line) => line)}) / ${ribbonDays.length}`,
    { description: 'Mean of the eight lines of the difficulty ribbon.' },
  ),
  ratio(
    'difficulty_ribbon_compression',
    'Difficulty ribbon compression',
    `sqrt((${ribbon((line) => `(${line} - difficulty_ribbon_mean)^2`)}) / ${ribbonDays.length}) / difficulty_ribbon_mean`,
    {
      description:
        'Standard deviation of the lines of the difficulty ribbon over their mean. It is small when weak miners give up.',
      variant: 'The population deviation of eight lines, as Glassnode computes it.',
      source: 'Glassnode, 2019',
    },
  ),
  inUnit('USD per PH/s per day', 'log')('hash_price', 'Hash price', 'miner_revenue_usd / (hash_rate_1d / 10^15)', {
    description: 'What a petahash per second earned during the day.',
  }),
  ratio('bitcoin_yardstick', 'Bitcoin yardstick', 'zscore(market_cap / hash_rate_30d, 730)', {
    description:
      'Market cap per hash rate, in standard deviations from its mean of two years. Low values mean that bitcoin is cheap for the work behind it.',
    source: 'Charles Edwards (Capriole Investments), 2022',
  }),
]
