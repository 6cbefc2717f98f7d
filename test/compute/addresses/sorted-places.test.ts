import { expect, it } from 'vitest'
import { sortedPlaces } from '#compute/addresses/sorted-places.ts'
import { Random } from '#test/support/random.ts'

it.each([0, 1, 2, 17, 5_000])('%i places are those of a plain sort, in runs of equal fractions too', (count) => {
  const random = new Random(count)
  // Long runs that only the second number tells apart, and short ones.
  const values = Array.from({ length: count }, (_, i) => [
    i % 3 === 0 ? 7 : random.between(0, 40),
    random.between(0, 2 ** 32 - 1),
    i,
  ])
  const compare = (one: number, other: number): number =>
    values[one]![0]! - values[other]![0]! || values[one]![1]! - values[other]![1]! || one - other
  const expected = values.map((_, i) => i).sort(compare)
  expect([...sortedPlaces(count, (i) => values[i]![0]! / 41, compare)]).toEqual(expected)
  expect([...sortedPlaces(count, (i) => (values[i]![0]! + values[i]![1]! / 2 ** 32) / 41, compare)]).toEqual(expected)
  expect([...sortedPlaces(count, () => 0, compare)]).toEqual(expected)
})
