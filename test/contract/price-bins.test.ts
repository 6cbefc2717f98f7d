import { expect, it } from 'vitest'
import { groupBins, lowerEdge, priceBin } from '#contract/price-bins.ts'

it('joins bins of equal ratio', () => {
  // Bins 1201 to 1400 are 1 to 10 USD; a quarter of them is a ratio of 10^(1/4).
  expect(groupBins(1201, 1400, 4, 'log').starts).toEqual([0, 1201, 1251, 1301, 1351])
  expect(groupBins(1201, 1210, 3, 'log').starts).toEqual([0, 1201, 1204, 1208])
  expect(groupBins(1201, 1203, 10, 'log').starts).toEqual([0, 1201, 1202, 1203])
})

it('joins bins of equal USD by their middle, and ends each group at an edge of a bin', () => {
  const { starts, lower, upper } = groupBins(1201, 1400, 3, 'linear')
  // From 1 to 10 USD in steps of 3: the middle of bin 1321 is 4.01, that of bin 1369 is 6.96, that
  // of bin 1370 is 7.04.
  expect(starts).toEqual([0, 1201, 1321, 1370])
  expect(lower.slice(1)).toEqual([1, lowerEdge(1321), lowerEdge(1370)])
  expect(upper).toEqual([0, lowerEdge(1321), lowerEdge(1370), 10])
})

it('leaves out groups that are narrower than a bin', () => {
  const { starts } = groupBins(1201, 1400, 2000, 'linear')
  expect(starts).toEqual([0, ...Array.from({ length: 200 }, (_, i) => 1201 + i)])
})

it.each(['linear', 'log'] as const)('has all bins once, in at most as many groups: %s', (scale) => {
  for (const [first, last] of [
    [1, 1],
    [700, 2200],
    [1900, 2230],
  ] as const) {
    for (const count of [1, 2, 7, 100, 2000]) {
      const { starts, lower, upper } = groupBins(first, last, count, scale)
      expect(starts.length).toBeLessThanOrEqual(count + 1)
      expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b))
      expect([starts[0], starts[1], upper.at(-1)]).toEqual([0, first, lowerEdge(last + 1)])
      expect(lower.slice(2)).toEqual(upper.slice(1, -1))
      expect(lower.map(priceBin)).toEqual(starts)
    }
  }
})
