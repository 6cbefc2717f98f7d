import type { PicturePlatform } from '../draw/drawing.ts'
import { fontWidths } from '../draw/inter.ts'
import { encodeIndexedPng } from './indexed-png.ts'
import { SvgElement } from './svg-element.ts'

/** Where the two weights of Inter lie that charts are set in. */
export const fontFiles = {
  400: new URL('../fonts/Inter-Regular.ttf', import.meta.url),
  600: new URL('../fonts/Inter-SemiBold.ttf', import.meta.url),
}

/** What drawing needs, in Node; its pictures are documents of their own. */
export const nodePlatform: PicturePlatform<SvgElement> = {
  createSvg() {
    const svg = new SvgElement('svg').attr('xmlns', 'http://www.w3.org/2000/svg')
    return { svg, root: svg }
  },
  widths: fontWidths,
  hasFont: false,
  imageAddress: (image) => `data:image/png;base64,${Buffer.from(encodeIndexedPng(image)).toString('base64')}`,
}
