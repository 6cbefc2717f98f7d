import sharp from 'sharp'
import { expect } from 'vitest'

export const pixelsOf = (png: Uint8Array | string) =>
  sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })

/** Share of pixels of which a channel differs by more than 24 of 255: what a viewer could notice side by side. */
export async function shareOfDifferentPixels(one: Uint8Array, other: Uint8Array | string): Promise<number> {
  const [a, b] = [await pixelsOf(one), await pixelsOf(other)]
  expect([a.info.width, a.info.height]).toEqual([b.info.width, b.info.height])
  let different = 0
  for (let i = 0; i < a.data.length; i += 3) {
    if ([0, 1, 2].some((k) => Math.abs(a.data[i + k]! - b.data[i + k]!) > 24)) different++
  }
  return different / (a.info.width * a.info.height)
}
