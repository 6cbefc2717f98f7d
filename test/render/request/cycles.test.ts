import { expect, test } from 'vitest'
import { createCycleSeries, overlayCycles } from '#render/request/cycles.ts'
import { dayRange } from '../samples.ts'

const days = dayRange(100, 10)
const values = Float64Array.of(10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
const lists = (cycles: readonly { readonly values: Float64Array }[]) => cycles.map((cycle) => [...cycle.values])

test('each cycle runs from its first day to the next cycle, on the dates of the newest', () => {
  const { x, cycles } = overlayCycles(days, values, [102, 105, 108], false)
  expect(lists(cycles)).toEqual([
    [30, 40, 50],
    [60, 70, 80],
    [90, 100, Number.NaN],
  ])
  expect(x).toEqual({ kind: 'day_offset', days: Int32Array.of(108, 109, 110), firstDay: 108 })
})

test('indexed cycles are divided by their first day', () => {
  const { cycles } = overlayCycles(days, values, [101, 103], true)
  expect(lists(cycles)).toEqual([
    [1, 1.5, Number.NaN, Number.NaN, Number.NaN, Number.NaN, Number.NaN],
    [1, 1.25, 1.5, 1.75, 2, 2.25, 2.5],
  ])
})

test('a cycle that began before the data starts late, and an indexed one without its first value is left out', () => {
  expect(lists(overlayCycles(days, values, [98, 108], false).cycles)[0]!.slice(0, 4)).toEqual([
    Number.NaN,
    Number.NaN,
    10,
    20,
  ])
  expect(overlayCycles(days, values, [98, 108], true).cycles.map(({ firstDay }) => firstDay)).toEqual([108])
})

test('the axis of an overlay that is not indexed names the metric and its unit', () => {
  const titles = ['USD', 'ratio', '%'].map((unit) => {
    const { axes } = createCycleSeries({ id: 'a', label: 'A', unit }, overlayCycles(days, values, [102, 105], false))
    return axes[0]!.title
  })
  expect(titles).toEqual(['A (USD)', 'A', 'A'])
})

test('the series of an overlay share an axis and name the day on which they began', () => {
  const { axes, series } = createCycleSeries(
    { id: 'price', label: 'Price', unit: 'USD' },
    overlayCycles(days, values, [102, 105], true),
  )
  expect(axes).toEqual([{ id: 'cycles', title: 'Price (first day = 1)' }])
  expect(series.map(({ label, y_axis_id }) => [label, y_axis_id])).toEqual([
    ['From 13 Apr 1970', 'cycles'],
    ['From 16 Apr 1970', 'cycles'],
  ])
})
