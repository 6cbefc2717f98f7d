import type { Unit } from '../units.ts'
import {
  date,
  flag,
  large,
  number,
  numberOrNull,
  ordinal,
  orNull,
  sats,
  small,
  text,
  timestamp,
  whole,
} from './column.ts'
import { table } from './table.ts'

/** Decided by the transaction alone; coinbases never count. */
export const transactionCounts = {
  version_1_transactions: 'Transactions of version 1, without coinbases, as in all counts by rule.',
  version_2_transactions: 'Transactions of version 2, which may have relative lock times (BIP68).',
  version_3_transactions: 'Transactions of version 3, which nodes relay by other rules (TRUC, BIP431).',
  locked_transactions: 'Transactions with a lock time other than 0.',
  replaceable_transactions:
    'Transactions that signal replaceability (BIP125): an input has a sequence number below 0xfffffffe.',
  segwit_transactions: 'Transactions with a witness.',
  taproot_transactions: 'Transactions that spend a Taproot output.',
  one_to_one_transactions: 'Transactions with one input and one output.',
  consolidation_transactions: 'Transactions with five inputs or more for each output.',
  batch_transactions: 'Transactions with five outputs or more for each input.',
  coinjoin_like_transactions:
    'Transactions with five inputs and five spendable outputs or more, whose spendable outputs have at most half as many different values, neither consolidation nor batch.',
  inscription_transactions:
    'Transactions that spend by a Taproot script with an envelope of ord: OP_FALSE OP_IF "ord" among its first eight opcodes.',
  runestone_transactions: 'Transactions with a runestone: an output whose script begins with OP_RETURN OP_13.',
  op_return_transactions: 'Transactions with an OP_RETURN output.',
  several_op_return_transactions: 'Transactions with two OP_RETURN outputs or more.',
} as const

/** Coinbases included. */
const outputCounts = {
  dust_outputs:
    "Of the spendable outputs, those below Bitcoin Core's default dust limit, such as 546 satoshis for P2PKH and 294 for P2WPKH.",
  large_op_return_outputs: 'Of the OP_RETURN outputs, those with a script above 83 bytes.',
  omni_outputs: 'Of the OP_RETURN outputs, those of Omni: their data begin with "omni".',
} as const

const opReturnBytes = 'Bytes of the scripts of OP_RETURN outputs.'
const adjustedSats =
  'Value of the outputs of transactions without change, for which the largest output of each transaction with two outputs or more is taken; without coinbases.'

const columnsFor = <const Name extends string, Made>(
  descriptions: Readonly<Record<Name, string>>,
  create: (description: string) => Made,
): Record<Name, Made> => {
  const entries = Object.entries<string>(descriptions).map(([name, description]) => [name, create(description)])
  return Object.fromEntries(entries) as Record<Name, Made>
}

export const quantileShares = {
  p10: 'a tenth',
  p25: 'a quarter',
  median: 'half',
  p75: 'three quarters',
  p90: 'nine tenths',
} as const

/** `…_p10` to `…_p90`. */
const quantiles = <const Prefix extends string, const Of extends Exclude<Unit, 'sats'>>(
  prefix: Prefix,
  unit: Of,
  what: string,
  none: string,
  error = ', within 3 %',
) =>
  columnsFor(
    Object.fromEntries(
      Object.entries(quantileShares).map(([name, share], i) => [
        `${prefix}_${name}`,
        `The ${what} that ${share} of them did not exceed${error}; NULL ${i === 0 ? none : 'likewise'}.`,
      ]),
    ) as Record<`${Prefix}_${keyof typeof quantileShares}`, string>,
    (description) => numberOrNull(unit, description),
  )

const withoutTransactions = 'without any transaction but coinbases'

const unspendable = 'that can never be spent: OP_RETURN, scripts above 10,000 bytes, and the output of the first block'

