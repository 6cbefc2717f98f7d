export type FontWeight = 400 | 600

/** Width of a code point as a fraction of the font size; undefined if the font lacks it. */
export type AdvanceWidths = (codePoint: number) => number | undefined

export type FontWidths = Record<FontWeight, AdvanceWidths>

/** Width assumed for characters that a fallback font will show: that of the widest emoji. */
const missingGlyphWidth = 1.4
const ellipsis = '…'

/**
 * Width of `text` in pixels at `size` pixels, without kerning, which changes it by less than two
 * percent.
 */
export function textWidth(widths: FontWidths, text: string, size: number, weight: FontWeight = 400): number {
  let width = 0
  for (const character of text) width += widths[weight](character.codePointAt(0)!) ?? missingGlyphWidth
  return width * size
}

/** Cuts `text` to `room` pixels, with an ellipsis; empty if not even one letter fits. */
export function shortenText(
  widths: FontWidths,
  text: string,
  room: number,
  size: number,
  weight: FontWeight = 400,
): string {
  if (textWidth(widths, text, size, weight) <= room) return text
  const characters = [...text]
  let width = textWidth(widths, ellipsis, size, weight)
  let count = 0
  while (count < characters.length) {
    width += textWidth(widths, characters[count]!, size, weight)
    if (width > room) break
    count++
  }
  const beginning = characters.slice(0, count).join('').trimEnd()
  return beginning === '' ? '' : beginning + ellipsis
}

/** Text on one line, without characters that XML forbids or that change the reading direction. */
export const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\ufffe\uffff]/gu, '')
    .trim()
