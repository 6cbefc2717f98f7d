import { expect, test } from 'vitest'
import { drawChart } from '#render/draw/chart.ts'
import { chooseSizes } from '#render/draw/sizes.ts'
import { nodePlatform, serializeSvg } from '#render/output/node-platform.ts'
import { convertToPng } from '#render/output/png.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { drawPicture } from '../picture.ts'
import { pixelsOf } from '../pixels.ts'
import { filled, scaled, textSizes } from '../text-sizes.ts'

test('texts grow with the text scale, and still cover nothing and stay in the picture', () => {
  for (const name of scaled) {
    const [usual, large] = [textSizes(name), textSizes(name, { text_scale: 1.5 })]
    expect([...large].every((size) => usual.has(size / 1.5))).toBe(true)
  }
  // Other sizes and scales are in sizes.extended.test.ts.
  textSizes('mvrv_ratio', { width: 600, height: 300, text_scale: 3 })
})

test('letters of an upright picture are those of a phone that shows it 540 pixels wide', () => {
  const tick = (width: number, height: number) => chooseSizes({ width, height, textScale: 1 }).tick
  expect([tick(1080, 1920), tick(1200, 600), tick(2400, 1200)]).toEqual([24, 12, 24])
  expect(tick(600, 300)).toBeCloseTo(10.2)
})

test('a PNG has the pixels of its ratio, and looks the same', async () => {
  const chart = buildSpecification({ ...filled('cost_basis_distribution'), width: 600, height: 300 })
  const drawn = async (pixelRatio: number) => {
    const svg = serializeSvg(drawChart({ ...chart, pixelRatio }, nodePlatform).svg)
    return pixelsOf(await convertToPng(svg, pixelRatio))
  }
  const [one, two] = [await drawn(1), await drawn(2)]
  expect([two.info.width, two.info.height]).toEqual([1200, 600])
  let difference = 0
  for (let y = 0; y < 300; y++) {
    for (let x = 0; x < 600; x++) {
      const green = (column: number, row: number) => two.data[3 * ((2 * y + row) * 1200 + 2 * x + column) + 1]!
      const mean = (green(0, 0) + green(1, 0) + green(0, 1) + green(1, 1)) / 4
      if (Math.abs(mean - one.data[3 * (y * 600 + x) + 1]!) > 48) difference++
    }
  }
  expect(difference / (600 * 300)).toBeLessThan(0.02)
})

test('a heatmap is as fine as the pixels of its ratio', () => {
  const widthOf = (pixelRatio: number) => {
    const { document } = drawPicture({ ...filled('cost_basis_distribution'), pixel_ratio: pixelRatio })
    const image = document.querySelector('image.heatmap')!
    const png = Buffer.from(image.getAttribute('href')!.split(',')[1]!, 'base64')
    return [Number(image.getAttribute('width')), png.readUInt32BE(16)]
  }
  const [width] = widthOf(1)
  expect([widthOf(1), widthOf(2), widthOf(3)]).toEqual([
    [width, width],
    [width, 2 * width!],
    [width, 3 * width!],
  ])
})
