import { readFileSync, writeFileSync } from 'node:fs'
import subsetFont from 'subset-font'
import { findFontPart, fontFile, fontParts } from '../draw/inter.ts'
import { packWidths } from './pack-widths.ts'
import { readAdvanceWidths } from './ttf-widths.ts'

/** Writes the table of widths for layout and the font files for browsers. */
const fonts = {
  400: readFileSync(new URL('Inter-Regular.ttf', import.meta.url)),
  600: readFileSync(new URL('Inter-SemiBold.ttf', import.meta.url)),
}
const widths = { 400: readAdvanceWidths(fonts[400]), 600: readAdvanceWidths(fonts[600]) }
const { pairs, runs, places } = packWidths(widths)
writeFileSync(
  new URL('../draw/inter-widths.ts', import.meta.url),
  `/** Widths of Inter's characters, packed by \`packWidths\`. Written by render/fonts/write-fonts.ts. */
export const interWidths = {
  pairs:
    '${pairs}',
  runs: '${runs}',
  places:
    '${places}',
} as const
`,
)
const characters = Array.from({ length: 0xffff }, (_, code) => code).filter((code) => widths[400](code) !== undefined)
for (const weight of [400, 600] as const) {
  for (const part of fontParts) {
    const text = String.fromCodePoint(...characters.filter((code) => findFontPart(code) === part))
    // Omits glyphs of ligatures and the like, which charts do not use.
    const subset = await subsetFont(fonts[weight], text, { targetFormat: 'woff2', noLayoutClosure: true })
    writeFileSync(new URL(fontFile(weight, part), import.meta.url), subset)
  }
}
