import { expect, test } from 'vitest'
import { changesAfter, countIndependent, findSpells } from '#base/condition-days.ts'
import { comparedOperands } from '#mcp/tools/find-days.ts'

const unknown = Number.NaN

test('stretches go from the first to the last day of a condition; days that are not known do not end them', () => {
  const condition = Float64Array.of(unknown, 1, 1, 0, 1, unknown, 2, 0, unknown, 0, 1)
  expect(findSpells(condition)).toEqual([
    { from: 1, to: 2 },
    { from: 4, to: 6 },
    { from: 10, to: 10 },
  ])
  expect(findSpells(Float64Array.of(0, unknown))).toEqual([])
  expect(findSpells(Float64Array.of(1, unknown))).toEqual([{ from: 0, to: 0 }])
})

test('what followed is counted in days, not in rows, and only where both ends are known', () => {
  const days = Int32Array.of(100, 101, 103, 104)
  const values = Float64Array.of(10, 20, 30, unknown)
  expect(changesAfter(days, values, [0, 1, 2], 3)).toEqual([{ day: 100, change: expect.closeTo(200, 10) }])
  expect(changesAfter(days, values, [0, 1], 1)).toEqual([{ day: 100, change: expect.closeTo(100, 10) }])
  expect(changesAfter(days, Float64Array.of(0, 20, 30, 1), [0], 1)).toEqual([])
})

test('cases are independent if no days after them are the same', () => {
  const independent = (days: readonly number[], daysLater: number) =>
    countIndependent(
      days.map((day) => ({ day })),
      daysLater,
    )
  expect(independent([100, 129, 130, 159, 160], 30)).toBe(3)
  expect(independent([100, 129, 131, 159], 30)).toBe(2)
  expect(independent([], 30)).toBe(0)
})

test.each([
  ['percent_change(price, 1) < -20', ['percent_change(price, 1)']],
  ['mvrv < 1 and (price >= sma(price, 200))', ['mvrv', 'price', 'sma(price, 200)']],
  ['not (nupl > 0.5) or orders == 3', ['nupl', 'orders']],
  ['(price + 1) / 2 > 3', ['(price + 1) / 2']],
  ['if(mvrv < 1, 1, 2) > 1', undefined],
])('the operands of %s are said as they were asked', (condition, operands) => {
  expect(comparedOperands(condition)).toEqual(operands)
})