export const blocks = table({
  name: 'blocks',
  rowFor: 'block',
  holds: 'time, difficulty, size, transactions, outputs by kind, fees, issuance',
  key: ['height'],
  columns: {
    height: ordinal('Height; the first block of the chain has height 0.'),
    hash: text('Hash in the order in which it is usually shown, 64 hexadecimal digits.'),
    time: timestamp('Time in the header, UTC. Headers may be up to two hours off, and out of order.'),
    date: date('Day that the block counts to: that of the latest header time up to this block, so that days ascend.'),
    bits: ordinal('Compact form of the target, as in the header.'),
    difficulty: number('difficulty', 'How many times harder than at the start it was to find the block.'),
    work: number('hashes', 'Number of hashes that the block is expected to have taken.'),
    size: small('bytes', 'Size with witness data.'),
    weight: small(
      'weight units',
      'Weight by BIP 141: four times the size without witness data, plus the witness data.',
    ),
    transactions: small('count', 'Transactions, the coinbase included.'),
    inputs: small('count', 'Outputs spent by the block; the coinbase spends none.'),
    outputs: small('count', 'Outputs created by the block.'),
    unspendable_outputs: small('count', `Of these, outputs ${unspendable}.`),
    op_return_outputs: small('count', 'Of the outputs, those that only carry data (OP_RETURN).'),
    segwit_outputs: small('count', 'Of the outputs, those to witness programs of version 0.'),
    taproot_outputs: small('count', 'Of the outputs, those to witness programs of version 1 with 32 bytes.'),
    coinbase_sats: sats('What the coinbase paid out.'),
    fees_sats: sats('Fees of the transactions.'),
    issuance_sats: sats('New coins: what the coinbase claimed beyond the fees.'),
    unspendable_sats: sats('Value of the outputs that can never be spent.'),
    spent_sats: sats('Value of the outputs spent by the block.'),
    supply_sats: sats('Spendable supply after the block.'),
    ...columnsFor(transactionCounts, (description) => small('count', description)),
    ...columnsFor(outputCounts, (description) => small('count', description)),
    op_return_bytes: small('bytes', opReturnBytes),
    adjusted_sats: sats(adjustedSats),
    fee_rate_min: numberOrNull('sats per vbyte', `Lowest fee rate of a transaction; NULL ${withoutTransactions}.`),
    ...quantiles('fee_rate', 'sats per vbyte', 'fee rate of transactions', withoutTransactions, ''),
    fee_rate_max: numberOrNull('sats per vbyte', `Highest fee rate of a transaction; NULL ${withoutTransactions}.`),
    pool: orNull(
      text(
        'Mining pool, as in `pools`: the first that the coinbase pays, else the first whose tag it has; NULL if it is not known. Pools name themselves.',
      ),
    ),
  },
})

export const poolDays = table({
  name: 'pool_days',
  rowFor: 'day, mining pool with a block on it',
  holds: 'its blocks, and what their coinbases paid out',
  key: ['date', 'pool'],
  columns: {
    date: date('Day, UTC. Only closed days have rows.'),
    pool: text('Mining pool, as in `pools`.'),
    blocks: small('count', 'Blocks of the pool.'),
    fees_sats: sats('Fees of their transactions.'),
    coinbase_sats: sats('What their coinbases paid out, fees included.'),
  },
})

const addressGroups = {
  active: 'that received or spent',
  sending: 'that spent',
  receiving: 'that received',
} as const
const addressSpans = {
  '': 'on the day',
  _7d: 'in seven days',
  _month: 'since the first of the month',
} as const

const activityColumns = columnsFor(
  Object.fromEntries(
    Object.entries(addressGroups).flatMap(([group, what]) =>
      Object.entries(addressSpans).map(([span, when]) => [`${group}${span}`, `Distinct addresses ${what}, ${when}.`]),
    ),
  ) as Record<`${keyof typeof addressGroups}${keyof typeof addressSpans}`, string>,
  (description) => orNull(small('count', description)),
)

