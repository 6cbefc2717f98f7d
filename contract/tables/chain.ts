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
    unspendable_sats: sats(`Value of outputs ${unspendable}.`),
    spent_sats: sats('Value of the outputs spent by the block.'),
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
    unspendable_sats: sats(`Value of outputs ${unspendable}.`),
    created_sats: sats('Spendable value that the blocks created.'),
    created_outputs: whole('count', 'Spendable outputs that the blocks created.'),
    spent_sats: sats('Value of the outputs that the blocks spent.'),
    work: number('hashes', 'Number of hashes that the blocks are expected to have taken.'),
    difficulty: number('difficulty', 'Difficulty of the last block up to the end of the day.'),
    median_fee: numberOrNull('BTC', 'Median fee of a transaction; NULL on days without any but coinbases.'),
    median_spent_age: numberOrNull('days', 'Median age of the outputs spent; NULL on days without spends.'),
    average_spent_age: numberOrNull(
      'days',
      'Mean age of the outputs spent an hour or more after their creation; NULL if there are none.',
    ),
    spent_outputs_under_1h: whole('count', 'Outputs spent within an hour of their creation.'),
    median_block_interval: numberOrNull(
      'seconds',
      'Median time from the block before to a block of the day, by their headers; NULL on days without a block.',
    ),
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
