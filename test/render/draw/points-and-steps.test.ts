import { expect, test } from 'vitest'
import { pointsPath, stepPath } from '#render/draw/path.ts'
import { drawPicture, pathPieces, readAxis } from '../picture.ts'
import { request } from '../small-request.ts'

const column = (...values: number[]) => Float64Array.from(values)

test('a step keeps each value until the next, and ends at a gap', () => {
  expect(stepPath(column(0, 9, 18), column(1, 2, 3))).toBe('M0,1L9,1L9,2L18,2L18,3')
  expect(stepPath(column(0, 9, 18, 27, 36), column(1, Number.NaN, 2, 3, Number.NaN))).toBe('M0,1ZM18,2L27,2L27,3')
  expect(stepPath(column(), column())).toBe('')
})

test('a chart of steps has only level and upright pieces, at the heights of its values', () => {
  const picture = drawPicture(request([{ values: column(2, 8, 5, 5), style: 'step' }]))
  const y = readAxis(picture, 'auto:BTC')
  const [piece, ...more] = pathPieces(picture, '.series')
  expect(more).toEqual([])
  for (const [i, [x, height]] of piece!.slice(1).entries())
    expect([x, height]).toContain(piece![i]![x === piece![i]![0] ? 0 : 1])
  const heights = [2, 2, 8, 8, 5, 5, 5].map(y)
  for (const [i, [, height]] of piece!.entries()) expect(Math.abs(height - heights[i]!)).toBeLessThan(0.1)
})

test('points are circles at the heights of their values, without one for a gap', () => {
  expect(pointsPath(column(10, 20), column(5, Number.NaN), 2)).toBe('M8,5a2,2 0 1 0 4,0a2,2 0 1 0 -4,0z')
  const values = column(2, 8, Number.NaN, 5)
  const picture = drawPicture(request([{ values, style: 'points' }, { values }], { labels: 'legend' }))
  const y = readAxis(picture, 'auto:BTC')
  const d = picture.document.querySelector('.series[data-id="s0"]')!.getAttribute('d')!
  const heights = [...d.matchAll(/M[\d.]+,([\d.]+)/g)].map(([, height]) => Number(height))
  expect(heights).toHaveLength(3)
  for (const [i, height] of heights.entries()) expect(Math.abs(height - y([2, 8, 5][i]!))).toBeLessThan(0.1)
  expect(picture.document.querySelectorAll('.legend circle')).toHaveLength(1)
})
