import { test } from 'vitest'
import { scaled, textSizes } from '../text-sizes.ts'

test.each(scaled)('texts of %s cover nothing and stay in the picture at any size and text scale', (name) => {
  for (const [width, height] of [
    [600, 300],
    [1080, 1920],
    [2400, 1200],
  ] as const) {
    for (const text_scale of [0.75, 2, 3]) textSizes(name, { width, height, text_scale })
  }
})
