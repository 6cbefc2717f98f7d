export type FontWeight = 400 | 600

/** Width of a code point ÷ font size; undefined if the font lacks it. */
export type AdvanceWidths = (codePoint: number) => number | undefined

export type FontWidths = Record<FontWeight, AdvanceWidths>

interface Setting {
  readonly platform: { readonly widths: FontWidths }
}

/** Widest characters of other fonts: those of scripts, marks above and below letters, emoji. */
const fallbackWidth = (character: string): number =>
  /\p{Mn}|\p{Cf}/u.test(character) ? 0 : /\p{L}|\p{N}|\p{M}/u.test(character) ? 1 : 1.4

/** Width of `text` in pixels at `size` pixels, without kerning (less than two percent). */
export function measure({ platform }: Setting, text: string, size: number, weight: FontWeight = 400): number {
  let width = 0
  for (const character of text) width += platform.widths[weight](character.codePointAt(0)!) ?? fallbackWidth(character)
  return width * size
}

/** Cuts `text` to `room` pixels with an ellipsis; empty if not one letter fits. */
export function shorten(drawing: Setting, text: string, room: number, size: number, weight?: FontWeight): string {
  if (measure(drawing, text, size, weight) <= room) return text
  const letters = [...text]
  const beginnings = letters.map((_, i) => letters.slice(0, i).join('').trimEnd())
  const longest = beginnings.findLast((beginning) => measure(drawing, `${beginning}…`, size, weight) <= room)
  return longest ? `${longest}…` : ''
}

/** One line, without characters that XML forbids or that change reading direction; joiners stay. */
export const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/(?![\u200c\u200d])[\p{Cf}\p{Co}\ufffe\uffff]|\ufe0f/gu, '')
    .trim()
