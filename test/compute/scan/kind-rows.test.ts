import { expect, it } from 'vitest'
import { KindRows } from '#compute/scan/kind-rows.ts'
import { kindCount } from '#contract/kinds.ts'
import { Random } from '#test/support/random.ts'

it('gives the sums of each cell by creation day and kind, and begins anew', () => {
  const random = new Random(40)
  const found: number[][] = []
  const rows = new KindRows(20, (...row) => found.push(row))
  for (let day = 0; day < 3; day++) {
    const sums = new Map<number, [sats: number, outputs: number]>()
    // More cells than the list begins with.
    for (let i = 0; i < 20_000; i++) {
      const [created, kind] = [random.between(0, 19), random.between(0, kindCount - 1)]
      const [sats, outputs] = [random.pick([0, 5]), random.between(1, 3)]
      rows.add(created, kind, sats, outputs)
      const cell = created * kindCount + kind
      const [before, count] = sums.get(cell) ?? [0, 0]
      sums.set(cell, [before + sats, count + outputs])
    }
    rows.drain()
    const expected = [...sums].sort(([a], [b]) => a - b)
    expect(found.splice(0)).toEqual(
      expected.map(([cell, sum]) => [Math.floor(cell / kindCount), cell % kindCount, ...sum]),
    )
  }
})

it('gives sums above 2^52 in parts that are exact', () => {
  const found: number[][] = []
  const rows = new KindRows(1, (...row) => found.push(row))
  for (let i = 0; i < 10; i++) rows.add(0, 7, 21e14 - 1, 1)
  rows.drain()
  expect(found.every(([, , sats]) => Number.isSafeInteger(sats))).toBe(true)
  expect(found.reduce((sum, [, , sats]) => sum + BigInt(sats!), 0n)).toBe(10n * (21n * 10n ** 14n - 1n))
  expect(found.reduce((sum, [, , , outputs]) => sum + outputs!, 0)).toBe(10)
})

it('keeps parts of a sum that come without outputs', () => {
  const found: number[][] = []
  const rows = new KindRows(1, (...row) => found.push(row))
  rows.add(0, 7, 5, 2)
  for (let i = 0; i < 3; i++) rows.add(0, 7, 2 ** 52, 0)
  rows.drain()
  expect(found.reduce((sum, [, , sats]) => sum + BigInt(sats!), 0n)).toBe(3n * 2n ** 52n + 5n)
  expect(found.reduce((sum, [, , , outputs]) => sum + outputs!, 0)).toBe(2)
})
