import { describe, expect, test } from 'vitest'
import { areaPath, linePath, meanPath } from '#render/draw/path.ts'

const column = (...values: number[]) => Float64Array.from(values)
const gap = Number.NaN

describe('a line', () => {
  test.each([
    ['goes through its points, to a tenth of a pixel', column(0, 10, 20), column(1.04, 2.06, 3), 'M0,1L10,2.1L20,3'],
    [
      'has gaps, and a point between two of them',
      column(0, 9, 18, 27, 36),
      column(1, gap, 2, gap, 3),
      'M0,1ZM18,2ZM36,3Z',
    ],
    ['is no text without a value', column(0, 9), column(gap, gap), ''],
    ['writes numbers below zero, and no minus zero', column(0, 9, 18), column(-0.04, -12.34, -5), 'M0,0L9,-12.3L18,-5'],
  ])('%s', (_, xs, ys, path) => {
    expect(linePath(xs, ys)).toBe(path)
  })

  test('writes every tenth as JavaScript would', () => {
    for (let tenth = -2_000; tenth <= 20_000; tenth++) {
      const pixels = tenth / 10 + 0.03
      expect(linePath(column(pixels), column(0))).toBe(`M${Math.round(pixels * 10) / 10 || 0},0Z`)
    }
  })
})

describe('an area', () => {
  test.each([
    ['runs along its tops and back along its bases', [0, 9, 18], [9, 8, 7], [1, 2, 3], 'M0,1L9,2L18,3L18,7L9,8L0,9Z'],
    ['has gaps where either edge has one', [0, 9, 18, 27], [9, gap, 8, 8], [1, 1, 2, gap], 'M0,1L0,9ZM18,2L18,8Z'],
    ['is no text without a value', [0, 9], [gap, 1], [1, gap], ''],
  ])('%s', (_, xs, bases, tops, path) => {
    expect(areaPath(column(...xs), column(...bases), column(...tops))).toBe(path)
  })

  test('keeps of each pixel column the extremes of each edge, and no more', () => {
    const xs = Float64Array.from({ length: 1_000 }, (_, i) => i / 100)
    const tops = xs.map((_, i) => (i === 333 ? -50 : i === 337 ? -70 : Math.sin(i)))
    const bases = xs.map((_, i) => (i === 341 ? 90 : 30 + Math.sin(i)))
    const path = areaPath(xs, bases, tops)
    for (const extreme of ['3.3,-50', '3.4,-70', '3.4,90']) expect(path.includes(extreme)).toBe(extreme !== '3.3,-50')
    expect(path.split('L').length).toBeLessThanOrEqual(2 * 4 * 10)
  })
})

test('a line of means goes through the middle of each pixel column, and past entries that are not known', () => {
  const xs = column(0, 0.4, 0.8, 1.2, 1.6, 2.5, 3.1, 3.9)
  const ys = column(1, 5, 6, gap, 7, gap, 2, 4)
  expect(meanPath(xs, ys)).toBe('M0.4,4L1.6,7M3.5,3Z')
})
