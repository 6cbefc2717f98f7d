import { satsPerCoin } from '#base/bitcoin.ts'
import { secondsPerDay } from '#base/days.ts'
import { btc, days, logBtc, logUsd, type MetricRow, percent, ratio, usd } from './definition.ts'
import { mining } from './mining.ts'

export const blockchain: readonly MetricRow[] = [
  {
    id: 'block_height',
    name: 'Block height',
    unit: 'count',
    ...days('block_height', 'level'),
    description: 'Height of the last block of the day; the first block of the chain has height 0.',
  },
  {
    id: 'blocks_mined',
    name: 'Blocks mined',
    unit: 'count',
    ...days('blocks_mined', 'flow'),
    description: 'Number of blocks of the day. 144 are expected.',
  },
  {
    id: 'block_interval',
    name: 'Block interval',
    unit: 'seconds',
    formula: `${secondsPerDay} / blocks_mined`,
    description: 'Mean time between two blocks of the day. 600 seconds are expected.',
  },
  {
    id: 'tx_count',
    name: 'Transactions',
    unit: 'count',
    formula: 'tx_count_with_coinbase - blocks_mined',
    whole: true,
    description: 'Number of transactions in the blocks of the day, without coinbases.',
    variant: 'Only payments, as vendors count them; `tx_count_with_coinbase` also has the one coinbase of each block.',
  },
  {
    id: 'tx_count_with_coinbase',
    name: 'Transactions with coinbases',
    unit: 'count',
    ...days('transactions', 'flow'),
    description: 'Number of transactions in the blocks of the day, including coinbases.',
    related: ['tx_count'],
  },
  ratio('tx_per_second', 'Transactions per second', `tx_count / ${secondsPerDay}`, {
    description: 'Transactions of the day per second, without coinbases.',
  }),
  {
    id: 'cumulative_tx_count',
    name: 'Cumulative transactions',
    unit: 'count',
    formula: 'cumsum(tx_count)',
    whole: true,
    description: 'Number of all transactions up to the day, without coinbases.',
    style: 'area',
  },
  {
    id: 'inputs',
    name: 'Inputs',
    unit: 'count',
    ...days('inputs', 'flow'),
    description: 'Number of outputs spent by the transactions of the day.',
  },
  {
    id: 'outputs',
    name: 'Outputs',
    unit: 'count',
    ...days('outputs', 'flow'),
    description: 'Number of outputs created by the transactions of the day.',
  },
  ratio('inputs_per_tx', 'Inputs per transaction', 'inputs / tx_count', {
    description: 'Mean number of inputs of a transaction, without coinbases.',
  }),
  ratio('outputs_per_tx', 'Outputs per transaction', 'outputs / tx_count_with_coinbase', {
    description: 'Mean number of outputs of a transaction, coinbases included, since they have outputs, too.',
  }),
  {
    id: 'size',
    name: 'Size of blocks',
    unit: 'bytes',
    ...days('size', 'flow'),
    description: 'Bytes of all blocks of the day, witnesses included.',
  },
  {
    id: 'weight',
    name: 'Weight of blocks',
    unit: 'weight units',
    ...days('weight', 'flow'),
    description:
      'Weight of all blocks of the day. A block may weigh 4 million units; bytes outside of witnesses count four times.',
  },
  {
    id: 'block_size_mean',
    name: 'Mean block size',
    unit: 'bytes',
    dimension: 'bytes per block',
    formula: 'size / blocks_mined',
    description: 'Mean size of a block.',
  },
  percent('block_fullness_percent', 'Fullness of blocks', '100 * weight / (4000000 * blocks_mined)', {
    description: 'Weight of the blocks as a share of the 4 million units that each may have.',
  }),
  {
    id: 'tx_size_mean',
    name: 'Mean transaction size',
    unit: 'bytes',
    dimension: 'bytes per transaction',
    formula: 'size / tx_count_with_coinbase',
    description: 'Bytes of blocks per transaction, coinbases included.',
  },
  {
    id: 'chain_size',
    name: 'Chain size',
    unit: 'bytes',
    formula: 'cumsum(size)',
    whole: true,
    description: 'Bytes of all blocks up to the day.',
    style: 'area',
  },
  {
    id: 'op_return_outputs',
    name: 'OP_RETURN outputs',
    unit: 'count',
    ...days('op_return_outputs', 'flow'),
    description: 'Number of outputs of the day that begin with OP_RETURN: they carry data and can never be spent.',
  },
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
  {
    id: 'segwit_outputs',
    name: 'Segwit outputs, version 0',
    unit: 'count',
    ...days('segwit_outputs', 'flow'),
    description:
      'Number of outputs of the day that pay to a version 0 witness program, a key hash or a script hash. Taproot, version 1, is counted separately.',
  },
  {
    id: 'taproot_outputs',
    name: 'Taproot outputs',
    unit: 'count',
    ...days('taproot_outputs', 'flow'),
    description: 'Number of outputs of the day that pay to Taproot.',
  },
  {
    id: 'fees_sats',
    name: 'Fees in satoshis',
    unit: 'sats',
    ...days('fees_sats', 'flow'),
    description: 'Fees of all transactions of the day, as an exact number of satoshis.',
  },
  btc('fees', 'Fees', `fees_sats / ${satsPerCoin}`, {
    description: 'Fees of all transactions of the day.',
  }),
  usd('fees_usd', 'Fees in USD', 'fees * price', {
    description: 'Fees of all transactions of the day, at its price.',
  }),
  logBtc('fee_mean', 'Mean fee', 'fees / tx_count', {
    dimension: 'BTC per transaction',
    description: 'Mean fee of a transaction, without coinbases.',
  }),
  logUsd('fee_mean_usd', 'Mean fee in USD', 'fee_mean * price', {
    dimension: 'USD per transaction',
    description: 'Mean fee of a transaction, at the price of the day.',
  }),
  {
    id: 'fee_median',
    name: 'Median fee',
    unit: 'BTC',
    dimension: 'BTC per transaction',
    ...days('median_fee', 'rate'),
    description: 'The fee that half of the transactions of the day did not exceed, without coinbases.',
    variant: 'Read from a histogram whose bins are at most 1/32 wide, so it can be off by 3 %.',
    scale: 'log',
  },
  logUsd('fee_median_usd', 'Median fee in USD', 'fee_median * price', {
    dimension: 'USD per transaction',
    description: 'Median fee of a transaction, at the price of the day.',
  }),
  {
    id: 'fee_rate_mean',
    name: 'Mean fee rate',
    unit: 'sats per vbyte',
    formula: 'fees_sats / (weight / 4)',
    description: 'Fees per virtual byte of block space, of which a block has one million.',
    scale: 'log',
  },
  btc('cumulative_fees', 'Cumulative fees', 'cumsum(fees)', {
    description: 'All fees up to the day.',
    style: 'area',
  }),
  ...mining,
]
