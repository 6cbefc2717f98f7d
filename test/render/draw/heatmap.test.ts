import { rgb } from 'd3-color'
import * as scales from 'd3-scale-chromatic'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { type ColorScaleName, colorScaleNames } from '#contract/chart-options.ts'
import { priceDimension } from '#contract/metric-kinds.ts'
import type { RequestedHeatmap } from '#render/request/request.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { drawPicture, labelValue } from '../picture.ts'
import { dayRange } from '../samples.ts'

const price = { id: 'price', label: 'Price', unit: 'USD', dimension: priceDimension }

/** Ten days by four bins (1–10–100–1,000–10,000), each cell its own value; one blank. */
function request(more: Partial<RequestedHeatmap> = {}) {
  const values = Float64Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? 0 : 10 * (1 + Math.floor(i / 4)) * (i % 4)))
  return {
    title: 'T',
    source: '',
    x: { kind: 'date', days: dayRange(19723, 10) } as const,
    series: [],
    heatmap: {
      id: 'h',
      label: 'Supply',
      unit: 'BTC',
      binLower: Float64Array.of(1, 10, 100, 1000),
      binUpper: Float64Array.of(10, 100, 1000, 10_000),
      values,
      y_scale: 'log' as const,
      y_min: 1,
      ...more,
    },
  }
}

async function pixels(selector: string, more: Partial<RequestedHeatmap> = {}) {
  const image = drawPicture(request(more)).document.querySelector(selector)!
  const file = Buffer.from(image.getAttribute('href')!.split(',')[1]!, 'base64')
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  expect(info.height).toBe(Number(image.getAttribute('height')))
  return (right: number, up: number) => {
    const at = 4 * (Math.floor((1 - up) * info.height) * info.width + Math.floor(right * info.width))
    return { color: rgb(data[at]!, data[at + 1]!, data[at + 2]!), alpha: data[at + 3]! }
  }
}

const colorOf: Readonly<Record<ColorScaleName, (part: number) => string>> = {
  viridis: scales.interpolateViridis,
  plasma: scales.interpolatePlasma,
  inferno: scales.interpolateInferno,
  magma: scales.interpolateMagma,
  turbo: scales.interpolateTurbo,
  cividis: scales.interpolateCividis,
}

test.each(colorScaleNames)('cells have the colour of their value in %s', async (colorScale) => {
  const at = await pixels('.heatmap', { color_scale: colorScale })
  // Day 4 of ten, third bin of four: 10 × 5 × 2 = 100 of at most 300, by the root.
  const expected = rgb(colorOf[colorScale](Math.sqrt(100 / 300)))
  const { color, alpha } = at(0.45, 0.625)
  expect(alpha).toBe(255)
  for (const channel of ['r', 'g', 'b'] as const) expect(Math.abs(color[channel] - expected[channel])).toBeLessThan(4)
})

test('empty cells are blank', async () => {
  expect((await pixels('.heatmap'))(0.45, 0.125).alpha).toBe(0)
})

test('an empty cell between others is next to nothing, not a hole', async () => {
  // The third bin of four is empty, and so is the lowest one.
  const values = Float64Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 0 : 50))
  const at = await pixels('.heatmap', { values })
  expect(at(0.45, 0.625)).toEqual({ color: rgb(scales.interpolateViridis(0)), alpha: 255 })
  expect(at(0.45, 0.125).alpha).toBe(0)
})

test('on a linear axis the highest bin takes nine tenths of the height', async () => {
  const at = await pixels('.heatmap', { y_scale: 'linear', y_min: 0 })
  expect(at(0.05, 0.95).color.formatHex()).toBe(at(0.05, 0.15).color.formatHex())
  expect(at(0.05, 0.95).color.formatHex()).not.toBe(at(0.05, 0.07).color.formatHex())
})

test('a legend explains the colours: greatest at the top, with numbers and unit', async () => {
  const picture = drawPicture(request())
  const legend = picture.texts.filter(({ group }) => group === 'color-legend').map(({ text }) => text)
  expect(legend).toEqual(expect.arrayContaining(['0', '100', '200', '300']))
  expect(picture.texts.filter(({ group }) => group === 'axis-titles').map(({ text }) => text)).toContain('Supply (BTC)')
  const at = await pixels('.color-legend image')
  expect(at(0, 0.999).color.formatHex()).toBe(rgb(scales.interpolateViridis(1)).formatHex())
  expect(at(0, 0.001).color.formatHex()).toBe(rgb(scales.interpolateViridis(0)).formatHex())
})

test('without a scale the axis is logarithmic where the highest price has grown tenfold', () => {
  // The price rises from the first bin to the given one, and coins stay in the bin in which they
  // were bought.
  const scale = (highest: number) => {
    const values = Float64Array.from({ length: 40 }, (_, i) => (i % 4 <= Math.min(highest, Math.floor(i / 4)) ? 5 : 0))
    const { heatmap, ...rest } = request({ values })
    const { y_scale: _, ...unscaled } = heatmap
    return buildSpecification({ ...rest, heatmap: unscaled }).axes[0]!.scale
  }
  expect([scale(0), scale(1), scale(3)]).toEqual(['linear', 'log', 'log'])
})

test('a line over a heatmap is named in the legend', () => {
  const series = [{ ...price, values: new Float64Array(10).fill(100) }]
  const legend = drawPicture({ ...request(), series }).texts.filter(({ group }) => group === 'legend')
  expect(legend.map(({ text }) => text)).toEqual(['Price'])
})

test('a price line shares the axis of the bins', () => {
  const series = [{ ...price, values: new Float64Array(10).fill(100) }]
  const picture = drawPicture({ ...request({ y_max: 10_000 }), series })
  const image = picture.document.querySelector('.heatmap')!
  const middle = Number(image.getAttribute('y')) + Number(image.getAttribute('height')) / 2
  const d = picture.document.querySelector('.series[data-id="price"]')!.getAttribute('d')!
  // 100 is halfway from 1 to 10,000.
  expect(Math.abs(Number(d.split(',')[1]!.split('L')[0]) - middle)).toBeLessThan(0.6)
})

test('the axis shows the prices of the period, and a note how much is beyond it', () => {
  const { heatmap, ...rest } = request()
  const { y_min: _, ...free } = heatmap
  const draw = (more: Partial<RequestedHeatmap>) =>
    drawPicture({
      ...rest,
      heatmap: { ...free, ...more },
      series: [
        {
          ...price,
          values: Float64Array.from({ length: 10 }, (__, i) => 110 + 80 * i),
        },
      ],
    })
  const numbers = ({ texts }: ReturnType<typeof draw>) =>
    texts.filter(({ group }) => group === 'ticks').map(({ text }) => labelValue(text))
  const zoomed = draw({ y_scale: 'linear' })
  expect([Math.min(...numbers(zoomed)) >= 38, Math.max(...numbers(zoomed)) <= 902]).toEqual([true, true])
  // On the last day the bins hold 0, 100, 200 and 300.
  const note = 'Of “Supply” on the newest day, 50 % is above the axis.'
  expect(zoomed.texts.map(({ text }) => text)).toContain(note)
  expect(Math.max(...numbers(draw({ y_scale: 'linear', y_max: 9_000 })))).toBeGreaterThan(7_000)
})
