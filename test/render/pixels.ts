import sharp from 'sharp'
import { expect } from 'vitest'

export const pixelsOf = (png: Uint8Array | string) =>
  sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })

/** Share of pixels with a channel that differs visibly, by more than 24 of 255. */
export async function shareOfDifferentPixels(one: Uint8Array, other: Uint8Array | string): Promise<number> {
  const [a, b] = [await pixelsOf(one), await pixelsOf(other)]
  expect([a.info.width, a.info.height]).toEqual([b.info.width, b.info.height])
  // A callback or an array per pixel would take ten times as long.
  const differs = (i: number): boolean => Math.abs(a.data[i]! - b.data[i]!) > 24
  let different = 0
  for (let i = 0; i < a.data.length; i += 3) if (differs(i) || differs(i + 1) || differs(i + 2)) different++
  return different / (a.info.width * a.info.height)
}
