import { describe, expect, it } from 'vitest'
import { requireEqualSums } from '#compute/publish/spend-tables.ts'

type Row = readonly [date: number, created: number, sats: number, outputs: number]
const limb = 2 ** 40

const toColumns = (rows: readonly Row[]) => ({
  date: Int32Array.from(rows, ([date]) => date),
  created_date: Int32Array.from(rows, ([, created]) => created),
  sats_high: Float64Array.from(rows, ([, , sats]) => Math.floor(sats / limb)),
  sats_low: Float64Array.from(rows, ([, , sats]) => sats - Math.floor(sats / limb) * limb),
  outputs: Float64Array.from(rows, ([, , , outputs]) => outputs),
})

const flows: Row[] = [
  [10, 8, 3 * limb + 1, 5],
  [10, 9, 7, 1],
  [12, 9, 4, 2],
]
const kinds: Row[] = [
  [10, 8, limb + 1, 2],
  [10, 8, 2 * limb, 3],
  [10, 9, 7, 1],
  [12, 9, 4, 2],
]

describe('spends by kind', () => {
  it('add up to those of days, in whatever limbs', () => {
    expect(() => requireEqualSums(toColumns(flows), toColumns(kinds))).not.toThrow()
    expect(() => requireEqualSums(toColumns([]), toColumns([]))).not.toThrow()
  })

  it.each<[string, Row[], Row[], string]>([
    ['a satoshi more', flows, [...kinds.slice(0, 3), [12, 9, 5, 2]], '1970-01-13'],
    ['an output less', flows, [...kinds.slice(0, 3), [12, 9, 4, 1]], '1970-01-13'],
    ['a kind less', flows, kinds.slice(1), '1970-01-11'],
    ['no kinds of two days', flows, [...kinds.slice(0, 2), ...kinds.slice(3)], '1970-01-11'],
    ['kinds of other days', flows, [...kinds, [13, 9, 1, 1]], '1970-01-14'],
    ['kinds without flows', [], kinds, '1970-01-11'],
    [
      'a negative value',
      [[10, 9, 7, 1]],
      [
        [10, 9, -1, 0],
        [10, 9, 8, 1],
      ],
      '1970-01-11',
    ],
    [
      'a negative number',
      [[10, 9, 7, 1]],
      [
        [10, 9, 1, -1],
        [10, 9, 6, 2],
      ],
      '1970-01-11',
    ],
  ])('are refused with %s', (_, ofDays, byKind, date) => {
    expect(() => requireEqualSums(toColumns(ofDays), toColumns(byKind))).toThrow(
      expect.objectContaining({
        code: 'audit_failed',
        message: expect.stringContaining(`on ${date} the spends by kind do not add up to those of days`),
      }),
    )
  })
})
