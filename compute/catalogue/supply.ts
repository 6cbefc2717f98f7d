import type { Measured, MetricRow } from './definition.ts'
import type { OriginColumn } from './origin.ts'

const ages = (column: OriginColumn<'coin_ages'>): Measured => ({ from: { table: 'coin_ages', column }, kind: 'level' })

/** Supply and age of coins. `maximum` is the supply in BTC that will ever be issued. */
export const supplyMetrics = (maximum: number): readonly MetricRow[] => [
  {
    id: 'issued_supply',
    name: 'Issued supply',
    unit: 'BTC',
    formula: 'cumsum(issuance)',
    description: 'All coins that miners ever claimed, those that can never be spent among them.',
    style: 'area',
  },
  {
    id: 'unspendable_supply',
    name: 'Unspendable supply',
    unit: 'BTC',
    formula: 'issued_supply - circulating_supply',
    description:
      'Issued coins that can provably never be spent: the first block reward, OP_RETURN outputs, oversized scripts and overwritten coinbases.',
    style: 'area',
  },
  {
    id: 'supply_remaining',
    name: 'Supply still to be issued',
    unit: 'BTC',
    formula: `${maximum} - issued_supply`,
    description:
      'The part of the nearly 21 million coins of the subsidy schedule that is not issued yet. What miners did not claim counts as not issued, although nobody can claim it any more.',
    style: 'area',
  },
  {
    id: 'supply_issued_percent',
    name: 'Share of supply issued',
    unit: 'percent',
    formula: `100 * issued_supply / ${maximum}`,
    description: 'Issued supply as a share of all coins that the subsidy schedule allows.',
  },
  {
    id: 'lth_sth_supply_ratio',
    name: 'LTH to STH supply',
    unit: 'ratio',
    formula: 'lth_supply / sth_supply',
    description: 'Supply of long-term holders over that of short-term holders.',
    scale: 'log',
  },
  {
    id: 'mean_coin_age',
    name: 'Mean coin age',
    unit: 'days',
    ...ages('mean_age'),
    description: 'Average age of the unspent coins, weighted by value, in whole days.',
  },
  {
    id: 'median_coin_age',
    name: 'Median coin age',
    unit: 'days',
    ...ages('median_age'),
    whole: true,
    description: 'The age that half of the supply does not exceed, in whole days.',
  },
  {
    id: 'mean_dollar_age',
    name: 'Mean dollar invested age',
    unit: 'days',
    ...ages('mean_dollar_age'),
    description:
      'Average age of the dollars in the realized cap: of the unspent coins, weighted by what they cost. It falls while old holdings are sold.',
    source: 'Santiment, 2019',
  },
  {
    id: 'utxo_count_change_30d',
    name: 'UTXO count change over 30 days',
    unit: 'count',
    formula: 'diff(utxo_count, 30)',
    whole: true,
    description: 'Number of unspent outputs minus what it was 30 days before.',
    style: 'bar',
  },
  {
    id: 'utxo_mean_value',
    name: 'Mean value of a UTXO',
    unit: 'BTC',
    formula: 'circulating_supply / utxo_count',
    description: 'Circulating supply per unspent output.',
    scale: 'log',
  },
]
