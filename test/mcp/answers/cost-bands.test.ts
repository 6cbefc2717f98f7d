import { expect, test } from 'vitest'
import { costAtPercentile, mergeBins, percentBelow, satsBetween } from '#mcp/tools/cost-basis.ts'

const bin = (number: number, lower_price: number, upper_price: number, supply_sats: number) => ({
  date: '2024-01-01',
  bin: number,
  lower_price,
  upper_price,
  supply_sats,
  supply: supply_sats / 100_000_000,
})
const bins = [bin(0, 0, 0, 10), bin(10, 100, 110, 20), bin(11, 110, 120, 30), bin(14, 150, 160, 40)]

test('bins in a row are merged until there are few enough, and lose nothing', () => {
  expect(mergeBins(bins, 4)).toHaveLength(4)
  // Two in a row: 0, 10 with 11, 14.
  expect(mergeBins(bins, 3)).toEqual([
    { from: 0, to: 0, sats: 10 },
    { from: 100, to: 120, sats: 50 },
    { from: 150, to: 160, sats: 40 },
  ])
})

test('a percentage of the supply cost at most the upper end of its bin', () => {
  expect(costAtPercentile(bins, 10)).toBe(0)
  expect(costAtPercentile(bins, 50)).toBe(120)
  expect(costAtPercentile(bins, 61)).toBe(160)
  expect(costAtPercentile([], 50)).toBeNull()
})

test('supply between two prices counts the bins that hold one of them in part', () => {
  expect(satsBetween(bins, 105, 115)).toBeCloseTo(10 + 15, 12)
  expect(satsBetween(bins, 112, 114)).toBeCloseTo(6, 12)
  expect(satsBetween(bins, 0, Number.POSITIVE_INFINITY)).toBe(100)
  expect(satsBetween(bins, 1, 100)).toBe(0)
})

test('supply below a price counts the bin of the price in part', () => {
  expect(percentBelow(bins, 115)).toBeCloseTo(10 + 20 + 15, 12)
  expect(percentBelow(bins, 99)).toBe(10)
  expect(percentBelow(bins, 1000)).toBe(100)
  expect(percentBelow([], 1000)).toBeNull()
})
