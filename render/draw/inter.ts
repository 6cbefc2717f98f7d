import type { FontWeight } from './text.ts'

/** Two WOFF2 files per weight: Latin text with digits and signs, and other characters. */
export const fontParts = ['latin', 'other'] as const
export type FontPart = (typeof fontParts)[number]

/** First and last code points of Latin files, ascending. */
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

/** CSS rule that loads the font file at `address` only if the page needs its characters. */
export function fontFace(weight: FontWeight, part: FontPart, address: string): string {
  const others = latinRanges.map(([, last], i) => [last + 1, (latinRanges[i + 1]?.[0] ?? 0x10000) - 1] as const)
  const ranges = (part === 'latin' ? latinRanges : others.filter(([first, last]) => first <= last))
    .map(([first, last]) => `U+${first.toString(16)}-${last.toString(16)}`)
    .join()
  return `@font-face{font-family:Inter;font-weight:${weight};src:url(${address}) format("woff2");unicode-range:${ranges}}`
}
