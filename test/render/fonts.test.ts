import { readFileSync } from 'node:fs'
import subsetFont from 'subset-font'
import { expect, test } from 'vitest'
import { findFontPart, fontFace, fontFile, fontParts } from '#render/draw/inter.ts'
import { readFontWidths } from '#render/output/font-widths.ts'

const folder = new URL('../../render/fonts/', import.meta.url)
const fonts = { 400: 'Inter-Regular.ttf', 600: 'Inter-SemiBold.ttf' } as const
const weights = [400, 600] as const
const codePoints = Array.from({ length: 0xffff }, (_, code) => code)
const widthsOf = (weight: 400 | 600) => readFontWidths(readFileSync(new URL(fonts[weight], folder)))

test('the fonts have widths for thousands of characters, and none beyond the basic plane', () => {
  for (const weight of weights) {
    const widths = widthsOf(weight)
    expect(codePoints.filter((code) => widths(code) !== undefined).length).toBeGreaterThan(2_500)
    expect([widths(0x1f600), widths(0x110000)]).toEqual([undefined, undefined])
  }
})

test.each(weights)('browsers find every character of weight %i in one of its two files', async (weight) => {
  const widths = widthsOf(weight)
  const known = codePoints.filter((code) => widths(code) !== undefined)
  for (const part of fontParts) {
    const file = readFileSync(new URL(fontFile(weight, part), folder))
    expect(file.subarray(0, 4).toString()).toBe('wOF2')
    const plain = await subsetFont(file, String.fromCodePoint(...known), { targetFormat: 'truetype' })
    const inFile = readFontWidths(plain)
    expect(known.filter((code) => inFile(code) !== undefined)).toEqual(
      known.filter((code) => findFontPart(code) === part),
    )
    expect(known.filter((code) => findFontPart(code) === part && inFile(code) !== widths(code))).toEqual([])
  }
})

test('the rules of the two files share the characters between them', () => {
  const covered = new Uint8Array(0x10000)
  for (const part of fontParts) {
    const rule = fontFace(600, part, 'https://example.org/font.woff2')
    expect(rule).toMatch(/^@font-face\{font-family:Inter;font-weight:600;src:url\(https:\/\/example.org\/font.woff2\)/)
    for (const [, first = '', last = ''] of rule.matchAll(/U\+(\w+)-(\w+)/g)) {
      for (let code = Number.parseInt(first, 16); code <= Number.parseInt(last, 16); code++) covered[code]!++
    }
  }
  expect(covered.every((times) => times === 1)).toBe(true)
  expect(fontFace(400, 'latin', 'x')).toContain('U+0-17f')
})
