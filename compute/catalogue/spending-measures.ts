import { derived, inCategory, summed } from './measure.ts'

export const spendingMeasures = [
  ...inCategory('coin_days', [
    summed('spent_volume', 'Spent volume', 'BTC', 'flow', {
      description:
        'Value that left {coins} by being spent during the day. Change that returns to the spender is counted, because the chain does not tell it apart.',
    }),
    summed('spent_volume_usd', 'Spent volume in USD', 'USD', 'flow', {
      description: 'Spent volume of {coins} at the price at which it was spent.',
    }),
    summed('spent_outputs', 'Spent outputs', 'count', 'flow', {
      description: 'Number of outputs holding {coins} that were spent during the day.',
    }),
  ]),
  ...inCategory('profit_and_loss', [
    summed('spent_volume_in_profit', 'Spent volume in profit', 'BTC', 'flow', {
      description: 'Spent volume of {coins} that had cost strictly less than it was worth.',
    }),
    summed('spent_volume_in_loss', 'Spent volume in loss', 'BTC', 'flow', {
      description: 'Spent volume of {coins} that had cost strictly more than it was worth.',
    }),
    summed('spent_cost', 'Spent cost', 'USD', 'flow', {
      description: 'What the spent volume of {coins} had cost, by the price at which each coin was created.',
    }),
    summed('realized_profit', 'Realized profit', 'USD', 'flow', {
      description: 'Gain on {coins} spent during the day, of those worth more than they had cost.',
    }),
    summed('realized_loss', 'Realized loss', 'USD', 'flow', {
      description: 'Loss on {coins} spent during the day, of those worth less than they had cost.',
    }),
    derived('realized_pl', 'Realized profit and loss', 'USD', '{realized_profit} - {realized_loss}', {
      description: 'Realized profit minus realized loss on {coins} spent during the day.',
    }),
    derived('realized_pl_ratio', 'Realized profit to loss ratio', 'ratio', '{realized_profit} / {realized_loss}', {
      description: 'Realized profit over realized loss on {coins} spent during the day.',
      source: 'Glassnode',
      scale: 'log',
    }),
    derived(
      'sell_side_risk_ratio',
      'Sell-side risk ratio',
      'ratio',
      '({realized_profit} + {realized_loss}) / {realized_cap}',
      {
        description:
          'Realized profit plus realized loss on {coins}, over their realized cap. Low values mean that holders who wanted to take profit or loss near this price have done so.',
        source: 'Glassnode, 2023',
      },
    ),
    derived('sopr', 'SOPR', 'ratio', '{spent_volume_usd} / {spent_cost}', {
      description:
        'Spent output profit ratio: value of {coins} spent during the day over what they had cost. Above 1 coins move at a profit.',
      source: 'Renato Shirakashi, 2019',
    }),
    derived('asopr', 'Adjusted SOPR', 'ratio', '{spent_volume_1h_usd} / {spent_cost_1h}', {
      description: 'SOPR of {coins} without outputs that were spent within an hour of their creation.',
      source: 'Glassnode, 2019',
      sameAfterDay: 'sopr',
    }),
  ]),
  ...inCategory('coin_days', [
    summed('spent_volume_1h', 'Spent volume after the first hour', 'BTC', 'flow', {
      description: 'Spent volume of {coins} without outputs that were spent within an hour of their creation.',
      sameAfterDay: 'spent_volume',
    }),
    summed('spent_volume_1h_usd', 'Spent volume in USD after the first hour', 'USD', 'flow', {
      description: 'Spent volume of {coins} in USD, without outputs that were spent within an hour of their creation.',
      sameAfterDay: 'spent_volume_usd',
    }),
  ]),
  ...inCategory('profit_and_loss', [
    summed('spent_cost_1h', 'Spent cost after the first hour', 'USD', 'flow', {
      description:
        'What the spent volume of {coins} had cost, without outputs that were spent within an hour of their creation.',
      sameAfterDay: 'spent_cost',
    }),
  ]),
  ...inCategory('coin_days', [
    summed('coindays_destroyed', 'Coin days destroyed', 'coin-days', 'flow', {
      description:
        'Spent volume of {coins} times the days since each coin last moved, to the second. Old coins weigh more than young ones.',
      source: 'ByteCoin (Bitcoin Forum), 2011',
    }),
    summed('created_volume', 'Created volume', 'BTC', 'flow', {
      description: 'Value of the outputs created during the day that hold {coins}.',
    }),
    summed('created_outputs', 'Created outputs', 'count', 'flow', {
      description: 'Number of outputs created during the day that hold {coins}.',
    }),
    derived('dormancy', 'Dormancy', 'days', '{coindays_destroyed} / {spent_volume}', {
      description: 'Average age of {coins} when they were spent during the day, weighted by value.',
      source: 'Reginald Smith, 2018',
    }),
  ]),
]
