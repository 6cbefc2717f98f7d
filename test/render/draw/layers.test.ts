import { expect, test } from 'vitest'
import { drawPicture, type Picture, readAxis } from '../picture.ts'
import { ramp, request } from '../small-request.ts'

/** Ids of the drawn series, bottom first. */
const drawn = ({ document }: Picture) =>
  [...document.querySelectorAll('.series')].map((one) => one.getAttribute('data-id'))

test('lines lie over everything that is filled, whichever axis it belongs to and whatever comes first', () => {
  const values = ramp(700, 1, 9)
  const parts = [
    { id: 'line', unit: 'USD', style: 'line', values },
    { id: 'bars', unit: 'BTC', style: 'bar', values },
    { id: 'area', unit: 'ratio', style: 'area', values },
    { id: 'stack', unit: '%', style: 'area', stacked: true, values },
  ] as const
  for (const order of [parts, [...parts].reverse()]) {
    expect(drawn(drawPicture(request([...order])))).toEqual(['stack', 'bars', 'area', 'line'])
  }
})

test('the price that accompanies a chart lies under the lines of its subject', () => {
  const picture = drawPicture(request([{ id: 'mvrv', values: ramp(9, 1, 2) }], { priceOverlay: ramp(9, 5, 6) }))
  expect(drawn(picture)).toEqual(['price', 'mvrv'])
})

test('levels lie under lines and over areas', () => {
  const { document } = drawPicture(
    request([{ values: ramp(9, 1, 2) }], { referenceLines: [{ y: 1 }], referenceAreas: [{ y1: 1, y2: 2 }] }),
  )
  const classes = [...document.querySelectorAll('.series, .reference-line, .reference-area')]
  expect(classes.map((one) => one.getAttribute('class'))).toEqual(['reference-area', 'reference-line', 'series'])
})

test('a single day is a dot that can be seen', () => {
  const { document } = drawPicture(request([{ values: Float64Array.of(5) }]))
  expect(Number(document.querySelector('.dot')!.getAttribute('r'))).toBeGreaterThanOrEqual(3)
  expect(drawPicture(request([{ values: ramp(9, 1, 2) }])).document.querySelector('.dot')).toBeNull()
})

/** Left edge, width and height of each bar of a series, by day. */
function barsOf({ document }: Picture, id: string) {
  const d = document.querySelector(`.series[data-id="${id}"]`)!.getAttribute('d')!
  return [...d.matchAll(/M([\d.]+),([\d.]+)v(-?[\d.]+)h([\d.]+)/g)].map((match) => {
    const [left, base, length, width] = match.slice(1).map(Number)
    return { left: left!, base: base!, length: length!, width: width! }
  })
}

test('bars of one axis stand side by side', () => {
  const parts = ['a', 'b', 'c'].map((id, i) => ({ id, style: 'bar' as const, values: ramp(20, 1 + i, 2 + i) }))
  const picture = drawPicture(request(parts))
  const [a, b, c] = ['a', 'b', 'c'].map((id) => barsOf(picture, id))
  a!.forEach((bar, day) => {
    expect(bar.left + bar.width).toBeLessThanOrEqual(b![day]!.left)
    expect(b![day]!.left + bar.width).toBeLessThanOrEqual(c![day]!.left)
    const next = a![day + 1]
    if (next) expect(c![day]!.left + bar.width).toBeLessThan(next.left)
  })
})

test('bars too close to stand side by side become lines, so that none covers another', () => {
  const parts = ['a', 'b'].map((id, i) => ({ id, style: 'bar' as const, values: ramp(1500, 1 + i, 2 + i) }))
  const { document } = drawPicture(request(parts))
  for (const one of document.querySelectorAll('.series')) expect(one.getAttribute('fill')).toBe('none')
})

test('stacked bars lie upon each other, what is below zero downwards', () => {
  const columns = { a: [3, -1], b: [2, -4], c: [-5, 6] }
  const parts = Object.entries(columns).map(([id, values]) => ({
    id,
    unit: 'BTC',
    style: 'bar' as const,
    stacked: true,
    values: Float64Array.from(values),
  }))
  const picture = drawPicture(request(parts))
  const y = readAxis(picture, 'auto:BTC')
  const edges = (id: string) => barsOf(picture, id).map(({ base, length }) => [base, base + length])
  const expected = {
    a: [
      [0, 3],
      [0, -1],
    ],
    b: [
      [3, 5],
      [-1, -5],
    ],
    c: [
      [0, -5],
      [0, 6],
    ],
  }
  for (const [id, days] of Object.entries(expected)) {
    for (const [day, pair] of days.entries()) {
      for (const [end, value] of pair.entries()) expect(Math.abs(edges(id)[day]![end]! - y(value))).toBeLessThan(0.3)
    }
  }
})
