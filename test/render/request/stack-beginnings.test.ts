import { expect, test } from 'vitest'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { ramp, request } from '../small-request.ts'

const late = (from: number, value: number) =>
  Float64Array.from({ length: 10 }, (_, i) => (i < from ? Number.NaN : value))
const verticals = (...parts: { label: string; values: Float64Array; style?: 'area' | 'bar' }[]) =>
  buildSpecification(request(parts.map((part) => ({ style: 'area' as const, stacked: true, ...part })))).verticals.map(
    ({ day, label }) => [day - 19723, label],
  )
const all = { label: 'A', values: ramp(10, 100, 110) }

test('a part of a stack that begins later is marked where the stack rises by it', () => {
  expect(verticals(all, { label: 'B', values: late(4, 50) })).toEqual([[4, 'B from here']])
  expect(verticals(all, { label: 'B', values: late(4, 50) }, { label: 'C', values: late(4, 9) })).toEqual([
    [4, 'B from here'],
    [4, 'C from here'],
  ])
})

test.each([
  ['begins with the others', { label: 'B', values: late(0, 50) }],
  ['begins with next to nothing', { label: 'B', values: late(4, 0.5) }],
  ['is of bars, which add up to no level', { label: 'B', values: late(4, 50), style: 'bar' as const }],
  ['has no values', { label: 'B', values: late(10, 50) }],
])('a part that %s is not', (_, part) => expect(verticals(all, part)).toEqual([]))
