import { describe, expect, test } from 'vitest'
import { themes } from '#render/draw/theme.ts'
import { drawPicture, labelValue, layoutFaults, pathPieces, readAxis } from '../picture.ts'
import { dayRange } from '../samples.ts'
import { ramp, request } from '../small-request.ts'

describe('lines', () => {
  test('run through every point at the place that the axes give it', () => {
    const values = Float64Array.from({ length: 300 }, (_, i) => 50_000 + 20_000 * Math.sin(i / 20))
    const picture = drawPicture(request([{ id: 'a', values }]))
    const [line] = pathPieces(picture, '.series[data-id="a"]')
    const y = readAxis(picture, 'auto:BTC')
    expect(line).toHaveLength(300)
    for (const i of [0, 1, 77, 150, 299]) expect(Math.abs(line![i]![1] - y(values[i]!))).toBeLessThan(0.15)
    // Evenly spaced days are evenly spaced pixels, and 1 April (day 91) is above its label.
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
    const picture = drawPicture(request([{ id: 'a', values }], { last_values: false }))
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
    for (const column of [left + 20, left + 400, left + 800].map(Math.floor)) {
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

describe('texts', () => {
  test('title, legend, source and dates are there', () => {
    const picture = drawPicture(
      request([
        { values: ramp(366, 1, 2), label: 'First' },
        { values: ramp(366, 1, 2), label: 'Hidden', show_in_legend: false },
        { values: ramp(366, 1, 2), label: 'Last' },
      ]),
    )
    const texts = picture.texts.map(({ text }) => text)
    for (const text of ['Test', 'Source: test', '1 Jan 2024 – 31 Dec 2024', 'BTC']) expect(texts).toContain(text)
    expect(picture.texts.filter(({ group }) => group === 'legend').map(({ text }) => text)).toEqual(['First', 'Last'])
  })

  test('the legend tells grey axes apart: by their side, and on one side by their title', () => {
    const series = ['USD', 'USD', 'BTC', 'BTC', 'days', 'days'].map((unit, i) => ({
      unit,
      label: unit + i,
      values: ramp(9, 1, 2),
    }))
    const { texts } = drawPicture(request(series))
    expect(texts.filter(({ group }) => group === 'legend').map(({ text }) => text)).toEqual([
      'USD0 (USD, left)',
      'USD1 (USD, left)',
      'BTC2 (right)',
      'BTC3 (right)',
      'days4 (days, left)',
      'days5 (days, left)',
    ])
  })

  test('markup in labels is shown as it is written', () => {
    const evil = '</text><script>alert(1)</script>&amp;"\''
    const picture = drawPicture(
      request([{ label: evil, show_in_legend: true, values: ramp(5, 1, 2) }], { title: evil }),
    )
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

describe('labels of references', () => {
  test('stand off the zero line and other lines where there is room', () => {
    const values = ramp(50, -4, 4)
    const picture = drawPicture(
      request([{ values }], {
        referenceAreas: [{ y1: -1e9, y2: 0.2, label: 'Below' }],
        referenceLines: [
          { y: 2, label: 'Two' },
          { y: 2.2, label: 'Above two' },
        ],
      }),
    )
    const y = readAxis(picture, 'auto:BTC')
    for (const name of ['Below', 'Two', 'Above two']) {
      const { top, bottom } = picture.texts.find(({ text }) => text === name)!
      for (const level of [0, 2, 2.2]) expect(y(level) < top || y(level) > bottom, `${name} at ${level}`).toBe(true)
    }
  })
})

test('a label of a reference stands off lines between days that lie far apart', () => {
  // A single line from the lower left to the upper right corner would cover the preferred position
  // of the label.
  const values = Float64Array.of(0, 0, 4)
  const picture = drawPicture(
    request([{ values }], { referenceLines: [{ y: 3.6, label: 'A level with a long name' }] }),
  )
  const label = picture.texts.find(({ text }) => text.startsWith('A level'))!
  const [, middle, last] = pathPieces(picture, '.series')[0]!
  const [x1, y1, x2, y2] = [...middle!, ...last!]
  for (let x = label.left; x <= label.right; x++) {
    const y = y1 + ((y2 - y1) * (x - x1)) / (x2 - x1)
    expect(x > x1 && y > label.top && y < label.bottom).toBe(false)
  }
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

  test('dim the dates that the newest one has not reached', () => {
    const running = ramp(900, 1, 3).map((value, i) => (i < 500 ? value : Number.NaN))
    const x = { kind: 'day_offset', days: dayRange(19833, 900), firstDay: 19833 } as const
    const series = [
      { values: ramp(900, 1, 5), cycleStart: 18393 },
      { values: running, cycleStart: 19833 },
    ]
    const labels = drawPicture(request(series, { x })).texts.filter(({ group }) => group === 'axis bottom')
    const { muted, frame } = themes.light
    // Day 500 of the newest cycle is in September 2025.
    const isLater = ({ text }: { text: string }) => Number(text.slice(-2)) > 25 || /^(Oct|Nov|Dec) ’25/.test(text)
    expect(new Set(labels.map(isLater)).size).toBe(2)
    for (const label of labels) expect([label.text, label.color]).toEqual([label.text, isLater(label) ? frame : muted])
  })
})

test('axis labels read back as the numbers they stand for', () => {
  expect(['−$1.5M', '12\u00a0%', '84,302', '0'].map(labelValue)).toEqual([-1.5e6, 12, 84302, 0])
})
