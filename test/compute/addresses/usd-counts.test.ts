import { expect, it } from 'vitest'
import { AddressTable } from '#compute/addresses/address-table.ts'
import { balanceBins, toBinNumber } from '#compute/addresses/balance-bins.ts'
import { UsdCounts } from '#compute/addresses/usd-counts.ts'

const all = { modulus: 1, residue: 0 }

/** Numbers of addresses worth 1, 10 … 10 million USD at a price. */
function count(balances: readonly number[], price: number): number[] {
  const table = new AddressTable()
  const usd = new UsdCounts(1)
  usd.beginPartition(Float64Array.of(price))
  const bins = new Float64Array(balanceBins)
  for (const [i, sats] of balances.entries()) {
    const slot = table.find(i + 1, i + 1)
    table.sats[slot] = sats
    usd.add(slot, toBinNumber(sats), 1)
    bins[toBinNumber(sats)]!++
  }
  usd.endDay(table, () => true, 0, price)
  return usd.counts(0, price, all, new Float64Array(balanceBins), bins).map(({ value }) => value)
}

it('a balance that is worth exactly as much as a bound reaches it', () => {
  expect(count([1_0000_0000], 100_000)).toEqual([1, 1, 1, 1, 1, 1, 0, 0])
  expect(count([9999_9999], 100_000)).toEqual([1, 1, 1, 1, 1, 0, 0, 0])
  expect(count([1_0000_0000], 99_999.99)).toEqual([1, 1, 1, 1, 1, 0, 0, 0])
  // 0.1 and 0.3 are no binary fractions.
  expect(count([1000_0000], 100)).toEqual([1, 1, 0, 0, 0, 0, 0, 0])
  expect(count([3333_3334, 3333_3333], 30)).toEqual([2, 1, 0, 0, 0, 0, 0, 0])
})

it('no balance reaches what all coins together are not worth', () => {
  expect(count([50_0000_0000, 2_099_999_0000_0000], 0.0008)).toEqual([1, 1, 1, 1, 0, 0, 0, 0])
})

it('no number is known without a price', () => {
  expect(count([1], Number.NaN).every(Number.isNaN)).toBe(true)
})
