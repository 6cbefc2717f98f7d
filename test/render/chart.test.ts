import { describe, expect, test } from 'vitest'
import type { ChartRequest, RequestedAxis, RequestedSeries } from '#render/request.ts'
import { drawPicture, labelValue, layoutFaults, pathPieces, readAxis } from './picture.ts'
import { dayRange } from './samples.ts'

/** 2024-01-01 */
const start = 19723

function request(series: Partial<RequestedSeries>[], more: Partial<ChartRequest> = {}): ChartRequest {
  const length = Math.max(...series.map(({ values }) => values?.length ?? 0))
  return {
    title: 'Test',
    source: 'Source: test',
    x: { kind: 'date', days: dayRange(start, length) },
    series: series.map((one, i) => ({
      id: `s${i}`,
      label: `Series ${i}`,
      unit: 'BTC',
      values: new Float64Array(0),
      ...one,
    })),
    ...more,
  }
}

const ramp = (count: number, from: number, to: number) =>
  Float64Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1))

describe('lines', () => {
  test('run through every point at the place that the axes give it', () => {
    const values = Float64Array.from({ length: 300 }, (_, i) => 50_000 + 20_000 * Math.sin(i / 20))
    const picture = drawPicture(request([{ id: 'a', values }]))
    const [line] = pathPieces(picture, '.series[data-id="a"]')
    const y = readAxis(picture, 'auto:BTC')
    expect(line).toHaveLength(300)
    for (const i of [0, 1, 77, 150, 299]) expect(Math.abs(line![i]![1] - y(values[i]!))).toBeLessThan(0.15)
    // Evenly spaced days are evenly spaced pixels, and 1 April (day 91) stands over its label.
    const april = picture.texts.find(({ text }) => text === 'Apr ’24')
    expect(Math.abs(line![91]![0] - april!.x)).toBeLessThan(0.15)
    expect(line![200]![0] - line![100]![0]).toBeCloseTo(line![100]![0] - line![0]![0], 0)
  })

  test('lie where a log axis puts them', () => {
    const values = Float64Array.from({ length: 100 }, (_, i) => 10 ** (i / 20))
    const picture = drawPicture(request([{ id: 'a', values }], { scale: 'log' }))
    const [line] = pathPieces(picture, '.series[data-id="a"]')
    const y = readAxis(picture, 'auto:BTC', true)
    for (const i of [0, 33, 99]) expect(Math.abs(line![i]![1] - y(values[i]!))).toBeLessThan(0.15)
  })

  test('break where values are missing, and show a lonely day', () => {
    const values = Float64Array.of(1, 2, Number.NaN, 4, Number.NaN, 6, 7)
    const pieces = pathPieces(drawPicture(request([{ id: 'a', values }])), '.series[data-id="a"]')
    expect(pieces.map((piece) => piece.length)).toEqual([2, 1, 2])
  })

  test('keep the least and greatest value of each pixel column when days are denser than pixels', () => {
    const values = Float64Array.from({ length: 6000 }, (_, i) => Math.sin(i * 12.9898) * 1000 * Math.sin(i / 900))
    const picture = drawPicture(request([{ id: 'a', values }]))
    const [line] = pathPieces(picture, '.series[data-id="a"]')
    const y = readAxis(picture, 'auto:BTC')
    const [left, right] = [line![0]![0], line!.at(-1)![0]]
    const drawn = new Map<number, [number, number]>()
    const expected = new Map<number, [number, number]>()
    const widen = (columns: typeof drawn, x: number, height: number) => {
      const [low, high] = columns.get(Math.floor(x)) ?? [height, height]
      columns.set(Math.floor(x), [Math.min(low, height), Math.max(high, height)])
    }
    for (const [x, height] of line!) widen(drawn, x, height)
    for (const [i, value] of values.entries()) widen(expected, left + ((right - left) * i) / 5999, y(value))
    expect(line!.length).toBeLessThan(5000)
    for (const column of [left + 10, left + 333, left + 700].map(Math.floor)) {
      expect(Math.abs(drawn.get(column)![0] - expected.get(column)![0])).toBeLessThan(0.2)
      expect(Math.abs(drawn.get(column)![1] - expected.get(column)![1])).toBeLessThan(0.2)
    }
  })

  test('leave out what a log axis cannot show', () => {
    const values = Float64Array.of(1, 0, -5, 10, 100)
    const pieces = pathPieces(drawPicture(request([{ id: 'a', values }], { scale: 'log' })), '.series[data-id="a"]')
    expect(pieces.map((piece) => piece.length)).toEqual([1, 2])
  })
})

