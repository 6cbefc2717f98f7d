import { expect, test } from 'vitest'
import { priceDoubts } from '#root/cli/price-doubts.ts'

const plain = {
  source: 'bitstamp',
  first_date: '2011-08-18',
  last_date: '2026-11-20',
  unpriced: null,
  pricing: { setting: 'hourly', hourly: null },
} as const

test('says on how many days the sources differ and where most, and which days carry a price', () => {
  expect(
    priceDoubts({
      ...plain,
      carried_days: 6,
      disagreeing_days: 1_013,
      worst_disagreement: { date: '2015-01-14', fraction: 0.2593 },
    }),
  ).toEqual([
    'sources differ by more than 3 % on 1,013 days, most on 2015-01-14 (25.9 %)',
    '6 days without trade carry the last close',
  ])
})

test('says nothing where all is plain', () => {
  expect(priceDoubts({ ...plain, carried_days: 0, disagreeing_days: 0, worst_disagreement: null })).toEqual([])
})

test.each([
  ['2021-03-04', 'known from 2021-03-04 on'],
  [null, 'not known'],
])('names the coins without a price, since when they do not matter (%s), and the cure', (known_from, said) => {
  const unpriced = { first_date: '2010-07-17', last_date: '2011-08-17', share: 0.0321, known_from }
  const [doubt] = priceDoubts({ ...plain, carried_days: 0, disagreeing_days: 0, worst_disagreement: null, unpriced })
  expect(doubt).toBe(
    'coins created 2010-07-17 to 2011-08-17 have no price (3.2 % of the supply): realized cap and all that follows from ' +
      `cost are ${said}; "coinstrata fetch" gets the missing prices`,
  )
})
