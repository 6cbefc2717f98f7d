import { readFileSync, writeFileSync } from 'node:fs'
import subsetFont from 'subset-font'
import { findFontPart, fontFile, fontParts } from '../draw/inter.ts'
import { readFontWidths } from '../output/font-widths.ts'

for (const [weight, name] of [
  [400, 'Inter-Regular.ttf'],
  [600, 'Inter-SemiBold.ttf'],
] as const) {
  const font = readFileSync(new URL(name, import.meta.url))
  const widths = readFontWidths(font)
  const characters = Array.from({ length: 0xffff }, (_, code) => code).filter((code) => widths(code) !== undefined)
  for (const part of fontParts) {
    const text = String.fromCodePoint(...characters.filter((code) => findFontPart(code) === part))
    // Omits glyphs of ligatures and the like, which charts do not use.
    const subset = await subsetFont(font, text, { targetFormat: 'woff2', noLayoutClosure: true })
    writeFileSync(new URL(fontFile(weight, part), import.meta.url), subset)
  }
}
