import { expect, test } from 'vitest'
import { drawChart } from '#render/draw/chart.ts'
import { nodePlatform, serializeSvg } from '#render/output/node-platform.ts'
import type { ChartRequest } from '#render/request/request.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { pathPieces, readAxis, readPicture } from '../picture.ts'
import { dayRange } from '../samples.ts'

const days = dayRange(19_723, 40)
const values = Float64Array.from(days, (_, i) => 5 + 3 * Math.sin(i / 4))

const draw = (request: Partial<ChartRequest>) => {
  const chart = buildSpecification({
    title: 'T',
    source: '',
    x: { kind: 'date', days },
    series: [{ id: 'a', label: 'A', unit: 'BTC', values }],
    ...request,
  })
  const { svg, frame } = drawChart(chart, nodePlatform)
  return { chart, frame, picture: readPicture(serializeSvg(svg)) }
}

test('the frame tells where each value of a line is drawn', () => {
  const { frame, picture } = draw({})
  const [piece = []] = pathPieces(picture, '.series')
  expect(piece).toHaveLength(40)
  piece.forEach(([x, y], entry) => {
    expect(frame.days.position(days[entry]!)).toBeCloseTo(x, 0)
    expect(frame.series[0]!.position(entry)).toBeCloseTo(y, 0)
  })
  expect([frame.plot.left, frame.plot.right]).toEqual([piece[0]![0], piece.at(-1)![0]])
  expect(frame.series[0]!.series).toMatchObject({ id: 'a', label: 'A' })
})

test('scales lead from a place back to its value and its day', () => {
  for (const scale of ['linear', 'log'] as const) {
    const { frame, picture } = draw({ scale })
    const [axis] = frame.scales
    const ruler = readAxis(picture, 'auto:BTC', scale === 'log')
    for (const value of [3, 5, 8]) {
      expect(axis!.value(ruler(value))).toBeCloseTo(value, 1)
      expect(axis!.value(axis!.position(value))).toBeCloseTo(value, 9)
    }
    expect(frame.days.day(frame.days.position(19_730))).toBeCloseTo(19_730, 9)
    expect([0, 17, 39].map((entry) => frame.days.nearest(frame.days.position(days[entry]!) + 3))).toEqual([0, 17, 39])
    expect(frame.days.nearest(-1_000)).toBe(0)
    expect(frame.days.nearest(10_000)).toBe(39)
  }
})

test('a stacked series stands at its upper edge, a gap nowhere', () => {
  const one = (id: string, values: Float64Array) => ({ id, label: id, unit: 'BTC', stacked: true, values })
  const { frame } = draw({ series: [one('a', values), one('b', values.with(7, Number.NaN))] })
  const [a, b] = frame.series
  expect(b!.scale.value(b!.position(3))).toBeCloseTo(2 * values[3]!, 9)
  expect(a!.scale.value(a!.position(3))).toBeCloseTo(values[3]!, 9)
  expect([a!.position(7), b!.position(7), b!.position(40)].map(Number.isNaN)).toEqual([false, true, true])
})

test('days out of order, and columns of other lengths, are refused instead of drawn', () => {
  const chart = buildSpecification({
    title: 'T',
    source: '',
    x: { kind: 'date', days },
    series: [{ id: 'a', label: 'A', unit: 'BTC', values }],
    referenceLines: [{ y: values, label: 'L' }],
    referenceAreas: [{ y1: 0, y2: values, label: 'R' }],
  })
  const draw = (change: Partial<typeof chart>) => () => drawChart({ ...chart, ...change }, nodePlatform)
  const refusal = 'the days of a chart must ascend, and each of its columns must have one value per day'
  const short = values.subarray(1)
  const bins = Float64Array.of(1, 2)
  const heatmap = { id: 'h', label: '', unit: '', axisId: 'auto:BTC', colorScale: 'viridis' as const }
  for (const change of [
    { x: { kind: 'date' as const, days: days.toReversed() } },
    { x: { kind: 'date' as const, days: days.with(9, days[8]!) } },
    { series: [{ ...chart.series[0]!, values: short }] },
    { referenceLines: [{ ...chart.referenceLines[0]!, y: short }] },
    { referenceAreas: [{ ...chart.referenceAreas[0]!, y2: short }] },
    { heatmap: { ...heatmap, binLower: bins, binUpper: bins, values } },
  ]) {
    expect(draw(change)).toThrow(refusal)
  }
  expect(draw({})).not.toThrow()
})
