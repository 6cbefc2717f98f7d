import { satsPerCoin } from '#base/bitcoin.ts'
import { secondsPerDay } from '#base/days.ts'
import type { MetricRow } from './definition.ts'
import { days } from './origin.ts'

const ribbonDays = [9, 14, 25, 40, 60, 90, 128, 200]
const ribbon = (combine: (line: string) => string): string =>
  ribbonDays.map((span) => combine(`difficulty_sma_${span}`)).join(' + ')

export const mining: readonly MetricRow[] = [
  {
    id: 'issuance_sats',
    name: 'Issuance in satoshis',
    unit: 'sats',
    from: days('issuance_sats'),
    kind: 'flow',
    description:
      'New coins of the day as an exact number of satoshis: what the coinbases actually claimed beyond the fees.',
  },
  {
    id: 'issuance',
    name: 'Issuance',
    unit: 'BTC',
    formula: `issuance_sats / ${satsPerCoin}`,
    description: 'New coins of the day: what the coinbases actually claimed beyond the fees.',
  },
  {
    id: 'issuance_usd',
    name: 'Issuance in USD',
    unit: 'USD',
    formula: 'issuance * price',
    description: 'New coins of the day at its price.',
  },
  {
    id: 'inflation_rate',
    name: 'Inflation rate',
    unit: 'ratio',
    formula: 'sum(issuance, 365) / shift(circulating_supply, 365)',
    description: 'Coins issued within 365 days as a fraction of the supply before them.',
    scale: 'log',
  },
  {
    id: 'inflation_rate_annualized',
    name: 'Inflation rate, annualized',
    unit: 'ratio',
    formula: '365 * issuance / circulating_supply',
    description: 'Coins issued during the day times 365, as a fraction of the supply.',
    variant: 'Not compounded, as Coin Metrics computes it; `inflation_rate_glassnode` compounds.',
    scale: 'log',
  },
  {
    id: 'inflation_rate_glassnode',
    name: "Inflation rate, Glassnode's",
    unit: 'ratio',
    formula: '(1 + issuance / circulating_supply) ^ 365 - 1',
    description: 'Growth of the supply in a year if it grew on every day as it did on this one.',
    variant: 'The growth of the day, compounded over 365 days.',
    source: 'Glassnode',
    scale: 'log',
    related: ['inflation_rate'],
  },
  {
    id: 'miner_revenue',
    name: 'Miner revenue',
    unit: 'BTC',
    formula: 'issuance + fees',
    description: 'What miners received during the day: new coins and fees.',
  },
  {
    id: 'miner_revenue_usd',
    name: 'Miner revenue in USD',
    unit: 'USD',
    formula: 'miner_revenue * price',
    description: 'New coins and fees of the day, at its price.',
  },
  {
    id: 'cumulative_miner_revenue',
    name: 'Cumulative miner revenue',
    unit: 'BTC',
    formula: 'cumsum(miner_revenue)',
    description: 'All new coins and fees up to the day.',
    style: 'area',
  },
  {
    id: 'block_reward',
    name: 'Mean block reward',
    unit: 'BTC',
    formula: 'miner_revenue / blocks_mined',
    description: 'New coins and fees per block.',
  },
  {
    id: 'fees_percent',
    name: 'Share of fees in the reward',
    unit: 'percent',
    formula: '100 * fees / miner_revenue',
    description: 'Fees as a share of what miners received.',
  },
  {
    id: 'fee_ratio_multiple',
    name: 'Fee ratio multiple',
    unit: 'ratio',
    formula: 'miner_revenue / fees',
    description: 'Miner revenue over fees: how far the security of the chain depends on new coins.',
    source: 'Matteo Leibowitz, 2018',
    scale: 'log',
  },
  {
    id: 'difficulty',
    name: 'Difficulty',
    unit: 'difficulty',
    from: days('difficulty'),
    kind: 'level',
    description: 'How many times harder than at the start it is to find a block, by the last block of the day.',
    scale: 'log',
  },
  {
    id: 'work',
    name: 'Work',
    unit: 'hashes',
    from: days('work'),
    kind: 'flow',
    description: 'Number of hashes that the blocks of the day are expected to have taken.',
    style: 'line',
    scale: 'log',
  },
  {
    id: 'cumulative_work',
    name: 'Cumulative work',
    unit: 'hashes',
    formula: 'cumsum(work)',
    description:
      'Number of hashes that the whole chain is expected to have taken: what an attacker would have to repeat.',
    scale: 'log',
  },
  ...[1, 7, 30, 60].map(
    (span): MetricRow => ({
      id: `hash_rate_${span}d`,
      name: `Hash rate, ${span} ${span === 1 ? 'day' : 'days'}`,
      unit: 'H/s',
      formula: span === 1 ? `work / ${secondsPerDay}` : `sum(work, ${span}) / ${span * secondsPerDay}`,
      description: `Hashes per second that the blocks of ${span === 1 ? 'the day' : `the last ${span} days`} are expected to have taken.`,
      scale: 'log',
    }),
  ),
  {
    id: 'hash_ribbon',
    name: 'Hash ribbon',
    unit: 'ratio',
    formula: 'hash_rate_30d / hash_rate_60d',
    description: 'Hash rate of 30 days over that of 60 days. Below 1 miners are switching off.',
    source: 'Charles Edwards (Capriole Investments), 2019',
  },
  ...ribbonDays.map(
    (span): MetricRow => ({
      id: `difficulty_sma_${span}`,
      name: `Difficulty ribbon, ${span} days`,
      unit: 'difficulty',
      formula: `sma(difficulty, ${span})`,
      description: `Mean difficulty of the last ${span} days, one line of the difficulty ribbon.`,
      source: 'Willy Woo, 2019',
      scale: 'log',
    }),
  ),
  {
    id: 'difficulty_ribbon_mean',
    name: 'Difficulty ribbon, mean',
    unit: 'difficulty',
    formula: `(${ribbon((line) => line)}) / ${ribbonDays.length}`,
    description: 'Mean of the eight lines of the difficulty ribbon.',
    scale: 'log',
  },
  {
    id: 'difficulty_ribbon_compression',
    name: 'Difficulty ribbon compression',
    unit: 'ratio',
    formula: `sqrt((${ribbon((line) => `(${line} - difficulty_ribbon_mean)^2`)}) / ${ribbonDays.length}) / difficulty_ribbon_mean`,
    description:
      'Standard deviation of the lines of the difficulty ribbon over their mean. It is small when weak miners give up.',
    variant: 'The population deviation of eight lines, as Glassnode computes it.',
    source: 'Glassnode, 2019',
  },
  {
    id: 'hash_price',
    name: 'Hash price',
    unit: 'USD per PH/s per day',
    formula: 'miner_revenue_usd / (hash_rate_1d / 10^15)',
    description: 'What a petahash per second earned during the day.',
    scale: 'log',
  },
  {
    id: 'bitcoin_yardstick',
    name: 'Bitcoin yardstick',
    unit: 'ratio',
    formula: 'zscore(market_cap / hash_rate_30d, 730)',
    description:
      'Market cap per hash rate, in standard deviations from its mean of two years. Low values mean that bitcoin is cheap for the work behind it.',
    source: 'Charles Edwards (Capriole Investments), 2022',
  },
]