describe('bars and areas', () => {
  test('bars rise from zero to their value, falling ones in their own colour', () => {
    const values = Float64Array.of(2, -1, 0, 3)
    const picture = drawPicture(
      request([{ id: 'a', style: 'bar', color: '#0000aa', negativeColor: '#aa0000', values }]),
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

describe('axes', () => {
  const domain = (more: Partial<RequestedAxis>, values = ramp(50, 100, 200)) => {
    const picture = drawPicture(request([{ id: 'a', axisId: 'y', values }], { axes: [{ id: 'y', ...more }] }))
    const y = readAxis(picture, 'y', more.scale === 'log')
    const frame = picture.document.querySelector('svg svg')!
    const [top, height] = [Number(frame.getAttribute('y')), Number(frame.getAttribute('height'))]
    return { top: (value: number) => y(value) - top - 1, bottom: (value: number) => top + height - 1 - y(value) }
  }

  test('leave 10 % of air around the data', () => {
    const { top, bottom } = domain({})
    expect(Math.abs(top(210))).toBeLessThan(0.6)
    expect(Math.abs(bottom(90))).toBeLessThan(0.6)
  })

  test('leave it in the logarithm on a log axis', () => {
    const { top, bottom } = domain({ scale: 'log' }, ramp(50, 10, 10_000))
    expect(Math.abs(top(10_000 * 10 ** 0.3))).toBeLessThan(0.8)
    expect(Math.abs(bottom(10 / 10 ** 0.3))).toBeLessThan(0.8)
  })

  test('leave none at the ends that want none', () => {
    expect(Math.abs(domain({ noPadding: 'both' }).top(200))).toBeLessThan(0.6)
    expect(Math.abs(domain({ noPadding: 'bottom' }).bottom(100))).toBeLessThan(0.6)
    expect(Math.abs(domain({ noPadding: 'bottom' }).top(210))).toBeLessThan(0.6)
  })

  test('end where they are clamped', () => {
    const { top, bottom } = domain({ domainMinimum: 120, domainMaximum: 150 })
    expect(Math.abs(top(150))).toBeLessThan(0.6)
    expect(Math.abs(bottom(120))).toBeLessThan(0.6)
  })

  test('never show negative prices for the sake of air', () => {
    const picture = drawPicture(request([{ values: ramp(50, 0.05, 100_000) }]))
    expect(picture.texts.filter(({ group, text }) => group === 'ticks' && text.startsWith('−'))).toEqual([])
  })

  test('keep to their vertical zone', () => {
    const picture = drawPicture(
      request(
        [
          { id: 'upper', axisId: 'up', values: ramp(50, 5, 10) },
          { id: 'lower', axisId: 'down', values: ramp(50, 5, 10) },
        ],
        {
          axes: [
            { id: 'up', range: [50, 100] },
            { id: 'down', range: [0, 40] },
          ],
        },
      ),
    )
    const heights = (id: string) => pathPieces(picture, `.series[data-id="${id}"]`)[0]!.map(([, y]) => y)
    const [plotTop, plotBottom] = [
      Math.min(...heights('upper')) - (Math.max(...heights('upper')) - Math.min(...heights('upper'))) / 10,
      Math.max(...heights('lower')) + (Math.max(...heights('lower')) - Math.min(...heights('lower'))) / 10,
    ]
    const share = (pixel: number) => (plotBottom - pixel) / (plotBottom - plotTop)
    expect(share(Math.max(...heights('upper')))).toBeGreaterThan(0.5)
    expect(share(Math.min(...heights('lower')))).toBeLessThan(0.4)
  })

  test('write fractions in percent when asked to', () => {
    const picture = drawPicture(
      request([{ unit: 'ratio', axisId: 'y', values: ramp(9, 0.1, 0.5) }], { axes: [{ id: 'y', format: 'percent' }] }),
    )
    const labels = picture.texts.filter(({ group }) => group === 'ticks').map(({ text }) => text)
    expect(labels).toContain('30\u00a0%')
  })

  test('are grey for several series, in the colour of a single one otherwise', () => {
    const two = drawPicture(request([{ values: ramp(9, 1, 2) }, { values: ramp(9, 1, 3) }]))
    const one = drawPicture(request([{ values: ramp(9, 1, 2), color: '#1f6fd6' }]))
    const colors = (picture: typeof one) =>
      new Set(picture.texts.filter(({ group }) => group === 'ticks').map(({ color }) => color))
    expect(colors(two)).toEqual(new Set(['#5b616b']))
    expect(colors(one)).toEqual(new Set(['#1f6fd6']))
  })
})

describe('texts', () => {
  test('title, legend, source and dates are there', () => {
    const picture = drawPicture(
      request([
        { values: ramp(366, 1, 2), label: 'First' },
        { values: ramp(366, 1, 2), label: 'Hidden', showInLegend: false },
        { values: ramp(366, 1, 2), label: 'Last' },
      ]),
    )
    const texts = picture.texts.map(({ text }) => text)
    for (const text of ['Test', 'Source: test', '1 Jan 2024 – 31 Dec 2024', 'BTC']) expect(texts).toContain(text)
    expect(picture.texts.filter(({ group }) => group === 'legend').map(({ text }) => text)).toEqual(['First', 'Last'])
  })

  test('markup in labels is shown as it is written', () => {
    const evil = '</text><script>alert(1)</script>&amp;"\''
    const picture = drawPicture(request([{ label: evil, showInLegend: true, values: ramp(5, 1, 2) }], { title: evil }))
    expect(picture.document.querySelector('script')).toBeNull()
    expect(picture.texts.filter(({ text }) => text === evil)).toHaveLength(2)
  })

  test('characters that XML forbids, and those that turn the reading direction, are dropped', () => {
    const picture = drawPicture(request([{ values: ramp(5, 1, 2) }], { title: 'a\u0000b\u202ec\ud800d\n\te' }))
    expect(picture.texts[0]!.text).toBe('a bc\ufffdd e')
  })

  test('a long title ends in an ellipsis inside the picture', () => {
    const picture = drawPicture(
      request([{ values: ramp(5, 1, 2) }], { title: 'W'.repeat(120), width: 600, height: 300 }),
    )
    expect(picture.texts[0]!.text).toMatch(/^W{10,}…$/)
    expect(layoutFaults(picture)).toEqual([])
  })

  test('a range without data says so', () => {
    const picture = drawPicture(request([{ values: new Float64Array(9).fill(Number.NaN) }]))
    expect(picture.texts.map(({ text }) => text)).toContain('No data in this range')
  })
})

describe('references', () => {
  test('a reference line stands at its level with its label, and widens the axis', () => {
    const picture = drawPicture(
      request([{ values: ramp(20, 1, 2) }], { referenceLines: [{ y: 3, label: 'Three', stroke: '#aa3300' }] }),
    )
    const y = readAxis(picture, 'auto:BTC')
    const d = picture.document.querySelector('.reference-line')!.getAttribute('d')!
    expect(Math.abs(Number(/,([\d.]+)H/.exec(d)![1]) - y(3))).toBeLessThan(0.15)
    expect(picture.texts.map(({ text }) => text)).toContain('Three')
  })

  test('a line of levels follows them, and an area fills the room between its edges', () => {
    const levels = ramp(20, 1, 2)
    const picture = drawPicture(
      request([{ values: ramp(20, 0, 4) }], {
        referenceLines: [{ y: levels }],
        referenceAreas: [{ y1: 1, y2: 1e9, fill: '#00aa00' }],
      }),
    )
    const y = readAxis(picture, 'auto:BTC')
    const [line] = pathPieces(picture, '.reference-line')
    expect(Math.abs(line![10]![1] - y(levels[10]!))).toBeLessThan(0.15)
    const [, from, to] = /,([\d.]+)H[\d.]+V([\d.]+)H/.exec(
      picture.document.querySelector('.reference-area')!.getAttribute('d')!,
    )!
    expect(Math.abs(Number(from) - y(1))).toBeLessThan(0.15)
    expect(Number(to)).toBeLessThan(y(4))
  })
})

describe('cycles laid over each other', () => {
  test('are labelled with month and two-digit year of the newest one', () => {
    const days = dayRange(19833, 900)
    const picture = drawPicture(
      request(
        [
          { values: ramp(900, 1, 5), cycleStart: 18393 },
          { values: ramp(900, 1, 3), cycleStart: 19833 },
        ],
        {
          x: { kind: 'day_offset', days, firstDay: 19833 },
        },
      ),
    )
    const labels = picture.texts.filter(({ group }) => group === 'axis bottom').map(({ text }) => text)
    expect(labels.length).toBeGreaterThan(3)
    for (const label of labels) expect(label).toMatch(/^[A-Z][a-z]{2} ’\d\d$/)
    expect(labels[0]).toBe('May ’24')
  })
})

test('axis labels read back as the numbers they stand for', () => {
  expect(['−$1.5M', '12\u00a0%', '84,302', '0'].map(labelValue)).toEqual([-1.5e6, 12, 84302, 0])
})
