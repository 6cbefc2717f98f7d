import type { Platform } from '../draw/drawing.ts'
import type { IndexedImage } from '../draw/indexed-image.ts'
import { fontWidths } from '../draw/inter.ts'

/** What drawing needs in a page. Texts look as measured where the page has loaded the font; `fontFaces` names its files. */
export function pagePlatform(document: Document): Platform {
  return { document, widths: fontWidths, hasFont: true, imageAddress: (image) => pngAddress(document, image) }
}

function pngAddress(document: Document, { width, height, palette, pixels }: IndexedImage): string {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('this browser gives no canvas to draw on')
  const image = context.createImageData(width, height)
  const colors = palette.map((color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)))
  pixels.forEach((place, i) => {
    // The first place is transparent.
    if (place > 0) image.data.set([...colors[place]!, 255], 4 * i)
  })
  context.putImageData(image, 0, 0)
  return canvas.toDataURL('image/png')
}
