import { sum } from 'd3-array'
import { type LabColor, lab, rgb } from 'd3-color'
import { interpolatePlasma } from 'd3-scale-chromatic'
import { describe, expect, test } from 'vitest'
import { contrastRatio, mixColors, readableColor, themes } from '#render/draw/theme.ts'

/** How dichromats see linear RGB (Machado, Oliveira and Fernandes 2009, severity 1). */
const visions = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const

function seenBy(vision: keyof typeof visions, color: string): LabColor {
  const { r, g, b } = rgb(color)
  const linear = [r, g, b].map((channel) => (channel / 255) ** 2.2)
  const seen = visions[vision].map(
    (row) =>
      255 *
      Math.max(
        0,
        sum(row, (weight, i) => weight * linear[i]!),
      ) **
        (1 / 2.2),
  )
  return lab(rgb(seen[0]!, seen[1]!, seen[2]!))
}

function distance(one: LabColor, other: LabColor): number {
  return Math.hypot(one.l - other.l, one.a - other.a, one.b - other.b)
}

describe.each(Object.entries(themes))('the %s theme', (_, theme) => {
  const { background, text, muted, price, palette, stack, ribbon } = theme

  test('writes with the contrast of WCAG AA', () => {
    for (const color of [text, muted, price]) expect(contrastRatio(color, background)).toBeGreaterThan(4.5)
  })

  test('begins and ends its stacks with a colour that is told from the background', () => {
    for (const part of stack) expect(contrastRatio(interpolatePlasma(part), background)).toBeGreaterThan(1.4)
  })

  test('draws lines with 3:1', () => {
    for (const color of [...palette, ...ribbon.map(interpolatePlasma)])
      expect(contrastRatio(color, background)).toBeGreaterThan(3)
  })

  test.each(Object.keys(visions).filter((name): name is keyof typeof visions => name in visions))(
    'keeps its twelve colours apart under %s',
    (vision) => {
      const seen = palette.map((color) => seenBy(vision, color))
      // 2.3 is the just noticeable difference; the first six colours, which most charts use, are far apart.
      for (const [i, one] of seen.entries()) {
        for (const [k, other] of seen.slice(0, i).entries()) {
          expect(distance(one, other), `${palette[i]} and ${palette[k]}`).toBeGreaterThan(i < 6 ? 11 : 7)
        }
      }
    },
  )
})

test('contrast is that of WCAG: 21 for black on white', () => {
  expect(contrastRatio('#000000', '#ffffff')).toBeCloseTo(21, 6)
  expect(contrastRatio('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

test('any colour becomes legible on both backgrounds', () => {
  for (const background of ['#ffffff', '#101418']) {
    for (const color of ['#ffff00', '#ffffff', '#000000', '#0000ff', '#f7931a']) {
      expect(contrastRatio(readableColor(color, background), background)).toBeGreaterThanOrEqual(4.5)
    }
  }
})

test('a part of a colour over the ground looks like what lies between them', () => {
  expect(mixColors('#ffffff', '#3a86d8', 0.35)).toBe('#bad5f1')
  expect(mixColors('#101418', '#c9405f', 1)).toBe('#c9405f')
})
