import { satsPerCoin } from '#base/bitcoin.ts'
import { secondsPerDay } from '#base/days.ts'
import { btc, count, days, inUnit, logBtc, logUsd, type MetricRow, percent, ratio, usdFlow } from './definition.ts'
import { mining } from './mining.ts'
import { pools } from './pools.ts'
import { transactions } from './transactions-metrics.ts'

export const blockchain: readonly MetricRow[] = [
  count('block_height', 'Block height', days('block_height', 'level'), {
    description: 'Height of the last block of the day; the first block of the chain has height 0.',
  }),
  count('blocks_mined', 'Blocks mined', days('blocks_mined', 'flow'), {
    description: 'Number of blocks of the day. 144 are expected.',
  }),
  inUnit('seconds')('block_interval', 'Block interval', `${secondsPerDay} / blocks_mined`, {
    description: 'Mean time between two blocks of the day. 600 seconds are expected.',
  }),
  inUnit('seconds')('block_interval_median', 'Median block interval', days('median_block_interval', 'rate'), {
    description: 'Median time between a block of the day and the block before it, by the times in their headers.',
    variant: 'Times in headers are not exact, and may be earlier than that of the block before.',
  }),
  count('tx_count', 'Transactions', 'tx_count_with_coinbase - blocks_mined', {
    whole: true,
    description: 'Number of transactions in the blocks of the day, without coinbases.',
    variant: 'Only payments, as vendors count them; `tx_count_with_coinbase` also has the one coinbase of each block.',
  }),
  count('tx_count_with_coinbase', 'Transactions with coinbases', days('transactions', 'flow'), {
    description: 'Number of transactions in the blocks of the day, including coinbases.',
    related: ['tx_count'],
  }),
  ratio('tx_per_second', 'Transactions per second', `tx_count / ${secondsPerDay}`, {
    description: 'Transactions of the day per second, without coinbases.',
  }),
  count('cumulative_tx_count', 'Cumulative transactions', 'cumsum(tx_count)', {
    whole: true,
    description: 'Number of all transactions up to the day, without coinbases.',
    style: 'area',
  }),
  count('outputs', 'Outputs', days('outputs', 'flow'), {
    description: 'Number of outputs created by the transactions of the day.',
  }),
  ratio('inputs_per_tx', 'Inputs per transaction', 'spent_outputs / tx_count', {
    description: 'Mean number of inputs of a transaction, without coinbases.',
  }),
  ratio('outputs_per_tx', 'Outputs per transaction', 'outputs / tx_count_with_coinbase', {
    description: 'Mean number of outputs of a transaction, coinbases included, since they have outputs, too.',
  }),
  inUnit('bytes')('size', 'Size of blocks', days('size', 'flow'), {
    description: 'Bytes of all blocks of the day, witnesses included.',
  }),
  inUnit('weight units')('weight', 'Weight of blocks', days('weight', 'flow'), {
    description:
      'Weight of all blocks of the day. A block may weigh 4 million units; bytes outside of witnesses count four times.',
  }),
  inUnit('bytes')('block_size_mean', 'Mean block size', 'size / blocks_mined', {
    dimension: 'bytes per block',
    description: 'Mean size of a block.',
  }),
  percent('block_fullness_percent', 'Fullness of blocks', '100 * weight / (4000000 * blocks_mined)', {
    description: 'Weight of the blocks as a share of the 4 million units that each may have.',
  }),
  inUnit('bytes')('tx_size_mean', 'Mean transaction size', 'size / tx_count_with_coinbase', {
    dimension: 'bytes per transaction',
    description: 'Bytes of blocks per transaction, coinbases included.',
  }),
  inUnit('bytes')('chain_size', 'Chain size', 'cumsum(size)', {
    whole: true,
    description: 'Bytes of all blocks up to the day.',
    style: 'area',
  }),
  count('op_return_outputs', 'OP_RETURN outputs', days('op_return_outputs', 'flow'), {
    description: 'Number of outputs of the day that begin with OP_RETURN: they carry data and can never be spent.',
  }),
  ...(
    [
      ['op_return', 'OP_RETURN'],
      ['segwit', 'Segwit version 0'],
      ['taproot', 'Taproot'],
    ] as const
  ).map(([id, name]) =>
    percent(`${id}_outputs_percent`, `Share of ${name} outputs`, `100 * ${id}_outputs / outputs`, {
      description: `Share of ${name} outputs in all outputs created during the day.`,
    }),
  ),
  percent(
    'segwit_spent_outputs_percent',
    'Share of segwit spent outputs',
    '100 * (spent_outputs_p2wpkh + spent_outputs_p2wsh) / spent_outputs',
    {
      description:
        'Share of version 0 witness outputs, to key hashes and script hashes, in all outputs spent during the day.',
    },
  ),
  percent(
    'taproot_spent_outputs_percent',
    'Share of taproot spent outputs',
    '100 * spent_outputs_p2tr / spent_outputs',
    {
      description: 'Share of Taproot outputs in all outputs spent during the day.',
    },
  ),
  count('segwit_outputs', 'Segwit outputs, version 0', days('segwit_outputs', 'flow'), {
    description:
      'Number of outputs of the day that pay to a version 0 witness program, a key hash or a script hash. Taproot, version 1, is counted separately.',
  }),
  count('taproot_outputs', 'Taproot outputs', days('taproot_outputs', 'flow'), {
    description: 'Number of outputs of the day that pay to Taproot.',
  }),
  inUnit('sats')('fees_sats', 'Fees in satoshis', days('fees_sats', 'flow'), {
    description: 'Fees of all transactions of the day, as an exact number of satoshis.',
  }),
  btc('fees', 'Fees', `fees_sats / ${satsPerCoin}`, {
    description: 'Fees of all transactions of the day.',
  }),
  usdFlow('fees_usd', 'Fees in USD', 'fees * price', {
    description: 'Fees of all transactions of the day, at its price.',
  }),
  logBtc('fee_mean', 'Mean fee', 'fees / tx_count', {
    dimension: 'BTC per transaction',
    description: 'Mean fee of a transaction, without coinbases.',
  }),
  logUsd('fee_mean_usd', 'Mean fee in USD', 'fees_usd / tx_count', {
    dimension: 'USD per transaction',
    description: 'Mean fee of a transaction, at the price of the day.',
  }),
  logBtc('fee_median', 'Median fee', days('median_fee', 'rate'), {
    dimension: 'BTC per transaction',
    description: 'The fee that half of the transactions of the day did not exceed, without coinbases.',
    variant: 'Read from a histogram whose bins are at most 1/32 wide, so it can be off by 3 %.',
  }),
  logUsd('fee_median_usd', 'Median fee in USD', 'fee_median * price', {
    dimension: 'USD per transaction',
    description: 'Median fee of a transaction, at the price of the day.',
  }),
  inUnit('sats per vbyte', 'log')('fee_rate_mean', 'Mean fee rate', 'fees_sats / (weight / 4)', {
    description: 'Fees per virtual byte of block space, of which a block has one million.',
  }),
  btc('cumulative_fees', 'Cumulative fees', 'cumsum(fees)', {
    description: 'All fees up to the day.',
    style: 'area',
  }),
  ...transactions,
  ...mining,
  ...pools,
]
