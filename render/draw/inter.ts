import { interWidths } from './inter-widths.ts'
import type { FontWeight, FontWidths } from './text.ts'

/** Inter, the font of charts: character widths, and the files for browsers. */

const unitsPerEm = 2048

/** Each weight has two WOFF2 files: Latin text with digits and signs, and all other characters. */
export const fontParts = ['latin', 'other'] as const
export type FontPart = (typeof fontParts)[number]

/** First and last code points of the Latin files, ascending. */
const latinRanges = [
  [0x0000, 0x017f],
  [0x2000, 0x209f],
  [0x20a0, 0x20c0],
  [0x2100, 0x214f],
  [0x2190, 0x2199],
  [0x2200, 0x2265],
] as const

export const findFontPart = (codePoint: number): FontPart =>
  latinRanges.some(([first, last]) => codePoint >= first && codePoint <= last) ? 'latin' : 'other'

export const fontFile = (weight: FontWeight, part: FontPart): string =>
  `Inter-${weight === 400 ? 'Regular' : 'SemiBold'}-${part}.woff2`

/** CSS rule that loads the font file at `address` only if the page has one of its characters. */
export function fontFace(weight: FontWeight, part: FontPart, address: string): string {
  const others = latinRanges.map(([, last], i) => [last + 1, (latinRanges[i + 1]?.[0] ?? 0x10000) - 1] as const)
  const ranges = (part === 'latin' ? latinRanges : others.filter(([first, last]) => first <= last))
    .map(([first, last]) => `U+${first.toString(16)}-${last.toString(16)}`)
    .join()
  return `@font-face{font-family:Inter;font-weight:${weight};src:url(${address}) format("woff2");unicode-range:${ranges}}`
}

/** Widths of the Basic Multilingual Plane; other characters count as missing from the font. */
export const fontWidths: FontWidths = /* @__PURE__ */ unpackWidths()

function unpackWidths(): FontWidths {
  const pairs = interWidths.pairs.split(' ').map((pair) => pair.split(':').map(Number))
  const places = interWidths.places.split(' ').flatMap((entry) => {
    const [place = '', count = '1'] = entry.split('*')
    return Array<number>(Number.parseInt(count, 36)).fill(Number.parseInt(place, 36))
  })
  /** Index into `pairs` by code point, from 1; 0 if the font lacks the character. */
  const pairIndexes = new Uint16Array(0x10000)
  let code = 0
  let next = 0
  for (const run of interWidths.runs.split(' ')) {
    const [skipped = 0, length = 0] = run.split('.').map((digits) => Number.parseInt(digits, 36))
    code += skipped
    for (const end = code + length; code < end; code++) pairIndexes[code] = places[next++]! + 1
  }
  const readWidths = (weight: 0 | 1) => (codePoint: number) => {
    const place = pairIndexes[codePoint]
    return place ? pairs[place - 1]![weight]! / unitsPerEm : undefined
  }
  return { 400: readWidths(0), 600: readWidths(1) }
}
