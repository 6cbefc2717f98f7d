import { cumsum } from 'd3-array'
import { rgb } from 'd3-color'
import { interpolateViridis } from 'd3-scale-chromatic'
import { describe, expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { listGridRows } from '#render/draw/month-grid.ts'
import { themes } from '#render/draw/theme.ts'
import { listRemarks } from '#render/output/metadata.ts'
import { findCrossings } from '#render/request/crossings.ts'
import { monthlyValues } from '#render/request/monthly-values.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { drawPicture, layoutFaults, readAxis } from '../picture.ts'
import { dayRange } from '../samples.ts'
import { ramp, request } from '../small-request.ts'

const column = (...values: number[]) => Float64Array.from(values)
const gap = Number.NaN

describe('rows of cells', () => {
  const rows = (values: readonly Float64Array[], more = {}) =>
    request(
      values.map((one, i) => ({ values: one, label: `Rate of place ${i}`, style: 'heatmap' as const })),
      more,
    )

  test('a cell of each value has the color of the legend, the first row at the top, without one for a gap', () => {
    const picture = drawPicture(rows([column(0, 1, 2, gap), column(4, 4, 4, 3)]))
    const cells = [...picture.document.querySelectorAll('.series')].flatMap((path) =>
      [...path.getAttribute('d')!.matchAll(/M([\d.]+),([\d.]+)H([\d.]+)V([\d.]+)/g)].map(([, ...box]) => ({
        id: path.getAttribute('data-id'),
        color: path.getAttribute('fill')!,
        box: box.map(Number) as [number, number, number, number],
      })),
    )
    expect(cells.filter(({ id }) => id === 's0')).toHaveLength(3)
    expect(cells.filter(({ id }) => id === 's1')).toHaveLength(4)
    // From 0 to 4 in 43 colours.
    const near = (one: string, other: string) =>
      (['r', 'g', 'b'] as const).every((channel) => Math.abs(rgb(one)[channel] - rgb(other)[channel]) < 6)
    const [first, second] = cells.filter(({ id }) => id === 's0').sort((a, b) => a.box[0] - b.box[0])
    expect(near(first!.color, interpolateViridis(0))).toBe(true)
    expect(near(second!.color, interpolateViridis(0.25))).toBe(true)
    const top = cells.filter(({ id }) => id === 's0').map(({ box }) => box[3])
    const below = cells.filter(({ id }) => id === 's1').map(({ box }) => box[1])
    expect(Math.max(...top)).toBeLessThan(Math.min(...below))
    // Four equal cells side by side.
    expect(Math.abs(first!.box[2] - first!.box[0] - (second!.box[2] - second!.box[0]))).toBeLessThanOrEqual(1)
    expect(second!.box[0]).toBe(first!.box[2])
    const names = picture.texts.filter(({ group }) => group === 'ticks').map(({ text }) => text)
    expect(names).toEqual(['0', '1'])
    expect(layoutFaults(picture)).toEqual([])
  })

  test('values on both sides of zero have two colors of equal strength around a neutral one', () => {
    const picture = drawPicture(rows([column(-2, 0, 2), column(1, 1, -1)]))
    const fills = [...picture.document.querySelectorAll('.series[data-id="s0"]')].map((path) =>
      path.getAttribute('fill'),
    )
    expect(fills).toHaveLength(3)
    expect(rgb(fills[1]!).formatHex()).not.toBe(fills[0])
    const distance = (one: string) => Math.abs(rgb(one).b - rgb(themes.light.grid).b)
    expect(distance(fills[1]!)).toBeLessThan(8)
  })

  test('cells narrower than a pixel are drawn as their mean, and as many as there are pixels', () => {
    const values = Float64Array.from({ length: 6_000 }, (_, i) => i % 2)
    const picture = drawPicture(rows([values, ramp(6_000, 0, 1)]))
    const paths = [...picture.document.querySelectorAll('.series[data-id="s0"]')]
    const lefts = paths.flatMap((path) => [...path.getAttribute('d')!.matchAll(/M([\d.]+),/g)].map(([, x]) => x))
    expect(new Set(lefts).size).toBe(lefts.length)
    expect(lefts.length).toBeGreaterThan(600)
    expect(lefts.length).toBeLessThan(1_200)
  })
})

describe('a line with colors', () => {
  test('has pieces in the colors of another column that together are the whole line', () => {
    const values = ramp(9, 10, 18)
    const colorBy = { title: 'MVRV', format: 'number', factor: 1, values: column(1, 1, 1, 2, 2, 2, 3, gap, 3) } as const
    const picture = drawPicture(request([{ values, colorBy }]))
    const pieces = [...picture.document.querySelectorAll('.series')]
    expect(pieces.map((path) => path.getAttribute('stroke'))).toContain(themes.light.muted)
    expect(new Set(pieces.map((path) => path.getAttribute('stroke'))).size).toBe(4)
    const segments = pieces.flatMap((path) =>
      path
        .getAttribute('d')!
        .split('M')
        .slice(1)
        .flatMap((piece) => piece.split('L').slice(1)),
    )
    // Eight segments between nine days.
    expect(segments).toHaveLength(8)
    const y = readAxis(picture, 'auto:BTC')
    const heights = segments.map((point) => Number(point.split(',')[1])).sort((a, b) => b - a)
    for (const [i, height] of heights.entries()) expect(Math.abs(height - y(11 + i))).toBeLessThan(0.1)
    const legend = picture.texts.filter(({ group }) => group === 'color-legend').map(({ text }) => text)
    expect(legend.length).toBeGreaterThan(2)
    expect(picture.texts.map(({ text }) => text)).toContain('MVRV')
  })
})

describe('crossings', () => {
  const line = (...values: number[]) => ({ label: 'A', axisId: 'y', values: column(...values) })
  const find = (one: readonly number[], other: readonly number[]) =>
    findCrossings({ line: 0, crosses: 1, up: 'up', down: 'down' }, [line(...one), { ...line(...other), label: 'B' }], {
      kind: 'date',
      days: dayRange(100, one.length),
    }).map(({ day, label }) => `${label} ${day}`)

  test('are the first days on the other side', () => {
    expect(find([1, 2, 3, 4, 3, 2, 1], [2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5])).toEqual(['up 102', 'down 105'])
    // A touch is none, and a gap begins anew.
    expect(find([1, 2, 1], [2, 2, 2])).toEqual([])
    expect(find([1, 2, 3], [2, 2, 2])).toEqual(['up 102'])
    expect(find([1, gap, 3], [2, 2, 2])).toEqual([])
  })

  test('agree with a count of changes of sign, of two random walks', () => {
    // A generator with a seed, so that the walks are the same in each run.
    let seed = 7
    const step = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647 - 0.5
    }
    const walk = () => [...cumsum(Array.from({ length: 500 }, step))]
    const [one, other] = [walk(), walk()]
    const expected = one.flatMap((value, i) => {
      const now = value > other[i]!
      return i === 0 || now === one[i - 1]! > other[i - 1]! ? [] : [`${now ? 'up' : 'down'} ${100 + i}`]
    })
    expect(expected.length).toBeGreaterThan(5)
    expect(find(one, other)).toEqual(expected)
  })

  test('are triangles at their values, up and down, counted in the legend, the description and the remarks', () => {
    const asked = request([{ values: column(1, 2, 3, 4, 3, 2, 1) }, { values: new Float64Array(7).fill(2.5) }], {
      crossings: [{ line: 0, crosses: 1, up: 'Golden cross', down: 'Death cross' }],
    })
    const picture = drawPicture(asked)
    const y = readAxis(picture, 'auto:BTC')
    const marks = [...picture.document.querySelectorAll('svg .crossing')].map((mark) => ({
      label: mark.getAttribute('data-label'),
      points: [...mark.getAttribute('d')!.matchAll(/([\d.]+),([\d.]+)/g)].map(([, x, height]) => [
        Number(x),
        Number(height),
      ]),
      isUp:
        Number(mark.getAttribute('d')!.split('h')[0]!.split(',')[1]) >
        Number(mark.getAttribute('d')!.split(',').at(-1)!.replace('z', '')),
    }))
    const drawn = marks.slice(-2)
    expect(drawn.map(({ label, isUp }) => [label, isUp])).toEqual([
      ['Golden cross', true],
      ['Death cross', false],
    ])
    for (const [i, { points }] of drawn.entries()) {
      const middle = (points[0]![1]! + points[1]![1]!) / 2
      expect(Math.abs(middle - y([3, 2][i]!))).toBeLessThan(0.1)
    }
    const texts = picture.texts.map(({ text }) => text)
    expect(texts).toEqual(expect.arrayContaining(['Golden cross (1)', 'Death cross (1)']))
    expect(picture.document.querySelector('desc')!.textContent).toContain('Golden cross: once, on 3 Jan 2024.')
    expect(listRemarks(buildSpecification(asked))).toContain('Death cross: once, on 6 Jan 2024.')
  })
})

