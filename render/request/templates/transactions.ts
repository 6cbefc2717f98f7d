import type { ChartTemplate } from '../template.ts'
import { orange, teal } from './colors.ts'
import { belowPrice, formula, fromThirdYear } from './parts.ts'

/** Two means of a count a day below the price. */
const activity = (id: string, title: string) =>
  ({
    metrics: [{ id: 'price', y_axis_id: 'upper' }],
    formulas: [
      formula(`sma(${id}, 30)`, '30-day mean', 'count', { y_axis_id: 'lower', color: teal, line_width: 1 }),
      formula(`sma(${id}, 365)`, '365-day mean', 'count', { y_axis_id: 'lower', color: orange, line_width: 2.2 }),
    ],
    y_axes: belowPrice(60, { title }),
  }) satisfies Partial<ChartTemplate>

export const transactionTemplates = {
  fee_rates: {
    title: 'Fee rates of transactions',
    subtitle: 'Satoshis per virtual byte, 7-day means: a tenth of the transactions paid less than the lowest line.',
    formulas: Object.entries({ p90: 'Nine tenths', median: 'Median', p10: 'A tenth' }).map(([quantile, label]) =>
      formula(`sma(fee_rate_${quantile}, 7)`, label, 'sat/vB', { y_axis_id: 'rate' }),
    ),
    y_axes: [{ id: 'rate', side: 'left', scale: 'log', title: 'sat/vB' }],
    ...fromThirdYear,
    labels: 'direct',
  },
  transaction_types: {
    title: 'Features of transactions',
    subtitle: 'Shares of all transactions, 30-day means; one transaction can have several of these.',
    formulas: Object.entries({
      segwit: 'With a witness',
      replaceable: 'Replaceable',
      locked: 'With a lock time',
      taproot: 'Spending Taproot',
    }).map(([id, label]) => formula(`sma(${id}_transactions_percent, 30)`, label, 'percent', { y_axis_id: 'share' })),
    y_axes: [{ id: 'share', side: 'left', format: 'percent', domain_min: 0, title: 'Share of transactions' }],
    labels: 'direct',
  },
  transactions: {
    title: 'Transactions a day',
    subtitle: 'Transactions are not people, since one service can send for many.',
    ...activity('tx_count', 'Transactions a day'),
  },
  output_types: {
    title: 'Outputs by script type',
    subtitle: 'Share of new outputs, 30-day mean; newer types save fees and reveal less about their owners.',
    formulas: [
      formula('sma(segwit_outputs_percent, 30)', 'Segwit 0', '%'),
      formula('sma(taproot_outputs_percent, 30)', 'Taproot', '%'),
      formula('sma(op_return_outputs_percent, 30)', 'Data', '%'),
    ],
    labels: 'direct',
  },
  spent_outputs_by_type: {
    title: 'Spent outputs by script type',
    subtitle: 'What transactions spend, as 30-day means: it follows the types of new outputs by months.',
    formulas: Object.entries({ p2pkh: 'P2PKH', p2sh: 'P2SH', p2wpkh: 'P2WPKH', p2wsh: 'P2WSH', p2tr: 'Taproot' }).map(
      ([id, label]) => formula(`sma(spent_outputs_${id}, 30)`, label, 'count', { style: 'area', y_axis_id: 'outputs' }),
    ),
    stacked: true,
    y_axes: [{ id: 'outputs', side: 'left', title: 'Spent outputs a day' }],
    labels: 'direct',
  },
  script_adoption: {
    title: 'SegWit and Taproot among spent outputs',
    subtitle: 'Shares of spent outputs, as 30-day means.',
    formulas: [
      formula('sma(segwit_spent_outputs_percent, 30)', 'SegWit', 'percent', { y_axis_id: 'share' }),
      formula('sma(taproot_spent_outputs_percent, 30)', 'Taproot', 'percent', { y_axis_id: 'share' }),
    ],
    y_axes: [{ id: 'share', side: 'left', format: 'percent', domain_min: 0, title: 'Share of spent outputs' }],
    start_date: '2017-08-01',
    labels: 'direct',
  },
  active_addresses: {
    title: 'Active addresses',
    subtitle: 'Addresses that received or spent outputs on the day, each counted once; they are not people.',
    ...activity('active_addresses', 'Addresses a day'),
  },
  addresses_by_balance: {
    title: 'Addresses by balance',
    subtitle: 'Addresses with at least so much; bands are 95 % intervals, unless all addresses are counted.',
    metrics: ['0.01', '0.1', '1', '10', '100'].map((bound) => ({
      id: `addresses_over_${bound.replace('.', '_')}_btc`,
      label: `${bound} BTC`,
      y_axis_id: 'addresses',
    })),
    y_axes: [{ id: 'addresses', side: 'left', scale: 'log', title: 'Addresses' }],
    labels: 'direct',
  },
} satisfies Record<string, ChartTemplate>