export const addressDays = table({
  name: 'address_days',
  rowFor: 'day',
  holds: 'its active addresses, each counted once; NULL with `ADDRESSES=off`',
  key: ['date'],
  columns: { date: date('Day, UTC. Only closed days have rows.'), ...activityColumns },
})

export const addressBalances = table({
  name: 'address_balances',
  rowFor: 'day, measure',
  holds: 'number and holdings of addresses by what they hold, with the error of each estimate; see docs/addresses.md',
  key: ['date', 'measure'],
  columns: {
    date: date('Day, UTC. Only closed days have rows; none have with `ADDRESSES=off`.'),
    measure: text('What is measured, such as `over_1`: addresses with 1 BTC or more.'),
    value: numberOrNull('count', 'The estimate; NULL while its error is above a fifth, until it is below a tenth.'),
    low: numberOrNull('count', 'Lower bound of its 95 % interval, the value itself if all addresses are counted.'),
    high: numberOrNull('count', 'Upper bound of its 95 % interval.'),
  },
})

export const labelDays = table({
  name: 'label_days',
  rowFor: 'day, label',
  holds: 'what the addresses of each label hold, from the lists of the operator; see docs/addresses.md',
  key: ['date', 'label'],
  setting: 'PUBLISH_LABELS',
  columns: {
    date: date(
      'Day, UTC. A label has rows from the day on which its first address received coins; if none did, one of zeros on the last day.',
    ),
    label: text('Name of the label in the lists.'),
    addresses: whole('count', 'Its addresses that hold coins after the last block of the day.'),
    balance_sats: sats('What they hold.'),
    received_sats: sats('Value that they received on the day, also from each other and as change.'),
    spent_sats: sats('Value that they spent on the day.'),
    realized_cap: numberOrNull(
      'USD',
      'Their coins at the close of the day on which each was created; NULL without prices.',
    ),
    coin_days: number(
      'coin-days',
      'BTC times age in whole days of what they hold; divided by the balance, its mean age.',
    ),
    coin_days_destroyed: number('coin-days', 'BTC times age in whole days of what they spent on the day.'),
  },
})

