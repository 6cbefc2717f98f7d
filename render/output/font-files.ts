import { readFileSync } from 'node:fs'
import type { FontWidths } from '../draw/text.ts'
import { readFontWidths } from './font-widths.ts'

export const fontFiles = {
  400: new URL('../fonts/Inter-Regular.ttf', import.meta.url),
  600: new URL('../fonts/Inter-SemiBold.ttf', import.meta.url),
}

export const fontWidths: FontWidths = {
  400: readFontWidths(readFileSync(fontFiles[400])),
  600: readFontWidths(readFileSync(fontFiles[600])),
}
