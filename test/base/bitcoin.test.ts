import { expect, test } from 'vitest'
import { difficultyProgress } from '#base/bitcoin.ts'

test('a difficulty period counts from multiples of 2,016 and aims at ten minutes a block', () => {
  // Half a period of ten minutes each leaves difficulty as it is.
  expect(difficultyProgress(4_032 + 1_008, 1_008 * 600)).toEqual({ blocks: 1_008, factor: 1 })
  // Eight minutes a block: 10 / 8.
  expect(difficultyProgress(2_016 + 100, 100 * 480)).toEqual({ blocks: 100, factor: 1.25 })
  expect(difficultyProgress(2_015, 2_015 * 1_200)).toEqual({ blocks: 2_015, factor: 0.5 })
})

test('difficulty changes at most fourfold, and nothing is told of it before a block has followed', () => {
  expect(difficultyProgress(10, 10)).toEqual({ blocks: 10, factor: 4 })
  expect(difficultyProgress(10, 10 * 6_000)).toEqual({ blocks: 10, factor: 0.25 })
  expect(difficultyProgress(0, 0)).toEqual({ blocks: 0, factor: undefined })
  expect(difficultyProgress(925_344, 1_000)).toEqual({ blocks: 0, factor: undefined })
})