export const days = table({
  name: 'days',
  rowFor: 'day',
  holds:
    'the sums of its blocks, supply and UTXO count after the last of them, median fee (BTC) and age of spent outputs (days)',
  key: ['date'],
  columns: {
    date: date('Day, UTC. Only closed days have a row.'),
    market_age_days: whole('days', 'Days since 2009-01-03, that day included.'),
    block_height: ordinal('Height of the last block up to the end of the day.'),
    blocks_mined: small('count', 'Blocks of the day.'),
    size: whole('bytes', 'Size of the blocks with witness data.'),
    weight: whole('weight units', 'Weight of the blocks.'),
    transactions: whole('count', 'Transactions, coinbases included.'),
    inputs: whole('count', 'Outputs spent by the blocks.'),
    outputs: whole('count', 'Outputs created by the blocks.'),
    unspendable_outputs: whole('count', `Of these, outputs ${unspendable}.`),
    op_return_outputs: whole('count', 'Of the outputs, those that only carry data (OP_RETURN).'),
    segwit_outputs: whole('count', 'Of the outputs, those to witness programs of version 0.'),
    taproot_outputs: whole('count', 'Of the outputs, those to witness programs of version 1 with 32 bytes.'),
    coinbase_sats: sats('What the coinbases paid out.'),
    fees_sats: sats('Fees of the transactions.'),
    issuance_sats: sats('New coins: what the coinbases claimed beyond the fees.'),
    unspendable_sats: sats('Value of the outputs that can never be spent.'),
    created_sats: sats('Spendable value that the blocks created.'),
    created_outputs: whole('count', 'Spendable outputs that the blocks created.'),
    spent_sats: sats('Value of the outputs that the blocks spent.'),
    work: number('hashes', 'Number of hashes that the blocks are expected to have taken.'),
    difficulty: number('difficulty', 'Difficulty of the last block up to the end of the day.'),
    median_fee: numberOrNull('BTC', 'Median fee of a transaction, within 3 %; NULL on days without any but coinbases.'),
    median_spent_age: numberOrNull(
      'days',
      'Median age of the outputs spent an hour or more after their creation, within 3 %; NULL if there are none.',
    ),
    average_spent_age: numberOrNull(
      'days',
      'Mean age of the outputs spent an hour or more after their creation; NULL if there are none.',
    ),
    spent_outputs_under_1h: whole('count', 'Outputs spent within an hour of their creation.'),
    median_block_interval: numberOrNull(
      'seconds',
      'Median time from the block before to a block of the day, by their headers; NULL on days without a block.',
    ),
    max_block_interval: numberOrNull(
      'seconds',
      'Longest time from the block before to a block of the day, by their headers; NULL on days without a block.',
    ),
    empty_blocks: small('count', 'Blocks without any transaction but the coinbase.'),
    ...columnsFor(transactionCounts, (description) => whole('count', description)),
    ...columnsFor(outputCounts, (description) => whole('count', description)),
    op_return_bytes: whole('bytes', opReturnBytes),
    adjusted_sats: sats(adjustedSats),
    fee_p10: numberOrNull(
      'BTC',
      'Fee that a tenth of the transactions did not exceed, within 3 %; NULL as `median_fee`.',
    ),
    fee_p25: numberOrNull('BTC', 'The same for a quarter; `median_fee` for half.'),
    fee_p75: numberOrNull('BTC', 'The same for three quarters.'),
    fee_p90: numberOrNull('BTC', 'The same for nine tenths.'),
    ...quantiles('fee_rate', 'sats per vbyte', 'fee rate of transactions', withoutTransactions),
    ...quantiles('created_value', 'BTC', 'value of spendable outputs created', 'on days without any'),
    ...quantiles('spent_value', 'BTC', 'value of outputs spent', 'on days without any'),
    ...quantiles('transfer_value', 'BTC', 'value of all outputs of a transaction', withoutTransactions),
    supply_sats: sats('Spendable supply after the last block, as in the gettxoutsetinfo of Bitcoin Core.'),
    utxo_count: whole('count', 'Unspent outputs (UTXOs) after the last block.'),
  },
})

const daysOfSpend = {
  date: date('Day on which outputs were spent, UTC.'),
  created_date: date('Day on which they had been created, UTC.'),
}

export const flows = table({
  name: 'flows',
  rowFor: 'day of spending, day of creation',
  holds: 'how much was spent, and its sat-seconds',
  key: ['date', 'created_date'],
  columns: {
    ...daysOfSpend,
    spent_sats: sats('Value spent on that day of what was created on that day.'),
    spent_outputs: whole('count', 'Number of these outputs.'),
    spent_sat_seconds: large('sat-seconds', 'Value times age in seconds, of each of these outputs, exactly.'),
    spent_output_seconds: whole('output-seconds', 'Sum of the ages of these outputs in seconds.'),
  },
})

export const youngSpends = table({
  name: 'young_spends',
  rowFor: 'day of spending, day of creation (that day or the one before)',
  holds: 'of the flows, the parts younger than an hour, and than 24 hours',
  key: ['date', 'created_date'],
  columns: {
    ...daysOfSpend,
    spent_sats_under_1h: sats('Of the flow, value spent less than an hour after its creation.'),
    spent_outputs_under_1h: whole('count', 'Number of these outputs.'),
    spent_sat_seconds_under_1h: large('sat-seconds', 'Value times age of these outputs.'),
    spent_output_seconds_under_1h: whole('output-seconds', 'Sum of the ages of these outputs.'),
    spent_sats_under_24h: sats('Of the flow, value spent less than 24 hours after its creation.'),
    spent_outputs_under_24h: whole('count', 'Number of these outputs.'),
    spent_sat_seconds_under_24h: large('sat-seconds', 'Value times age of these outputs.'),
    spent_output_seconds_under_24h: whole('output-seconds', 'Sum of the ages of these outputs.'),
  },
})

