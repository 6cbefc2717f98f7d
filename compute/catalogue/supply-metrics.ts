import { ages, btc, count, inDays, logBtc, logRatio, type MetricRow, percent } from './definition.ts'

/** Supply and age of coins. `maximum`: BTC that will ever be issued. */
export const supplyMetrics = (maximum: number): readonly MetricRow[] => [
  btc('issued_supply', 'Issued supply', 'cumsum(issuance)', {
    description: 'All coins that miners ever claimed, those that can never be spent among them.',
    style: 'area',
  }),
  btc('unspendable_supply', 'Unspendable supply', 'issued_supply - circulating_supply', {
    description:
      'Issued coins that can provably never be spent: the first block reward, OP_RETURN outputs, oversized scripts and overwritten coinbases.',
    style: 'area',
  }),
  btc('supply_remaining', 'Supply still to be issued', `${maximum} - issued_supply`, {
    description:
      'The part of the nearly 21 million coins of the subsidy schedule that is not issued yet. What miners did not claim counts as not issued, although nobody can claim it any more.',
    style: 'area',
  }),
  percent('supply_issued_percent', 'Share of supply issued', `100 * issued_supply / ${maximum}`, {
    description: 'Issued supply as a share of all coins that the subsidy schedule allows.',
  }),
  logRatio('lth_sth_supply_ratio', 'LTH to STH supply', 'lth_supply / sth_supply', {
    description: 'Supply of long-term holders over that of short-term holders.',
  }),
  inDays('mean_coin_age', 'Mean coin age', ages('mean_age'), {
    description: 'Average age of the unspent coins, weighted by value, in whole days.',
  }),
  inDays('median_coin_age', 'Median coin age', ages('median_age'), {
    whole: true,
    description: 'The age that half of the supply does not exceed, in whole days.',
  }),
  inDays('mean_dollar_age', 'Mean dollar invested age', ages('mean_dollar_age'), {
    description:
      'Average age of the dollars in the realized cap: of the unspent coins, weighted by what they cost. It falls while old holdings are sold.',
    source: 'Santiment, 2019',
  }),
  count('utxo_count_change_30d', 'UTXO count change over 30 days', 'diff(utxo_count, 30)', {
    whole: true,
    description: 'Number of unspent outputs minus what it was 30 days before.',
    style: 'bar',
  }),
  logBtc('utxo_mean_value', 'Mean value of a UTXO', 'circulating_supply / utxo_count', {
    dimension: 'BTC per output',
    description: 'Circulating supply per unspent output.',
  }),
]