describe('a table of months', () => {
  const days = dayRange(parseDay('2022-12-31'), 1 + 365 + 31)
  const values = Float64Array.from(days, (day) => (day < parseDay('2023-02-01') ? 10 : 30))

  test('has sums of flows and means of rates', () => {
    const look = { format: 'number', factor: 1 } as const
    const sums = monthlyValues(days, values, { ...look, measure: 'sum' })
    expect([sums.years, [...sums.months.slice(0, 2)], sums.months[12]]).toEqual([[2023, 2024], [310, 840], 930])
    expect([...sums.totals]).toEqual([310 + 334 * 30, 930])
    const means = monthlyValues(days, values, { ...look, measure: 'mean' })
    expect([...means.months.slice(0, 2), means.totals[1]]).toEqual([10, 30, 30])
    expect(means.totals[0]).toBeCloseTo((310 + 334 * 30) / 365, 12)
  })

  test('ends in the mean and median of each month, without what is not over', () => {
    const grid = monthlyValues(days, values, { measure: 'mean', format: 'number', factor: 1 })
    const january = (unfinished: boolean) => listGridRows(grid, unfinished).map(({ name, values }) => [name, values[0]])
    expect(january(false)).toEqual([
      ['2024', 30],
      ['2023', 10],
      ['Mean', 20],
      ['Median', 20],
    ])
    expect(january(true).slice(2)).toEqual([
      ['Mean', 10],
      ['Median', 10],
    ])
  })

  test('of ratios on both sides of 1 has the colours of losses below it and of gains above', () => {
    const hues = (first: number, center?: number) => {
      const ratios = Float64Array.from(days, (day) => (day < parseDay('2023-02-01') ? first : 3))
      const monthGrid = monthlyValues(days, ratios, { measure: 'mean', format: 'number', factor: 1, center })
      const { document } = drawPicture({ title: '', source: '', x: { kind: 'date', days }, series: [], monthGrid })
      const cells = [...document.querySelectorAll('.month-grid rect')]
        .slice(0, 3)
        .map((cell) => rgb(cell.getAttribute('fill')!))
      return cells.map(({ r, b }) => (b > r ? 'gain' : 'loss'))
    }
    // January 2024 and its year, then January 2023.
    expect(hues(0.5, 1)).toEqual(['gain', 'gain', 'loss'])
    expect(hues(0.5)).toEqual(['gain', 'gain', 'gain'])
    expect(hues(1.5, 1)).toEqual(['gain', 'gain', 'gain'])
  })
})
