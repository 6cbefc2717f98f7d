import type { IndexedImage, Platform } from '../draw/drawing.ts'
import type { FontWeight } from '../draw/text.ts'

/** For pages that have loaded Inter in both weights; measuring with it needs no table of widths. */
export function pagePlatform(document: Document): Platform {
  const widths = { 400: measuredWidths(document, 400), 600: measuredWidths(document, 600) }
  return { document, widths, hasFont: true, imageAddress: (image) => pngAddress(document, image) }
}

function measuredWidths(document: Document, weight: FontWeight): (codePoint: number) => number {
  const context = require2dContext(document.createElement('canvas'))
  const size = 1_000
  context.font = `${weight} ${size}px Inter, system-ui, sans-serif`
  const known = new Map<number, number>()
  return (codePoint) => {
    const width = known.get(codePoint) ?? context.measureText(String.fromCodePoint(codePoint)).width / size
    known.set(codePoint, width)
    return width
  }
}

function require2dContext(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('this browser provides no 2D canvas')
  return context
}

function pngAddress(document: Document, { width, height, palette, pixels }: IndexedImage): string {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = require2dContext(canvas)
  const image = context.createImageData(width, height)
  const colors = palette.map((color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)))
  pixels.forEach((place, i) => {
    if (place > 0) image.data.set([...colors[place]!, 255], 4 * i)
  })
  context.putImageData(image, 0, 0)
  return canvas.toDataURL('image/png')
}
