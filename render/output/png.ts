import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { fontFiles } from './node-platform.ts'

// Charts are drawn one at a time per worker; memory kept between them buys nothing.
sharp.cache(false)
sharp.concurrency(1)

let fonts: Promise<void> | undefined

/** Turns a chart's SVG into a PNG file of the same size in pixels, times `pixelRatio`. */
export async function convertToPng(svg: string, pixelRatio = 1): Promise<Uint8Array> {
  fonts ??= registerFonts()
  await fonts
  return sharp(Buffer.from(svg), { density: 72 * pixelRatio })
    .png({ compressionLevel: 6 })
    .toBuffer()
}

/**
 * Drawing any text with a font file makes it known to fontconfig, and from then on SVG finds the family by its name.
 * Fontconfig is one for the process, and render threads register at the same time; that is harmless: libvips adds each file
 * once for all threads, under a lock, and none draws an SVG before both files are there, after which nothing is added.
 */
async function registerFonts(): Promise<void> {
  for (const file of Object.values(fontFiles)) {
    await sharp({ text: { text: 'x', font: 'Inter', fontfile: fileURLToPath(file) } })
      .png()
      .toBuffer()
  }
}