const nullIfElsewhere = 'NULL where another row of the same two days has it'

export const fineFlows = table({
  name: 'fine_flows',
  rowFor: 'day or hour of spending, day or hour of creation, and age',
  holds: 'the flows as fine as they are known, coins of the day and of the day before by the hour',
  key: ['date', 'created_date', 'span', 'time', 'created_time', 'age_hours'],
  setting: 'PUBLISH_FINE',
  columns: {
    ...daysOfSpend,
    span: text(
      'What the row is of: `hour` for the spends of an hour from another hour, `day` for what is only known of both days.',
    ),
    time: timestamp('Beginning of the hour of spending, or of the day, UTC.'),
    created_time: timestamp('Beginning of the hour of creation, or of the day, UTC.'),
    age_hours: ordinal(
      'Least age of these outputs in hours: 0 stands for less than one hour, 1 for one to 24, 24 for 24 and more.',
    ),
    spent_sats: orNull(sats(`Value spent; ${nullIfElsewhere}. Each part of the flow stands in one row.`)),
    spent_outputs: orNull(whole('count', `Number of these outputs; ${nullIfElsewhere}.`)),
    spent_sat_seconds: orNull(
      large('sat-seconds', `Value times age in seconds, of each of them, exactly; ${nullIfElsewhere}.`),
    ),
    spent_output_seconds: orNull(whole('output-seconds', `Sum of their ages in seconds; ${nullIfElsewhere}.`)),
  },
})

const kindColumn = ordinal('Kind of the outputs: script type, size and origin, which the table `kinds` tells.')

export const kinds = table({
  name: 'kinds',
  rowFor: 'kind of outputs',
  holds: 'script type, least and greatest value, and whether a coinbase created them',
  key: ['kind'],
  columns: {
    kind: ordinal('Number of the kind.'),
    mined: flag('Whether coinbases created the outputs.'),
    script_type: text(
      'Form of the script, as Bitcoin Core tells them apart. `witness_other` are witness programs without a rule yet, `unspendable` scripts above 10,000 bytes and the output of the first block.',
    ),
    spendable: flag('Whether the outputs can ever be spent, and so are part of the supply.'),
    min_sats: sats('Least value of an output.'),
    max_sats: orNull(sats('Greatest value of an output; NULL for the last size.')),
  },
})

export const kindFlows = table({
  name: 'kind_flows',
  rowFor: 'day of spending, day of creation, kind',
  holds: 'the flows by kind of output',
  key: ['date', 'created_date', 'kind'],
  columns: {
    ...daysOfSpend,
    kind: kindColumn,
    spent_sats: sats('Value spent on that day of what was created on that day, of this kind.'),
    spent_outputs: small('count', 'Number of these outputs.'),
  },
})

export const createdKinds = table({
  name: 'created_kinds',
  rowFor: 'day, kind',
  holds: 'the outputs that the blocks created, by kind',
  key: ['date', 'kind'],
  columns: {
    date: date('Day on which outputs were created, UTC.'),
    kind: kindColumn,
    created_sats: sats('Value created.'),
    created_outputs: small('count', 'Number of these outputs.'),
  },
})

export const overwritten = table({
  name: 'overwritten',
  rowFor: 'coinbase that a later one overwrote (two on mainnet)',
  holds: 'value and outputs that left the supply unspent',
  key: ['date', 'created_date'],
  sortedBy: ['date'],
  columns: {
    date: date('Day of the later coinbase, which has the same transaction id, UTC.'),
    created_date: date('Day of the coinbase that it overwrote, UTC.'),
    sats: sats('Value that left the supply.'),
    outputs: whole('count', 'Outputs that left it.'),
    kind: kindColumn,
  },
})
