import { expect, test } from 'vitest'
import { priceDimension } from '#contract/metric-kinds.ts'
import { inferDimension } from '#sql/formula/dimension.ts'
import { parseFormula } from '#sql/formula/parse.ts'

const dimensions: Readonly<Record<string, string>> = {
  price: priceDimension,
  cost: priceDimension,
  cap: 'USD',
  volume: 'USD per day',
  supply: 'BTC',
  spent: 'BTC per day',
  mvrv: 'ratio',
  share: 'percent',
  age: 'days',
}

test.each<[string | undefined, readonly string[]]>([
  [
    priceDimension,
    [
      'price',
      '-price',
      '2 * price + 100',
      'price - cost',
      'sma(price, 7)',
      'std(price, 20)',
      'cummax(price)',
      'abs(price - cost)',
      'price * (1 + std(mvrv, 155))',
      'price / mvrv',
      'price * exp(cummean(log(price / cost)) + 2)',
      'if(mvrv > 1, price, 0)',
      'coalesce(price, cost)',
      'cap / supply',
      'volume / spent',
      'diff(price, 30)',
    ],
  ],
  ['USD', ['price * supply', 'cap - supply * price', 'sum(volume, 30)', 'cumsum(volume)', '-cap']],
  ['USD per day', ['spent * price', 'sma(volume, 30)', '-volume']],
  ['BTC', ['cap / price', 'cumsum(spent)']],
  ['BTC per day', ['volume / price']],
  [
    'ratio',
    [
      'price / cost',
      'zscore(price)',
      'zscore(mvrv, 30)',
      'mvrv ^ 2',
      'price > cost',
      'sqrt(mvrv)',
      'cap / volume',
      '1 / mvrv',
    ],
  ],
  ['percent', ['percent_change(price, 30)', '2 * share']],
  ['index', ['rsi(price, 14)']],
  ['days', ['days_since(price > cost)', 'sma(age, 7)']],
  [
    undefined,
    [
      'price + mvrv',
      'price * cost',
      'log(price)',
      'cap * supply',
      'price ^ 2',
      '1 / price',
      '42',
      'cap + price',
      'share * price',
    ],
  ],
])('%s', (dimension, formulas) => {
  for (const text of formulas) {
    expect([text, inferDimension(parseFormula(text), (id) => dimensions[id])]).toEqual([text, dimension])
  }
})
