import { expect, it } from 'vitest'
import type { Sample } from '#compute/address-sample.ts'
import { AddressEvents } from '#compute/addresses/address-events.ts'
import { balanceMeasures } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { measureEvents } from './support/measure-events.ts'

const firstDay = 15_000
const type = scriptTypes.indexOf('p2wsh')
const all: Sample = { modulus: 1, residue: 0 }

type Event = readonly [day: number, createdDay: number, address: number, btc: number]

/** Addresses in profit and in loss at the close of each day. */
function count(prices: readonly number[], events: readonly Event[], sample = all): number[][] {
  const added = new AddressEvents()
  for (const [day, createdDay, address, btc] of events)
    added.add(firstDay + day, firstDay + createdDay, type, address, 64, Math.round(btc * 1e8))
  const price = Float64Array.from(prices)
  const measures = measureEvents(added.words, { sample, firstDay, price, cost: price }, {})
  return balanceMeasures.profit.map((name) => measures.get(name)!.map(({ value }) => value))
}

it('an address whose coins cost the price on average is in neither', () => {
  const events: Event[] = [
    [0, 0, 1, 2],
    [1, 1, 2, 1],
    [2, 2, 2, 1],
  ]
  // The second address has coins of 100, then of 100 and 300, which is 200 on average.
  const [inProfit, inLoss] = count([100, 100, 300, 200, 199, 201, 50], events)
  expect(inProfit).toEqual([0, 0, 2, 1, 1, 2, 0])
  expect(inLoss).toEqual([0, 0, 0, 0, 1, 0, 2])
})

it('the rounding of sums does not decide', () => {
  // Ten times 0.1 USD, added one by one, is less than 1 USD; a thousand cents are more than 10 USD.
  for (const [price, outputs, btc] of [
    [0.1, 10, 1],
    [0.01, 1000, 1],
    [0.07, 333, 0.3],
  ] as const) {
    const events = Array.from({ length: outputs }, (): Event => [0, 0, 3, btc])
    expect(count([price, price, price * (1 + 1e-6), price * (1 - 1e-6)], events)).toEqual([
      [0, 0, 1, 0],
      [0, 0, 0, 1],
    ])
  }
  // Coins that come and go leave no remainder in the sum of costs.
  const turned = Array.from({ length: 500 }, (_, i): Event[] => [
    [i % 3, i % 3, 4, 7],
    [3, i % 3, 4, -7],
  ]).flat()
  const [inProfit, inLoss] = count([0.3, 1000.1, 77.7, 3.3, 3.3, 4, 3], [...turned, [3, 3, 4, 0.5]])
  expect(inProfit!.slice(3)).toEqual([0, 0, 1, 0])
  expect(inLoss!.slice(3)).toEqual([0, 0, 0, 1])
})

it('a sample counts the addresses that have large outputs by these, and the sampled ones by all', () => {
  // On average 100 by its output of 20 BTC, and 200 by both: known outside of the sample as the former.
  const events: Event[] = [
    [0, 0, 5, 20],
    [1, 1, 5, 20 / 3],
  ]
  const prices = [100, 500, 200, 150, 100, 50]
  const sampled = (residue: number): number[][] =>
    count(prices, residue === 0 ? events : events.slice(0, 1), { modulus: 64, residue })
  expect(sampled(1)).toEqual([
    [0, 1, 1, 1, 0, 0],
    [0, 0, 0, 0, 0, 1],
  ])
  // In the sample, the address counts once as known, and its difference 64 times.
  expect(sampled(0)).toEqual([[0, 1, 1 - 64, 1 - 64, 0, 0].map((value) => Math.max(0, value)), [0, 0, 0, 64, 64, 1]])
})
