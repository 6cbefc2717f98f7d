import { expect, test } from 'vitest'
import { describeChart, listRemarks } from '#render/output/metadata.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { drawPicture } from '../picture.ts'

const values = Float64Array.of(Number.NaN, 5, -2, 0, 9, Number.NaN)

test('tells first, last, least and greatest value of each series with their dates', () => {
  const chart = buildSpecification({
    title: 'T',
    source: '',
    x: { kind: 'date', days: Int32Array.of(19723, 19724, 19725, 19726, 19727, 19728) },
    series: [{ id: 'a', label: 'A', unit: 'BTC', color: '#123456', values }],
  })
  const { x, series } = describeChart(chart)
  expect(x).toEqual({ kind: 'date', first: '2024-01-01', last: '2024-01-06' })
  expect(series).toEqual([
    {
      id: 'a',
      label: 'A',
      unit: 'BTC',
      axis: { id: 'auto:BTC', side: 'left', scale: 'linear', title: 'A (BTC)' },
      style: 'line',
      color: '#123456',
      first: { date: '2024-01-02', value: 5 },
      last: { date: '2024-01-05', value: 9 },
      min: { date: '2024-01-03', value: -2 },
      max: { date: '2024-01-05', value: 9 },
      count: 4,
      left_out: 0,
    },
  ])
})

test('counts what a log axis leaves out, and dates cycles by their own days', () => {
  const chart = buildSpecification({
    title: 'T',
    source: '',
    scale: 'log',
    x: { kind: 'day_offset', days: Int32Array.of(19833, 19834, 19835, 19836, 19837, 19838), firstDay: 19833 },
    series: [{ id: 'a', label: 'A', unit: '', values, cycleStart: 15672 }],
  })
  const [series] = describeChart(chart).series
  expect(series!.left_out).toBe(2)
  expect(series!.max).toEqual({ date: '2012-12-02', day_offset: 4, value: 9 })
})

test('a series without values has no points', () => {
  const series = [{ id: 'a', label: 'A', unit: '', values: Float64Array.of(Number.NaN) }]
  const chart = buildSpecification({ title: '', source: '', x: { kind: 'date', days: Int32Array.of(1) }, series })
  expect(describeChart(chart).series[0]).toMatchObject({ first: null, last: null, min: null, max: null, count: 0 })
})

test('remarks count the labels of verticals, lines and areas that have no room', () => {
  const days = Int32Array.from({ length: 400 }, (_, i) => 19_000 + i)
  const verticals = Array.from({ length: 30 }, (_, i) => ({ day: 19_100 + i, label: `Event ${i}` }))
  const asked = {
    title: 'T',
    source: '',
    x: { kind: 'date' as const, days },
    series: [{ id: 'a', label: 'A', unit: 'BTC', values: Float64Array.from(days, (day) => day) }],
    referenceLines: [{ y: 19_100, label: 'Level' }],
    verticals: [...verticals, { day: 5, label: 'Before the chart' }],
  }
  for (const [width, height] of [
    [1200, 600],
    [600, 1000],
  ] as const) {
    const drawn = drawPicture({ ...asked, width, height }).texts.filter(({ text }) => /^Event|^Level/.test(text)).length
    expect(drawn).toBeLessThan(20)
    const remark = `${31 - drawn} of 31 labels of lines and areas have no room in this size.`
    expect(listRemarks(buildSpecification({ ...asked, width, height }))).toEqual([remark])
  }
  expect(listRemarks(buildSpecification({ ...asked, verticals: [] }))).toEqual([])
})
