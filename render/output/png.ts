import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { fontFiles } from './font-files.ts'

// A worker draws one chart at a time: caching and concurrency are useless.
sharp.cache(false)
sharp.concurrency(1)

let fonts: Promise<void> | undefined

/** The PNG's size in pixels is the SVG's times `pixelRatio`. */
export async function convertToPng(svg: string, pixelRatio = 1): Promise<Uint8Array> {
  fonts ??= registerFonts()
  await fonts
  return sharp(Buffer.from(svg), { density: 72 * pixelRatio })
    .png({ compressionLevel: 6 })
    .toBuffer()
}

/**
 * Drawing text with a font file registers it with fontconfig, so SVG finds the family by name.
 * Fontconfig is global to the process. Render threads may register concurrently: libvips adds each
 * file once, under a lock, and every thread awaits both files before drawing.
 */
async function registerFonts(): Promise<void> {
  for (const file of Object.values(fontFiles)) {
    await sharp({ text: { text: 'x', font: 'Inter', fontfile: fileURLToPath(file) } })
      .png()
      .toBuffer()
  }
}
