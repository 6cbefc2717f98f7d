import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { FontWeight } from '#render/draw/text.ts'
import { cleanText, measure, shorten } from '#render/draw/text.ts'
import { nodePlatform } from '#render/output/node-platform.ts'
import { convertToPng } from '#render/output/png.ts'
import { drawPicture } from '../picture.ts'
import { ramp, request } from '../small-request.ts'

const drawing = { platform: nodePlatform }

/** Width of the drawn pixels of a text. */
async function inkWidth(text: string, size: number, weight: FontWeight): Promise<number> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1500" height="200" font-family="Inter"><rect width="1500" height="200" fill="#fff"/><text x="20" y="100" font-size="${size}" font-weight="${weight}">${text}</text></svg>`
  const { info } = await sharp(await convertToPng(svg))
    .trim({ background: '#fff', threshold: 20 })
    .toBuffer({ resolveWithObject: true })
  return info.width
}

test.each<[string, FontWeight]>([
  ['Realized price of long-term holders', 400],
  ['$84.3k −1,234,567.89 12 % ’24', 400],
  ['Net unrealized profit and loss', 600],
  ['Zażółć gęślą jaźń ∑ ₿', 400],
  ['HHHHHHHHHHHHHHHHHHHH', 600],
])('the measured width of "%s" is that of the drawn text', async (text, weight) => {
  const [measured, drawn] = [measure(drawing, text, 40, weight), await inkWidth(text, 40, weight)]
  // Kerning and side bearings differ; texts must not overlap because of them.
  expect(measured / drawn).toBeGreaterThan(0.99)
  expect(measured / drawn).toBeLessThan(1.04)
})

test('text that does not fit is cut with an ellipsis and then fits', () => {
  const short = shorten(drawing, 'Realized price of short-term holders', 100, 12)
  expect(short).toMatch(/^Realized.*…$/)
  expect(measure(drawing, short, 12)).toBeLessThanOrEqual(100)
  expect(shorten(drawing, 'Price', 100, 12)).toBe('Price')
  expect(shorten(drawing, 'Price', 3, 12)).toBe('')
})

test('texts are given the length that was measured, but for characters of other fonts', () => {
  const lengthOf = (title: string) => {
    const { document } = drawPicture(request([{ values: ramp(10, 1, 10) }], { title }))
    const text = [...document.querySelectorAll('text')].find(({ textContent }) => textContent === title)
    return text?.getAttribute('textLength')
  }
  expect(Number(lengthOf('Price ₿'))).toBeGreaterThan(50)
  expect([lengthOf('比特币'), lengthOf('Price 🚀')]).toEqual([null, null])
})

test('marks and joiners of other scripts take no room, and joiners stay while signs for emoji go', () => {
  expect([measure(drawing, 'ก็', 10), measure(drawing, 'می\u200cشود', 10), measure(drawing, '比特币', 10)]).toEqual([
    10, 50, 30,
  ])
  expect(cleanText('می\u200cشود ❤\ufe0f \u202eabc')).toBe('می\u200cشود ❤ abc')
})
