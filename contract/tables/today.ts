import { date, flag, number, numberOrNull, ordinal, orNull, sats, small, text, timestamp, whole } from './column.ts'
import { table } from './table.ts'

export const todayState = {
  date: date('The open day, UTC: that of the newest block.'),
  provisional: flag('Always true: later blocks, prices and reorganisations change the row.'),
  as_of_height: ordinal('Height of the newest block that is counted.'),
  as_of_hash: text('Its hash.'),
  as_of_time: timestamp('Time in its header, UTC.'),
  updated_at: timestamp('When the row was made, UTC.'),
  price_time: orNull(timestamp('Instant of the price, UTC: the end of its hour or day; NULL without a price.')),
  price_source: orNull(text('Sources that made the price, with commas between them; NULL without a price.')),
}

const soFar = (what: string): string => `${what} on the open day so far.`

/** Named as the metrics of closed days. */
export const todayMetrics = {
  price: numberOrNull(
    'USD',
    'Last hourly price, the median of the sources; NULL if there is none since the day began.',
  ),
  blocks_mined: small('count', soFar('Blocks')),
  tx_count: whole('count', soFar('Transactions, without coinbases,')),
  inputs: whole('count', soFar('Outputs spent')),
  outputs: whole('count', soFar('Outputs created')),
  size: whole('bytes', soFar('Size of the blocks with witness data')),
  weight: whole('weight units', soFar('Weight of the blocks')),
  issuance_sats: sats(soFar('New coins')),
  fees_sats: sats(soFar('Fees')),
  fee_median: numberOrNull('BTC', 'Median fee of a transaction; NULL while there are none but coinbases.'),
  difficulty: number('difficulty', 'Difficulty of the newest block.'),
  transfer_volume: number('BTC', soFar('Value of the outputs spent')),
  transfer_volume_usd: numberOrNull('USD', 'The same at the price; NULL without one.'),
  spent_outputs: whole('count', soFar('Number of outputs spent')),
  coindays_destroyed: number('coin-days', soFar('Value times age of the outputs spent')),
  dormancy: numberOrNull('days', 'Mean age of the coins spent so far; NULL while there are none.'),
  supply_sats: sats('Spendable supply after the newest block, as in the gettxoutsetinfo of Bitcoin Core.'),
  circulating_supply: number('BTC', 'The same in bitcoin.'),
  utxo_count: whole('count', 'Unspent outputs (UTXOs) after the newest block.'),
  lth_supply: number('BTC', 'Of the supply, coins aged 155 days or more.'),
  sth_supply: number('BTC', 'Of the supply, younger coins.'),
  market_cap: numberOrNull('USD', 'Supply at the price; NULL without one.'),
  realized_cap: numberOrNull(
    'USD',
    'Supply, each coin at the price at which it last moved; NULL if that is not known.',
  ),
  realized_price: numberOrNull('USD', 'Mean cost of a coin; NULL likewise.'),
  mvrv: numberOrNull('ratio', 'Market cap over realized cap; NULL without both.'),
  lth_realized_price: numberOrNull('USD', 'Mean cost of a coin aged 155 days or more; NULL if it is not known.'),
  sth_realized_price: numberOrNull('USD', 'Mean cost of a younger coin; NULL if it is not known.'),
  lth_mvrv: numberOrNull('ratio', 'MVRV of the coins aged 155 days or more; NULL if it is not known.'),
  sth_mvrv: numberOrNull('ratio', 'MVRV of younger coins; NULL if it is not known.'),
  supply_in_profit: numberOrNull('BTC', 'Coins that cost less than the price; NULL without one.'),
  supply_in_loss: numberOrNull('BTC', 'Coins that cost more than the price; NULL without one.'),
  supply_in_profit_percent: numberOrNull('percent', 'Coins in profit as a share of the supply; NULL without a price.'),
  unrealized_profit: numberOrNull('USD', 'Paper gain of the coins in profit; NULL without a price.'),
  unrealized_loss: numberOrNull('USD', 'Paper loss of the coins in loss; NULL without a price.'),
  nupl: numberOrNull('ratio', 'Paper gain minus paper loss, divided by the market cap; NULL without a price.'),
  realized_profit: numberOrNull('USD', 'Gain on the coins spent so far, at the price; NULL without one.'),
  realized_loss: numberOrNull('USD', 'Loss on the coins spent so far, at the price; NULL without one.'),
  sopr: numberOrNull('ratio', 'Value of the coins spent so far over what they had cost; NULL without both.'),
  asopr: numberOrNull('ratio', 'The same without outputs that were spent within an hour; NULL without both.'),
}

/** Belongs to no generation. */
export const today = table({
  name: 'today',
  rowFor: 'open day (there is one)',
  holds: 'the sums of its blocks so far and the valuation at the last hourly price, while the node is followed',
  key: ['date'],
  columns: { ...todayState, ...todayMetrics },
})
