import { satsPerCoin } from '#base/bitcoin.ts'
import { quantileShares, transactionCounts } from '#contract/tables/chain.ts'
import { btc, count, days, inUnit, logBtc, type MetricRow, percent, usdFlow } from './definition.ts'

const names: Readonly<Record<keyof typeof transactionCounts, string>> = {
  version_1_transactions: 'Transactions of version 1',
  version_2_transactions: 'Transactions of version 2',
  version_3_transactions: 'Transactions of version 3',
  locked_transactions: 'Transactions with a lock time',
  replaceable_transactions: 'Replaceable transactions (RBF)',
  segwit_transactions: 'Segwit transactions',
  taproot_transactions: 'Taproot transactions',
  one_to_one_transactions: 'Transactions of one input and one output',
  consolidation_transactions: 'Consolidations',
  batch_transactions: 'Batched payments',
  coinjoin_like_transactions: 'CoinJoin-like transactions',
  inscription_transactions: 'Inscriptions',
  runestone_transactions: 'Transactions with a runestone',
  op_return_transactions: 'Transactions with OP_RETURN',
  several_op_return_transactions: 'Transactions with several OP_RETURN outputs',
}

const likeness: Readonly<Partial<Record<keyof typeof transactionCounts, string>>> = {
  coinjoin_like_transactions:
    'A rule by form: other transactions can have it, and a CoinJoin with few participants or unequal outputs does not.',
  consolidation_transactions: 'A rule by form, which does not ask who owns the outputs.',
  batch_transactions: 'A rule by form, which does not ask who owns the outputs.',
  inscription_transactions:
    'Counts transactions that reveal an inscription by the first opcodes of a script. Each may reveal several, and one that hides its envelope further back is missed.',
  replaceable_transactions:
    'Counts what transactions signal. Many nodes replace any transaction since Bitcoin Core 28, whatever it signals.',
}

const isTransactionCount = (id: string): id is keyof typeof transactionCounts => id in transactionCounts

/**
 * Classes of transactions are variants of `tx_count`: the list of measures omits them, as for
 * cohorts.
 */
const counts = Object.keys(transactionCounts)
  .filter(isTransactionCount)
  .flatMap((id): MetricRow[] => [
    count(id, names[id], days(id, 'flow'), {
      endpoint: 'series',
      description: transactionCounts[id],
      ...(likeness[id] ? { variant: likeness[id] } : {}),
    }),
    percent(`${id}_percent`, `${names[id]}, share`, `100 * ${id} / tx_count`, {
      endpoint: 'series',
      description: 'Share in all transactions of the day, without coinbases.',
    }),
  ])

const fromHistogram = 'Read from a histogram, so it can be off by 3 %.'

const shares = Object.entries(quantileShares)

/** Daily quantiles of a quantity; those of `except` exist under another name. */
const quantiles = (
  prefix: 'fee' | 'fee_rate' | 'created_value' | 'spent_value' | 'transfer_value',
  create: typeof logBtc,
  name: string,
  dimension: string,
  what: string,
): MetricRow[] =>
  shares.flatMap(([quantile, share]) => {
    const id = `${prefix}_${quantile as keyof typeof quantileShares}` as const
    if (id === 'fee_median') return []
    const title = quantile === 'median' ? `Median ${name}` : `${capitalize(name)}, ${quantile.slice(1)}th percentile`
    return create(id, title, days(id, 'rate'), {
      ...(quantile === 'median' ? {} : { endpoint: 'series' }),
      dimension,
      description: `The ${what} that ${share} of them did not exceed on the day.`,
      variant: fromHistogram,
    })
  })

const capitalize = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`

export const transactions: readonly MetricRow[] = [
  ...counts,
  ...quantiles('fee', logBtc, 'fee', 'BTC per transaction', 'fee of transactions'),
  ...quantiles('fee_rate', inUnit('sats per vbyte', 'log'), 'fee rate', 'sats per vbyte', 'fee rate of transactions'),
  ...quantiles(
    'created_value',
    logBtc,
    'value of created outputs',
    'BTC per output',
    'value of spendable outputs created',
  ),
  ...quantiles('spent_value', logBtc, 'value of spent outputs', 'BTC per output', 'value of outputs spent'),
  ...quantiles(
    'transfer_value',
    logBtc,
    'value of transfers',
    'BTC per transaction',
    'value of all outputs of transactions',
  ),
  inUnit('sats')('adjusted_sats', 'Change-adjusted volume in satoshis', days('adjusted_sats', 'flow'), {
    endpoint: 'series',
    description: 'Value of the outputs of transactions without change, as an exact number of satoshis.',
    related: ['adjusted_volume'],
  }),
  btc('adjusted_volume', 'Change-adjusted volume', `adjusted_sats / ${satsPerCoin}`, {
    description: 'Value of the outputs of transactions without change.',
    variant:
      'The largest output of each transaction with two outputs or more is taken for change, so it is rather low. Vendors find change by addresses that occur again and by patterns of their own.',
    related: ['spent_volume'],
  }),
  usdFlow('adjusted_volume_usd', 'Change-adjusted volume in USD', 'adjusted_volume * price', {
    description: 'Value of the outputs of transactions without change, at the price of the day.',
  }),
  count('dust_outputs', 'Dust outputs', days('dust_outputs', 'flow'), {
    description:
      "Spendable outputs created below Bitcoin Core's default dust limit, such as 546 satoshis for P2PKH and 294 for P2WPKH.",
    variant: 'By the limit of today for each form of script, on all days.',
  }),
  percent('dust_outputs_percent', 'Share of dust outputs', '100 * dust_outputs / outputs', {
    endpoint: 'series',
    description: 'Share of dust in all outputs created during the day.',
  }),
  inUnit('bytes')('op_return_bytes', 'Bytes of OP_RETURN', days('op_return_bytes', 'flow'), {
    description: 'Bytes of the scripts of OP_RETURN outputs of the day.',
  }),
  inUnit('bytes')('op_return_bytes_mean', 'Mean size of OP_RETURN', 'op_return_bytes / op_return_outputs', {
    endpoint: 'series',
    dimension: 'bytes per output',
    description: 'Mean size of the script of an OP_RETURN output.',
  }),
  count('large_op_return_outputs', 'Large OP_RETURN outputs', days('large_op_return_outputs', 'flow'), {
    description:
      'OP_RETURN outputs of the day with a script above 83 bytes, which Bitcoin Core did not relay by default before version 30.',
  }),
  count('omni_outputs', 'Omni outputs', days('omni_outputs', 'flow'), {
    description: 'OP_RETURN outputs of the day whose data begin with "omni", of the Omni Layer, which carried Tether.',
  }),
  inUnit('seconds')('block_interval_max', 'Longest block interval', days('max_block_interval', 'rate'), {
    aggregate: 'max',
    description: 'Longest time between a block of the day and the block before it, by the times in their headers.',
  }),
  count('empty_blocks', 'Empty blocks', days('empty_blocks', 'flow'), {
    description: 'Blocks of the day without any transaction but the coinbase.',
  }),
  percent('empty_blocks_percent', 'Share of empty blocks', '100 * empty_blocks / blocks_mined', {
    endpoint: 'series',
    description: 'Share of the blocks of the day without any transaction but the coinbase.',
  }),
]
