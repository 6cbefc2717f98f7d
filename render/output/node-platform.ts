import { JSDOM } from 'jsdom'
import type { Platform } from '../draw/drawing.ts'
import { fontWidths } from '../draw/inter.ts'
import { encodeIndexedPng } from './indexed-png.ts'

/** Where the two weights of Inter lie that charts are set in. */
export const fontFiles = {
  400: new URL('../fonts/Inter-Regular.ttf', import.meta.url),
  600: new URL('../fonts/Inter-SemiBold.ttf', import.meta.url),
}

// One document for all charts: a new one for each costs more than drawing does, and a gigabyte over 800 charts.
const { window } = new JSDOM()
const serializer = new window.XMLSerializer()

/** What drawing needs, in Node. */
export const nodePlatform: Platform = {
  document: window.document,
  widths: fontWidths,
  hasFont: false,
  imageAddress: (image) => `data:image/png;base64,${Buffer.from(encodeIndexedPng(image)).toString('base64')}`,
}

/** The element as a document of its own. Not `outerHTML`, which writes HTML's entities that no XML parser knows. */
export function serializeSvg(svg: SVGSVGElement): string {
  return serializer.serializeToString(svg)
}
