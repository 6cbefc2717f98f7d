import { expect, it } from 'vitest'
import { AddressEvents } from '#compute/addresses/address-events.ts'
import { balanceMeasures } from '#contract/balance-measures.ts'
import { type ScriptType, scriptTypes } from '#contract/kinds.ts'
import { partnerHigh } from '#ingest/chain/address-identity.ts'
import { measureEvents } from './support/measure-events.ts'

type Event = readonly [day: number, type: ScriptType, key: number, btc: number]

const firstDay = 15_000
const days = 4
const price = new Float64Array(days).fill(1)

/**
 * Number and coins of exposed addresses after each day. Addresses of types with one key, P2PKH and
 * P2WPKH, are partners.
 */
function exposure(events: readonly Event[], supply: readonly number[], sample = { modulus: 1, residue: 0 }) {
  const added = new AddressEvents()
  for (const [day, type, key, btc] of events) {
    const high = type === 'p2wpkh' ? partnerHigh(key) : key
    added.add(firstDay + day, firstDay + day, scriptTypes.indexOf(type), high, 64, btc * 1e8)
  }
  const inSats = (btc: readonly number[]): Float64Array => Float64Array.from(btc, (coins) => coins * 1e8)
  const known = { supply: inSats(supply), structural: inSats([1, 1, 1, 1]) }
  const measures = measureEvents(added.words, { sample, firstDay, price, cost: price }, known)
  return balanceMeasures.exposure.map((name) => measures.get(name)!.map(({ value }) => value))
}

it.each<[string, readonly Event[], readonly number[], readonly number[], readonly number[]]>([
  [
    'an address that spends and receives again on the same day',
    [
      [0, 'p2pkh', 8, 5],
      [1, 'p2pkh', 8, -5],
      [1, 'p2pkh', 8, 3],
    ],
    [5, 3, 3, 3],
    [0, 1, 1, 1],
    [0, 3, 3, 3],
  ],
  [
    'the other address of a key that is spent, funded before and after it',
    [
      [0, 'p2wpkh', 8, 5],
      [0, 'p2pkh', 8, 2],
      [1, 'p2pkh', 8, -2],
      [2, 'p2wpkh', 8, 1],
      [3, 'p2wpkh', 8, -6],
      [3, 'p2pkh', 8, 4],
    ],
    [7, 5, 6, 4],
    [0, 1, 1, 1],
    [0, 5, 6, 4],
  ],
  [
    'an address that appears after its key was shown by an address that is empty, and not one of another key',
    [
      [0, 'p2wpkh', 8, 2],
      [0, 'p2wpkh', 8, -2],
      [2, 'p2pkh', 8, 7],
      [2, 'p2pkh', 10, 9],
      [2, 'p2sh', 12, 1],
    ],
    [0, 0, 17, 17],
    [0, 0, 1, 1],
    [0, 0, 7, 7],
  ],
  [
    'a script hash only by its own spend, and no type whose output shows a key',
    [
      [0, 'p2sh', 8, 5],
      [0, 'p2wsh', 16, 5],
      [0, 'p2tr', 24, 5],
      [0, 'p2a', 32, 5],
      [1, 'p2wsh', 16, -2],
      [1, 'p2tr', 24, -1],
      [1, 'p2a', 32, -1],
    ],
    [20, 16, 16, 16],
    [0, 1, 1, 1],
    [0, 3, 3, 3],
  ],
  [
    'an address that has spent an output without a value, before its coins, among them or after',
    [
      [0, 'p2pkh', 8, 5],
      [1, 'p2pkh', 8, 0],
      [0, 'p2sh', 12, 0],
      [1, 'p2sh', 12, 2],
      [2, 'p2wsh', 16, 1],
      [2, 'p2wsh', 16, 0],
      [2, 'p2wsh', 16, 3],
      [3, 'p2wsh', 24, 1],
    ],
    [5, 7, 11, 12],
    [0, 2, 3, 3],
    [0, 7, 11, 11],
  ],
  [
    'the other address of a key, too, by such a spend',
    [
      [0, 'p2wpkh', 8, 5],
      [1, 'p2pkh', 8, 0],
      [1, 'p2wpkh', 8, 1],
      [2, 'p2pkh', 10, 0],
      [3, 'p2wpkh', 10, 4],
    ],
    [5, 6, 6, 10],
    [0, 1, 1, 2],
    [0, 6, 6, 10],
  ],
])('exposed is %s', (_, events, supply, count, coins) => {
  expect(exposure(events, supply)).toEqual([count, coins, coins.map((btc) => btc + 1)])
})

it('a spend without a value ends accumulation, and makes no address new or active again', () => {
  const added = new AddressEvents()
  const type = scriptTypes.indexOf('p2wsh')
  const events = [
    [0, 1, 5],
    [0, 1, 5],
    [370, 1, 0],
    [740, 1, 1],
    [0, 2, 0],
    [1, 2, 3],
    [2, 2, 3],
  ] as const
  for (const [day, address, btc] of events) added.add(firstDay + day, firstDay + day, type, address << 8, 1, btc * 1e8)
  const prices = new Float64Array(741).fill(1)
  const sample = { modulus: 1, residue: 0 }
  const measures = measureEvents(added.words, { sample, firstDay, price: prices, cost: prices }, {})
  const on = (name: string, ...days: readonly number[]) => days.map((day) => measures.get(name)![day]!.value)
  expect(on('accumulating', 0, 2, 369, 370, 740)).toEqual([1, 1, 1, 0, 0])
  expect(on('new', 0, 1, 2, 370)).toEqual([1, 1, 0, 0])
  expect(on('ever', 0, 1, 740)).toEqual([1, 2, 2])
  expect(on('reactivated_1y', 370, 740)).toEqual([0, 1])
})

it('knows of addresses outside the sample what spends of large outputs show, and of others the share of the sample', () => {
  const large: readonly Event[] = [
    [0, 'p2pkh', 8, 20],
    [1, 'p2pkh', 8, -20],
    [2, 'p2wpkh', 8, 30],
    [2, 'p2pkh', 10, 40],
  ]
  // In the class 0, all are in the sample; in the class 1, none is, so nothing more is known to be
  // shown, though it may be.
  expect(exposure(large, [20, 0, 70, 70], { modulus: 64, residue: 0 })[1]).toEqual([0, 0, 30, 30])
  expect(exposure(large, [20, 0, 70, 70], { modulus: 64, residue: 1 })[1]).toEqual([0, 0, 30, 30])
})
