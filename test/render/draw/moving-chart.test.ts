import { expect, test } from 'vitest'
import { drawChartOn } from '#render/draw/chart.ts'
import type { ChartFrame } from '#render/draw/frame.ts'
import { ElementGroup } from '#render/draw/group.ts'
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

const drawn = (draw: (root: ElementGroup) => ChartFrame) => {
  const svg = nodePlatform.document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const result = draw(new ElementGroup(svg))
  return { result, svg }
}

test('during a gesture marks reach beyond the plot, and axes and labels are those of the days in view', () => {
  const chart = chartOfRows(10, 29)
  const alone = drawn((root) => drawChartOn(root, chart, nodePlatform)).svg
  const { svg, result: frame } = drawn((root) =>
    drawChartOn(root, chart, nodePlatform, { span: [19_723 + 10, 19_723 + 29], marks: chartOfRows(-20, 59) }),
  )
  for (const part of ['.axis.left', '.axis.right', '.axis.bottom', '.end-labels', '.legend', '.verticals'])
    expect([part, svg.querySelector(part)?.outerHTML]).toEqual([part, alone.querySelector(part)?.outerHTML])
  const [piece = []] = pathPieces(readPicture(serializeSvg(svg)), '.series')
  expect(piece).toHaveLength(80)
  const perDay = (frame.plot.right - frame.plot.left) / 19
  expect(piece[0]![0]).toBeCloseTo(frame.plot.left - 30 * perDay, 0)
  expect(piece.at(-1)![0]).toBeCloseTo(frame.plot.right + 30 * perDay, 0)
  expect(piece[30]).toEqual([frame.plot.left, expect.closeTo(frame.scales[0]!.position(10 % 7), 1)])
})

test('a part of a day moves marks, dates and ends of series', () => {
  const chart = chartOfRows(10, 29)
  const draw = (part: number) =>
    drawn((root) =>
      drawChartOn(root, chart, nodePlatform, {
        span: [19_723 + 10 - part, 19_723 + 29 + 1 - part],
        marks: chartOfRows(9, 30),
      }),
    )
  const [whole, moved] = [draw(0), draw(0.5)]
  const half = whole.result.days.position(0.5) - whole.result.days.position(0)
  const places = ({ svg }: ReturnType<typeof draw>) => [
    Number(svg.querySelector('.axis.bottom text')?.getAttribute('x')),
    Number(svg.querySelector('.end')?.getAttribute('cx')),
    pathPieces(readPicture(serializeSvg(svg)), '.series')[0]?.[0]?.[0],
  ]
  const before = places(whole)
  expect(places(moved)).toEqual(before.map((place) => expect.closeTo(place! + half, 0)))
  expect(half).toBeGreaterThan(5)
})
