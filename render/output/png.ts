import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { fontFiles } from './node-platform.ts'

// Each worker draws one chart at a time, for which caching and concurrency are useless.
sharp.cache(false)
sharp.concurrency(1)

let fonts: Promise<void> | undefined

/** Converts SVG to a PNG file whose size in pixels is that of the SVG times `pixelRatio`. */
export async function convertToPng(svg: string, pixelRatio = 1): Promise<Uint8Array> {
  fonts ??= registerFonts()
  await fonts
  return sharp(Buffer.from(svg), { density: 72 * pixelRatio })
    .png({ compressionLevel: 6 })
    .toBuffer()
}

/**
 * Drawing a text with a font file registers it with fontconfig, after which SVG finds the family by
 * name. Fontconfig is global to the process. Render threads may register concurrently: libvips adds
 * each file once, under a lock, and every thread awaits both files before it draws.
 */
async function registerFonts(): Promise<void> {
  for (const file of Object.values(fontFiles)) {
    await sharp({ text: { text: 'x', font: 'Inter', fontfile: fileURLToPath(file) } })
      .png()
      .toBuffer()
  }
}
