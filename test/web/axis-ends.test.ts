import { expect, test } from 'vitest'
import type { ValueAxis, ValueScale } from '#render/page/page.ts'
import { dragEnds, parseNumber } from '#web/chart/axis-ends.ts'

test.each([
  ['0.5', 0.5],
  [' $49,183.27 ', 49_183.27],
  ['120k', 120_000],
  ['−12 %', -12],
  ['1.5B', 1.5e9],
  ['1e-6', 0.000001],
  ['.5', 0.5],
  ['', undefined],
  ['  ', undefined],
  // A decimal comma would be read as a tenth or a thousandfold.
  ['0,5', Number.NaN],
  ['1,00', Number.NaN],
  ['ten', Number.NaN],
  ['-', Number.NaN],
  ['k', Number.NaN],
  ['1e999', Number.NaN],
  ['--1', Number.NaN],
])('%j is the number %s', (text, value) => {
  expect(parseNumber(text)).toBe(value)
})

/** An axis 100 pixels high, from pixel 200 (bottom) to 100. */
const scaleOf = (scale: 'linear' | 'log', low: number, high: number, id = 'auto:USD'): ValueScale => {
  const [toScale, from] = scale === 'log' ? [Math.log, Math.exp] : [(value: number) => value, (value: number) => value]
  const axis: ValueAxis = {
    id,
    side: 'left',
    scale,
    format: 'number',
    title: '',
    color: undefined,
    factor: 1,
    zone: [0, 100],
    domainMinimum: undefined,
    domainMaximum: undefined,
    ceiling: undefined,
    floor: undefined,
    noPadding: 'none',
  }
  return {
    axis,
    domain: [low, high],
    top: 100,
    bottom: 200,
    ticks: [],
    step: undefined,
    position: (value) => 200 - (100 * (toScale(value) - toScale(low))) / (toScale(high) - toScale(low)),
    value: (pixel) => from(toScale(low) + ((200 - pixel) / 100) * (toScale(high) - toScale(low))),
  }
}
const open = [undefined, undefined] as const

test('a drag in the middle of an axis moves both ends', () => {
  expect(dragEnds(scaleOf('linear', 0, 10), 150, 160, open)).toEqual([1, 11])
  expect(dragEnds(scaleOf('linear', -10, 10), 150, 130, open)).toEqual([-14, 6])
  expect(dragEnds(scaleOf('log', 1, 100), 150, 200, open)).toEqual([10, 1000])
  expect(dragEnds(scaleOf('linear', 0, 0.00001), 150, 160, open)).toEqual([0.000001, 0.000011])
})

test('a drag near an end stretches the axis from the other, which follows the data on', () => {
  // What was at pixel 120 is at 160 afterwards: half as high.
  expect(dragEnds(scaleOf('linear', 0, 10), 120, 160, open)).toEqual([undefined, 20])
  expect(dragEnds(scaleOf('linear', 0, 10), 120, 160, [-5, 10])).toEqual([-5, 20])
  expect(dragEnds(scaleOf('linear', 0, 10), 190, 145, open)).toEqual([-10, undefined])
  expect(dragEnds(scaleOf('log', 1, 100), 120, 160, open)).toEqual([undefined, 10_000])
  // At most ten times.
  expect(dragEnds(scaleOf('linear', 0, 10), 100, 900, open)).toEqual([undefined, 100])
})

test('the axis of a heatmap stays above zero', () => {
  const [min = 0] = dragEnds(scaleOf('linear', 10, 100, 'heatmap'), 150, 110, open)
  expect(min).toBeGreaterThan(0)
  expect(dragEnds(scaleOf('linear', 10, 100), 150, 110, open)[0]).toBe(-26)
})
