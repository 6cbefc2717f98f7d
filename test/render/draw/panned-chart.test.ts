import { expect, test } from 'vitest'
import { drawChartOn } from '#render/draw/chart.ts'
import { ElementGroup } from '#render/draw/group.ts'
import { drawPannedDates, drawPannedEndLabels } from '#render/draw/panned-chart.ts'
import type { ChartSpecification } from '#render/draw/specification.ts'
import { nodePlatform, serializeSvg } from '#render/output/node-platform.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { pathPieces, readPicture } from '../picture.ts'
import { dayRange } from '../samples.ts'

/** Rows 10 to 29, or all from −20 to 59, whose additional values are far higher. */
function chartOfRows(first: number, last: number): ChartSpecification {
  const rows = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  return buildSpecification({
    title: '',
    source: '',
    x: { kind: 'date', days: dayRange(19_723 + first, rows.length) },
    series: [
      {
        id: 'a',
        label: 'A',
        unit: 'BTC',
        values: Float64Array.from(rows, (row) => (row < 10 || row > 29 ? 90 : row % 7)),
      },
    ],
    last_values: true,
    verticals: [
      { day: 19_723 + 20, label: 'within' },
      { day: 19_723 - 5, label: 'before' },
    ],
  })
}

const drawn = (draw: (root: ElementGroup) => unknown) => {
  const svg = nodePlatform.document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const result = draw(new ElementGroup(svg))
  return { result, svg }
}

test('rows beyond the ends of a chart get marks beyond its plot, and change neither axes nor what stands around', () => {
  const chart = chartOfRows(10, 29)
  const alone = drawn((root) => drawChartOn(root, chart, nodePlatform))
  let frame = drawChartOn(new ElementGroup(alone.svg), chart, nodePlatform)
  const { svg } = drawn((root) => {
    frame = drawChartOn(root, chart, nodePlatform, chartOfRows(-20, 59))
  })
  for (const part of ['.axis.left', '.axis.right', '.axis.bottom', '.end-labels', '.legend'])
    expect([part, svg.querySelector(part)?.outerHTML]).toEqual([part, alone.svg.querySelector(part)?.outerHTML])
  const [piece = []] = pathPieces(readPicture(serializeSvg(svg)), '.series')
  expect(piece).toHaveLength(80)
  const perDay = (frame.plot.right - frame.plot.left) / 19
  expect(piece[0]![0]).toBeCloseTo(frame.plot.left - 30 * perDay, 0)
  expect(piece.at(-1)![0]).toBeCloseTo(frame.plot.right + 30 * perDay, 0)
  expect(piece[30]).toEqual([frame.plot.left, expect.closeTo(frame.scales[0]!.position(10 % 7), 1)])
  const lines = [...svg.querySelectorAll('.vertical-line')].map((line) => line.getAttribute('d') ?? '')
  const places = lines.map((d) => Number(/^M([-\d.]+)/.exec(d)?.[1]))
  expect(places.toSorted((a, b) => a - b)).toEqual([
    expect.closeTo(frame.plot.left - 15 * perDay, -0.5),
    expect.closeTo(frame.plot.left + 10 * perDay, -0.5),
  ])
})

test('dates and ends are written as in the whole chart where days lie as there, and elsewhere with the days', () => {
  const chart = chartOfRows(10, 29)
  let frame = drawChartOn(new ElementGroup(drawn(() => {}).svg), chart, nodePlatform)
  const whole = drawn((root) => {
    frame = drawChartOn(root, chart, nodePlatform)
  }).svg
  const moved = { ...frame, position: frame.days.position }
  const dates = drawn((root) => drawPannedDates(root, chart, nodePlatform, moved)).svg
  expect(dates.innerHTML).toBe(whole.querySelector('.axis.bottom')?.outerHTML)
  const ends = drawn((root) => drawPannedEndLabels(root, chart, nodePlatform, moved)).svg
  expect(ends.innerHTML).toBe(whole.querySelector('.end-labels')?.outerHTML)
  const left = (svg: SVGSVGElement) => Number(svg.querySelector('text')?.getAttribute('x'))
  const shifted = drawn((root) =>
    drawPannedDates(root, chart, nodePlatform, { ...frame, position: (day) => frame.days.position(day) + 10 }),
  ).svg
  expect(left(shifted) - left(dates)).toBeCloseTo(10, 5)
})
