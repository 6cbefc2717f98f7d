import { range } from 'd3-array'
import { describe, expect, test } from 'vitest'
import { drawPicture, readAxis } from '../picture.ts'
import { ramp, request } from '../small-request.ts'

describe('bars and areas', () => {
  test('bars rise from zero to their value, falling ones in their own colour', () => {
    const values = Float64Array.of(2, -1, 0, 3)
    const picture = drawPicture(
      request([{ id: 'a', style: 'bar', color: '#0000aa', negative_color: '#aa0000', values }]),
    )
    const y = readAxis(picture, 'auto:BTC')
    const [rising, falling] = [...picture.document.querySelectorAll('.series')]
    const lengths = (d: string) =>
      [...d.matchAll(/M[\d.]+,([\d.]+)v(-?[\d.]+)/g)].map(([, base, length]) => [Number(base), Number(length)])
    const up = lengths(rising!.getAttribute('d')!)
    expect(up).toHaveLength(2)
    up.forEach(([base, length], i) => {
      expect(Math.abs(base! - y(0))).toBeLessThan(0.6)
      expect(Math.abs(base! + length! - y([2, 3][i]!))).toBeLessThan(0.2)
    })
    expect(rising!.getAttribute('fill')).toBe('#0000aa')
    expect(falling!.getAttribute('fill')).toBe('#aa0000')
    const [[base, length] = [], ...more] = lengths(falling!.getAttribute('d')!)
    expect(more).toEqual([])
    expect(Math.abs(base! + length! - y(-1))).toBeLessThan(0.6)
  })

  test('days of less than three pixels stand without gaps', () => {
    const cases: [days: number, width: number][] = [
      [400, 1200],
      [600, 1200],
      [750, 1200],
      [1000, 1200],
      [700, 2400],
      [1000, 2400],
    ]
    for (const [days, width] of cases) {
      const values = new Float64Array(days).map((_, i) => 1 + (i % 3))
      const series = [{ id: 'a', style: 'bar' as const, values }]
      const picture = drawPicture(request(series, { width, height: width / 2 }))
      const d = picture.document.querySelector('.series')!.getAttribute('d')!
      const bars = [...d.matchAll(/M(\d+),[\d.]+v[-\d.]+h(\d+)v/g)]
      const columns = bars.flatMap(([, left, wide]) => range(Number(left), Number(left) + Number(wide)))
      expect(columns.length).toBe(new Set(columns).size)
      expect(columns.length).toBeGreaterThan(width / 2)
      expect(Math.max(...columns) - Math.min(...columns) + 1).toBe(columns.length)
    }
  })

  test('seams of stacks run along the means of the days of each pixel, and cover no thin band', () => {
    const stack = (days: number) => {
      const noisy = (level: number) => new Float64Array(days).map((_, i) => level + (i % 2) * level)
      const bands = [noisy(10), noisy(1)].map((values) => ({ style: 'area' as const, stacked: true, values }))
      const picture = drawPicture(request(bands))
      const { document } = picture
      const strokes = [...document.querySelectorAll('.series')].map((band) => band.getAttribute('stroke'))
      const seams = [...document.querySelectorAll('.seam')].map((seam) => seam.getAttribute('d')!)
      return { strokes, seams, y: readAxis(picture, 'auto:BTC') }
    }
    const few = stack(100)
    expect(few.seams[1]!.split('L')).toHaveLength(100)
    const { strokes, seams, y } = stack(6000)
    expect([...strokes, ...few.strokes]).not.toContain('#ffffff')
    // The lower edge of the upper band jumps between 10 and 20 every day; each pixel has five or
    // six days.
    const heights = [...seams[1]!.matchAll(/,([\d.]+)/g)].map(([, height]) => Number(height))
    expect(heights.length).toBeLessThan(1200)
    const near = heights.filter((height) => height < y(13) && height > y(17))
    expect(near.length).toBeGreaterThan(0.99 * heights.length)
  })

  test('several areas of one axis are filled more lightly than one, so that they do not look like a stack', () => {
    const fills = (count: number) => {
      const areas = Array.from({ length: count }, () => ({ style: 'area' as const, values: ramp(9, 1, 2) }))
      const paths = [...drawPicture(request(areas)).document.querySelectorAll('svg svg path[fill-opacity]')]
      return paths.map((path) => Number(path.getAttribute('fill-opacity')))
    }
    const [[alone], both] = [fills(1), fills(2)]
    expect(both).toHaveLength(2)
    for (const opacity of both) expect(opacity).toBeLessThan(alone! / 2)
  })

  test('a dashed line over a stack has a dashed seam', () => {
    const picture = drawPicture(
      request([
        { stacked: true, unit: '%', values: ramp(9, 1, 2) },
        { id: 'line', dash: '8 3', values: ramp(9, 1, 2) },
      ]),
    )
    const line = picture.document.querySelector('.series[data-id="line"]')!
    const seam = line.previousElementSibling!
    expect(seam.getAttribute('d')).toBe(line.getAttribute('d'))
    expect(seam.getAttribute('stroke-dasharray')).toBe(line.getAttribute('stroke-dasharray'))
  })

  test('an axis that carries bars or areas contains zero', () => {
    for (const style of ['bar', 'area'] as const) {
      const picture = drawPicture(request([{ style, values: Float64Array.of(900, 950, 1000) }]))
      expect(picture.texts.map(({ text }) => text)).toContain('0')
    }
  })

  test('stacked series lie upon each other up to their sum', () => {
    const stacked = [10, 20, 30].map((value, i) => ({
      id: `a${i}`,
      unit: '%',
      stacked: true,
      values: new Float64Array(5).fill(value),
    }))
    const picture = drawPicture(request(stacked))
    const y = readAxis(picture, 'auto:%')
    const edges = [0, 1, 2].map((i) => {
      const heights = [
        ...picture.document
          .querySelector(`.series[data-id="a${i}"]`)!
          .getAttribute('d')!
          .matchAll(/,([\d.]+)/g),
      ]
      return [...new Set(heights.map((match) => Number(match[1])))]
    })
    const expected = [
      [10, 0],
      [30, 10],
      [60, 30],
    ]
    edges.forEach((pair, i) => {
      expect(pair).toHaveLength(2)
      for (const [k, edge] of pair.entries()) expect(Math.abs(edge - y(expected[i]![k]!))).toBeLessThan(0.15)
    })
  })
})
