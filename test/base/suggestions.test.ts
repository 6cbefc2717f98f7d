import { expect, test } from 'vitest'
import { findClosest, findNearest } from '#base/suggestions.ts'

const fields = [
  'realized_cap',
  'slrv_ratio',
  'realized_price',
  'mvrv',
  'mvrv_z',
  'mayer_multiple',
  'lth_realized_price',
]

test.each([
  // A swap, a letter too few, too many and wrong are one slip each.
  ['mvvr', 'mvrv'],
  ['realized_prce', 'realized_price'],
  ['realized__cap', 'realized_cap'],
  ['realised_price', 'realized_price'],
  ['MVRV_Z', 'mvrv_z'],
  // A part too many is more than a wrong letter, and less than two.
  ['mvrv_ratio', 'mvrv'],
  ['btc_realized_cap', 'realized_cap'],
  ['mvrv_x', 'mvrv_z'],
])('%s was meant to be %s', (word, meant) => {
  expect(findClosest(word, fields)).toBe(meant)
  expect(findNearest(word, fields)[0]).toBe(meant)
})

test('nothing was meant where more than a third of the letters are wrong', () => {
  expect(findClosest('abc', ['abd'])).toBe('abd')
  expect(findClosest('abc', ['ade'])).toBeUndefined()
  expect(findClosest('mayer', fields)).toBeUndefined()
  expect(findClosest('price', [])).toBeUndefined()
})

test('of two that are as close the one that shares more is meant', () => {
  expect(findClosest('fee_rate', ['fee_ratx', 'fex_rate'])).toBe('fex_rate')
})

test('names that share parts are near', () => {
  expect(findNearest('mayer', fields, 1)).toEqual(['mayer_multiple'])
  expect(findNearest('price', fields, 2)).toEqual(['realized_price', 'lth_realized_price'])
  expect(findNearest('mvrv', fields)).toHaveLength(fields.length)
})
