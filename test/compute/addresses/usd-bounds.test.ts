import { expect, it } from 'vitest'
import { AddressEvents } from '#compute/addresses/address-events.ts'
import { balanceMeasures } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { measureEvents } from './support/measure-events.ts'

const firstDay = 15_000
const type = scriptTypes.indexOf('p2wsh')

/** Numbers of addresses worth 1, 10 … 10 million USD at the price of each day. */
function count(balances: readonly number[], ...prices: readonly number[]): number[][] {
  const events = new AddressEvents()
  for (const [i, sats] of balances.entries()) events.add(firstDay, firstDay, type, i, 1, sats)
  const price = Float64Array.from(prices)
  const measures = measureEvents(events.words, { sample: { modulus: 1, residue: 0 }, firstDay, price, cost: price }, {})
  return prices.map((_, day) => balanceMeasures.overUsd.map((name) => measures.get(name)![day]!.value))
}

it('a balance that is worth exactly as much as a bound reaches it', () => {
  expect(count([1_0000_0000], 100_000)).toEqual([[1, 1, 1, 1, 1, 1, 0, 0]])
  expect(count([9999_9999], 100_000)).toEqual([[1, 1, 1, 1, 1, 0, 0, 0]])
  expect(count([1_0000_0000], 99_999.99)).toEqual([[1, 1, 1, 1, 1, 0, 0, 0]])
  // 0.1 and 0.3 are no binary fractions.
  expect(count([1000_0000], 100)).toEqual([[1, 1, 0, 0, 0, 0, 0, 0]])
  expect(count([3333_3334, 3333_3333], 30)).toEqual([[2, 1, 0, 0, 0, 0, 0, 0]])
})

it('no balance reaches what all coins together are not worth', () => {
  expect(count([50_0000_0000, 2_099_999_0000_0000], 0.0008)).toEqual([[1, 1, 1, 1, 0, 0, 0, 0]])
})

it('no number is known without a price, and the day after has one', () => {
  const [unknown, known] = count([1_0000_0000], Number.NaN, 1000)
  expect(unknown!.every(Number.isNaN)).toBe(true)
  expect(known).toEqual([1, 1, 1, 1, 0, 0, 0, 0])
})

it('each of many days has the number at its price', () => {
  const balances = Array.from({ length: 500 }, (_, i) => Math.round(1000 * 1.04 ** i))
  const prices = Array.from({ length: 400 }, (_, day) => Math.round(100 * (20_000 + 15_000 * Math.sin(day / 7))) / 100)
  const expected = prices.map((price) =>
    Array.from({ length: 8 }, (_, i) => balances.filter((sats) => (sats / 1e8) * price >= 10 ** i).length),
  )
  expect(count(balances, ...prices)).toEqual(expected)
})
