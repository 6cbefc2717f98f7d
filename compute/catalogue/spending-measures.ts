import { inCategory, type Measure } from './measure.ts'

export const spendingMeasures: readonly Measure[] = [
  ...inCategory('coin_days', [
    {
      id: 'spent_volume',
      name: 'Spent volume',
      unit: 'BTC',
      kind: 'flow',
      description:
        'Value that left {coins} by being spent during the day. Change that returns to the spender is counted, because the chain does not tell it apart.',
    },
    {
      id: 'spent_volume_usd',
      name: 'Spent volume in USD',
      unit: 'USD',
      kind: 'flow',
      description: 'Spent volume of {coins} at the price at which it was spent.',
    },
    {
      id: 'spent_outputs',
      name: 'Spent outputs',
      unit: 'count',
      kind: 'flow',
      description: 'Number of outputs holding {coins} that were spent during the day.',
    },
  ]),
  ...inCategory('profit_and_loss', [
    {
      id: 'spent_volume_in_profit',
      name: 'Spent volume in profit',
      unit: 'BTC',
      kind: 'flow',
      description: 'Spent volume of {coins} that had cost strictly less than it was worth.',
    },
    {
      id: 'spent_volume_in_loss',
      name: 'Spent volume in loss',
      unit: 'BTC',
      kind: 'flow',
      description: 'Spent volume of {coins} that had cost strictly more than it was worth.',
    },
    {
      id: 'spent_cost',
      name: 'Spent cost',
      unit: 'USD',
      kind: 'flow',
      description: 'What the spent volume of {coins} had cost, by the price at which each coin was created.',
    },
    {
      id: 'realized_profit',
      name: 'Realized profit',
      unit: 'USD',
      kind: 'flow',
      description: 'Gain on {coins} spent during the day, of those worth more than they had cost.',
    },
    {
      id: 'realized_loss',
      name: 'Realized loss',
      unit: 'USD',
      kind: 'flow',
      description: 'Loss on {coins} spent during the day, of those worth less than they had cost.',
    },
    {
      id: 'realized_pl',
      name: 'Realized profit and loss',
      unit: 'USD',
      description: 'Realized profit minus realized loss on {coins} spent during the day.',
      formula: (own) => `${own('realized_profit')} - ${own('realized_loss')}`,
    },
    {
      id: 'realized_pl_ratio',
      name: 'Realized profit to loss ratio',
      unit: 'ratio',
      description: 'Realized profit over realized loss on {coins} spent during the day.',
      formula: (own) => `${own('realized_profit')} / ${own('realized_loss')}`,
      source: 'Glassnode',
      scale: 'log',
    },
    {
      id: 'sell_side_risk_ratio',
      name: 'Sell-side risk ratio',
      unit: 'ratio',
      description:
        'Realized profit plus realized loss on {coins}, over their realized cap. Low values mean that holders who wanted to take profit or loss near this price have done so.',
      formula: (own) => `(${own('realized_profit')} + ${own('realized_loss')}) / ${own('realized_cap')}`,
      source: 'Glassnode, 2023',
    },
    {
      id: 'sopr',
      name: 'SOPR',
      unit: 'ratio',
      description:
        'Spent output profit ratio: value of {coins} spent during the day over what they had cost. Above 1 coins move at a profit.',
      formula: (own) => `${own('spent_volume_usd')} / ${own('spent_cost')}`,
      source: 'Renato Shirakashi, 2019',
    },
    {
      id: 'asopr',
      name: 'Adjusted SOPR',
      unit: 'ratio',
      description: 'SOPR of {coins} without outputs that were spent within an hour of their creation.',
      formula: (own) => `${own('spent_volume_1h_usd')} / ${own('spent_cost_1h')}`,
      source: 'Glassnode, 2019',
    },
  ]),
  ...inCategory('coin_days', [
    {
      id: 'spent_volume_1h',
      name: 'Spent volume after the first hour',
      unit: 'BTC',
      kind: 'flow',
      description: 'Spent volume of {coins} without outputs that were spent within an hour of their creation.',
    },
    {
      id: 'spent_volume_1h_usd',
      name: 'Spent volume in USD after the first hour',
      unit: 'USD',
      kind: 'flow',
      description: 'Spent volume of {coins} in USD, without outputs that were spent within an hour of their creation.',
    },
  ]),
  ...inCategory('profit_and_loss', [
    {
      id: 'spent_cost_1h',
      name: 'Spent cost after the first hour',
      unit: 'USD',
      kind: 'flow',
      description:
        'What the spent volume of {coins} had cost, without outputs that were spent within an hour of their creation.',
    },
  ]),
  ...inCategory('coin_days', [
    {
      id: 'coindays_destroyed',
      name: 'Coin days destroyed',
      unit: 'coin-days',
      kind: 'flow',
      description:
        'Spent volume of {coins} times the days since each coin last moved, to the second. Old coins weigh more than young ones.',
      source: 'ByteCoin (Bitcoin Forum), 2011',
    },
    {
      id: 'dormancy',
      name: 'Dormancy',
      unit: 'days',
      description: 'Average age of {coins} when they were spent during the day, weighted by value.',
      formula: (own) => `${own('coindays_destroyed')} / ${own('spent_volume')}`,
      source: 'Reginald Smith, 2018',
    },
  ]),
]
