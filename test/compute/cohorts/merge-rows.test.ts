import { expect, it } from 'vitest'
import { mergeRows } from '#compute/cohorts/merge-rows.ts'
import { Random } from '#test/support/random.ts'

type Row = readonly [date: number, created: number, sats: number]

const toColumns = (rows: readonly Row[]) => ({
  date: Int32Array.from(rows, ([date]) => date),
  created: Int32Array.from(rows, ([, created]) => created),
  sats: Float64Array.from(rows, ([, , sats]) => sats),
})

it('sorts runs of rows by their keys and adds up those of equal keys', () => {
  const first: Row[] = [
    [1, 0, 1],
    [2, 0, 2],
    [2, 1, 3],
  ]
  const second: Row[] = [
    [2, 0, 10],
    [2, 1, 20],
    [2, 1, 30],
    [65_535, 2, 40],
  ]
  const merged: Row[] = [
    [1, 0, 1],
    [2, 0, 12],
    [2, 1, 53],
    [65_535, 2, 40],
  ]
  for (const rows of [
    [...first, ...second],
    [...second, ...first],
  ]) {
    expect(mergeRows(toColumns(rows))).toEqual(toColumns(merged))
  }
  expect(mergeRows(toColumns([]))).toEqual(toColumns([]))
})

it('merges runs in any order and overlap as a sort of all rows does', () => {
  const random = new Random(1)
  for (let trial = 0; trial < 200; trial++) {
    const rows = Array.from({ length: random.between(0, 6) }, () =>
      Array.from({ length: random.between(1, 30) }, (): Row => [random.between(0, 9), random.between(0, 9), 1]).sort(
        (one, other) => one[0] - other[0] || one[1] - other[1],
      ),
    ).flat()
    const sums = new Map<number, number>()
    for (const [date, created, sats] of rows) sums.set(10 * date + created, (sums.get(10 * date + created) ?? 0) + sats)
    const expected = [...sums].sort(([a], [b]) => a - b)
    const merged = expected.map(([key, sats]): Row => [Math.floor(key / 10), key % 10, sats])
    expect(mergeRows(toColumns(rows))).toEqual(toColumns(merged))
  }
})
