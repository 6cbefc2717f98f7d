import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { readableColor } from '#render/draw/color.ts'
import { themes } from '#render/draw/theme.ts'
import { listRemarks } from '#render/output/metadata.ts'
import { monthlyValues } from '#render/request/monthly-values.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { templates } from '#render/request/templates.ts'
import { drawPicture, layoutFaults, type Picture, readAxis } from '../picture.ts'
import { dayRange, fillTemplate } from '../samples.ts'
import { ramp, request } from '../small-request.ts'

/** Top and bottom of bodies and wicks of a colour. */
function candlesOf({ document }: Picture, fill: string) {
  const d = document.querySelector(`.series[fill="${fill}"]`)?.getAttribute('d') ?? ''
  const bodies = [...d.matchAll(/M[\d.]+,([\d.]+)h[\d.]+v([\d.]+)h-[\d.]+z/g)].map(([, top, height]) => ({
    top: Number(top),
    bottom: Number(top) + Number(height),
  }))
  const wicks = [...d.matchAll(/M[\d.]+,([\d.]+)h1V([\d.]+)h-1z/g)].map(([, top, bottom]) => ({
    top: Number(top),
    bottom: Number(bottom),
  }))
  return { bodies, wicks }
}

const price = {
  id: 'price',
  unit: 'USD',
  style: 'candle' as const,
  values: Float64Array.of(110, 90, 95),
  candles: {
    open: Float64Array.of(100, 110, 90),
    high: Float64Array.of(120, 112, 99),
    low: Float64Array.of(95, 80, 85),
  },
}

test('a candle has its body from open to close and its wick from low to high, rises and falls apart', () => {
  const picture = drawPicture(request([{ ...price, color: '#0000aa', negative_color: '#aa0000' }]))
  const y = readAxis(picture, 'auto:USD')
  const near = ({ top, bottom }: { top: number; bottom: number }, high: number, low: number) => {
    expect(Math.abs(top - y(high))).toBeLessThan(0.3)
    expect(Math.abs(bottom - y(low))).toBeLessThan(0.3)
  }
  const [rose, fell] = ['#0000aa', '#aa0000'].map((color) => candlesOf(picture, color))
  expect([rose!.bodies.length, fell!.bodies.length]).toEqual([2, 1])
  near(rose!.bodies[0]!, 110, 100)
  near(rose!.wicks[0]!, 120, 95)
  near(fell!.bodies[0]!, 110, 90)
  near(fell!.wicks[0]!, 112, 80)
  near(rose!.bodies[1]!, 95, 90)
})

test('the value at the end has the colour of the last candle', () => {
  const labelled = (values: Float64Array) => {
    const { document } = drawPicture(request([{ ...price, values, color: '#0000aa', negative_color: '#aa0000' }]))
    return document.querySelector('.end-labels text')!.getAttribute('fill')
  }
  const [rose, fell] = ['#0000aa', '#aa0000'].map((color) => readableColor(color, '#ffffff'))
  expect([labelled(Float64Array.of(110, 90, 95)), labelled(Float64Array.of(110, 90, 88))]).toEqual([rose, fell])
})

test('where days are too close for candles, their closes are a line', () => {
  const many = ramp(2000, 100, 200)
  const picture = drawPicture(request([{ ...price, values: many, candles: { open: many, high: many, low: many } }]))
  const line = picture.document.querySelector('.series')!
  // In the colour of the price: the colour of rising candles would mislead.
  expect([line.getAttribute('fill'), line.getAttribute('stroke')]).toEqual(['none', themes.light.price])
  expect(picture.texts.map(({ text }) => text)).toContain('Too close for candles: the line joins the closes.')
})

test('what says how candles are read is true in every size: the candles are drawn', () => {
  const { subtitle, ...weekly } = fillTemplate(templates.price_candles_weekly!, dayRange(19_000, 209))
  expect(subtitle).toContain('The body runs from')
  for (const [width, height] of [
    [600, 300],
    [600, 1067],
    [1080, 1920],
    [2160, 3840],
    [800, 800],
  ] as const) {
    const chart = buildSpecification({ ...weekly, width, height })
    expect(listRemarks(chart).join()).not.toContain('Too close')
    expect(
      drawPicture({ ...weekly, width, height })
        .document.querySelector('.series')!
        .getAttribute('fill'),
    ).not.toBe('none')
  }
})

test('remarks say that candles are too close for the size of the picture', () => {
  const many = ramp(2000, 100, 200)
  const asked = request([{ ...price, values: many, candles: { open: many, high: many, low: many } }])
  expect(listRemarks(buildSpecification(asked))).toContain('Too close for candles: the line joins the closes.')
})

test('a table of months tells each change, and leaves out what is not known', () => {
  // The last values of December to March are 100, 110, 99 and 99; the year is 1 % below December.
  const days = dayRange(parseDay('2023-12-31'), 1 + 31 + 29 + 10)
  const values = Float64Array.from(days, (day) => {
    if (day < parseDay('2024-01-31')) return day === days[0] ? 100 : 105
    return day < parseDay('2024-02-29') ? 110 : 99
  })
  const monthGrid = monthlyValues(days, values)
  // 2023 has only its last value.
  expect(monthGrid.years).toEqual([2024])
  const { months, totals } = monthGrid
  expect([...months.slice(0, 4)].map((value) => Math.round(value * 1e9) / 1e9)).toEqual([10, -10, 0, Number.NaN])
  expect([...totals].map((value) => Math.round(value * 1e9) / 1e9)).toEqual([-1])
  const picture = drawPicture({ ...request([]), x: { kind: 'date', days }, monthGrid })
  const texts = picture.texts.map(({ text }) => text)
  for (const text of ['Jan', 'Year', '2024', '+10.0\u00a0%', '−10.0\u00a0%', '−1.0\u00a0%'])
    expect(texts).toContain(text)
  const cells = [...picture.document.querySelectorAll('.month-grid rect')]
  // The mean and median leave out March and the year, which are not over.
  expect(cells).toHaveLength(4 + 2 * 2)
  // A year does not fill the height of the picture.
  for (const cell of cells) expect(Number(cell.getAttribute('height'))).toBeLessThan(70)
  expect(layoutFaults(picture)).toEqual([])
  // A single change that is too wide for its cell takes no decimals from the others.
  const leap = { ...monthGrid, months: months.map((value, i) => (i === 2 ? 123_456_789 : value)) }
  const { texts: beside } = drawPicture({ ...request([]), x: { kind: 'date', days }, monthGrid: leap })
  expect(beside.map(({ text }) => text)).toEqual(expect.arrayContaining(['+10.0\u00a0%', '+123,456,789']))
  // Narrow cells have no room for a decimal.
  const larger = { ...monthGrid, months: months.map((value) => 3.33 * value) }
  const narrow = drawPicture({ ...request([]), width: 600, height: 300, x: { kind: 'date', days }, monthGrid: larger })
  expect(narrow.texts.map(({ text }) => text)).toEqual(expect.arrayContaining(['+33\u00a0%', '−33\u00a0%']))
  // Those of a portrait picture have none for the percent sign either, and thousands are smaller.
  const upright = { width: 1080, height: 1920, x: { kind: 'date' as const, days } }
  const rise = { ...larger, totals: Float64Array.of(5555) }
  const { texts: written } = drawPicture({ ...request([]), ...upright, monthGrid: rise })
  expect(written.map(({ text }) => text)).toEqual(expect.arrayContaining(['+33', '−33', '+5,555']))
  const [wide] = written.filter(({ text }) => text === '+5,555')
  expect(wide!.right - wide!.left).toBeLessThan((1080 - 64) / 13)
})
