import { sum } from 'd3-array'
import { rgb } from 'd3-color'
import { interpolatePlasma } from 'd3-scale-chromatic'
import { describe, expect, test } from 'vitest'
import { themeNames } from '#contract/chart-options.ts'
import { contrastRatio, mixColors, readableColor } from '#render/draw/color.ts'
import { falling, themes } from '#render/draw/theme.ts'
import { chooseColors } from '#render/request/series-colors.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { zoneColors } from '#render/request/templates/colors.ts'
import { templates } from '#render/request/templates.ts'
import { dayRange, fillTemplate, firstPriceDay } from '../samples.ts'

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

type Lab = readonly [lightness: number, a: number, b: number]

const toLinear = (channel: number) =>
  channel <= 10.31475 ? channel / 3294.6 : ((channel / 255 + 0.055) / 1.055) ** 2.4

/** CIELAB under D65 of a colour as people with this vision see it. */
function seenBy(vision: keyof typeof visions | 'all cones', color: string): Lab {
  const channels = [rgb(color).r, rgb(color).g, rgb(color).b].map(toLinear)
  const mix = (weights: readonly number[]) => sum(weights, (weight, i) => weight * channels[i]!)
  const seen = vision === 'all cones' ? channels : visions[vision].map((row) => Math.min(1, Math.max(0, mix(row))))
  const part = (weights: readonly number[], white: number) => {
    const ratio = sum(weights, (weight, i) => weight * seen[i]!) / white
    return ratio > 216 / 24389 ? Math.cbrt(ratio) : ((24389 / 27) * ratio + 16) / 116
  }
  const x = part([0.4124564, 0.3575761, 0.1804375], 0.95047)
  const y = part([0.2126729, 0.7151522, 0.072175], 1)
  const z = part([0.0193339, 0.119192, 0.9503041], 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

const degrees = Math.PI / 180
const hue = (b: number, a: number) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / degrees + 360) % 360)

/** CIEDE2000, as written by Sharma, Wu and Dalal 2005. */
function distance([l1, a1, b1]: Lab, [l2, a2, b2]: Lab): number {
  const power = (chroma: number) => Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7))
  const stretch = 1.5 - 0.5 * power((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2)
  const [c1, c2] = [Math.hypot(a1 * stretch, b1), Math.hypot(a2 * stretch, b2)]
  const [h1, h2] = [hue(b1, a1 * stretch), hue(b2, a2 * stretch)]
  const turn = c1 * c2 === 0 ? 0 : ((h2 - h1 + 540) % 360) - 180
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2]
  const h = c1 * c2 === 0 ? h1 + h2 : h1 + turn / 2
  const cos = (times: number, shift: number) => Math.cos((times * h + shift) * degrees)
  const t = 1 - 0.17 * cos(1, -30) + 0.24 * cos(2, 0) + 0.32 * cos(3, 6) - 0.2 * cos(4, -63)
  const lightness = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2))
  const chroma = (c2 - c1) / (1 + 0.045 * c)
  const around = (2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * degrees)) / (1 + 0.015 * c * t)
  const blue = 60 * Math.exp(-(((((h + 360) % 360) - 275) / 25) ** 2))
  return Math.sqrt(
    lightness ** 2 + chroma ** 2 + around ** 2 - Math.sin(blue * degrees) * 2 * power(c) * chroma * around,
  )
}

test.each([
  [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
  [[50, 2.5, 0], [73, 25, -18], 27.1492],
  [[50, 2.49, -0.001], [50, -2.49, 0.0011], 7.2195],
  [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373],
  [[90.9257, -0.5406, -0.9208], [88.6381, -0.8985, -0.7239], 1.5381],
] as const)('the distance of %j and %j is that of the paper', (one, other, expected) => {
  expect(distance(one, other)).toBeCloseTo(expected, 3)
})

describe.each(themeNames)('the %s theme', (themeName) => {
  const theme = themes[themeName]
  const { background, text, muted, price, palette, stack, ribbon } = theme

  test('writes with the contrast of WCAG AA', () => {
    for (const color of [text, muted, price]) expect(contrastRatio(color, background)).toBeGreaterThan(4.5)
  })

  test('begins and ends its stacks with a colour that is told from the background', () => {
    for (const part of stack) expect(contrastRatio(interpolatePlasma(part), background)).toBeGreaterThan(1.4)
  })

  test('draws lines with 3:1', () => {
    for (const color of [...palette, ...ribbon.map((part) => readableColor(interpolatePlasma(part), background, 3))])
      expect(contrastRatio(color, background)).toBeGreaterThan(3)
  })

  // With tritanopia, which is a thousand times rarer, two may be closer.
  test.each([
    ['all cones', 12, 9],
    ['protanopia', 9, 8],
    ['deuteranopia', 11, 8],
    ['tritanopia', 11, 5],
  ] as const)('keeps its twelve colours and that of the price apart with %s', (vision, amongSix, amongAll) => {
    const colors = [...palette, price]
    const seen = colors.map((color) => seenBy(vision, color))
    for (const [i, one] of seen.entries()) {
      for (const [k, other] of seen.slice(0, i).entries()) {
        expect(distance(one, other), `${colors[i]} and ${colors[k]}`).toBeGreaterThan(i < 6 ? amongSix : amongAll)
      }
    }
  })

  test('keeps the eight lines of a ribbon apart', () => {
    const series = [9, 14, 25, 40, 60, 90, 128, 200].map((days) => ({
      id: `difficulty_sma_${days}`,
      label: '',
      unit: '',
      values: Float64Array.of(),
    }))
    const colors = chooseColors(series, theme).map((color) => seenBy('all cones', color))
    for (const [i, color] of colors.slice(1).entries()) expect(distance(color, colors[i]!)).toBeGreaterThan(7.5)
  })

  test('keeps lines apart from candles', () => {
    const line = (id: string) => ({ id, label: '', unit: '', values: Float64Array.of() })
    const [price, ...lines] = chooseColors([{ ...line('price'), style: 'candle' }, line('a'), line('b')], theme)
    const [up, down, ...seen] = [price!, falling, ...lines].map((color) => seenBy('all cones', color))
    for (const color of seen)
      expect(Math.min(distance(color, up!), distance(color, down!)), lines.join()).toBeGreaterThan(20)
  })

  test('draws the lines of all templates with 3:1', () => {
    for (const [name, template] of Object.entries(templates)) {
      // Only cycles need a long history.
      const count = template.x_axis ? 5970 : 60
      const days = dayRange(firstPriceDay + 5970 - count, count)
      const chart = buildSpecification({ ...fillTemplate(template, days), theme: themeName })
      for (const { id, style, stacked, color, opacity } of chart.series) {
        if (stacked || (style !== 'line' && style !== 'area')) continue
        const contrast = contrastRatio(mixColors(background, color, opacity), background)
        expect(contrast, `${name}: ${id}`).toBeGreaterThanOrEqual(3)
      }
    }
  })
})

test('a colour of a zone means the same in all templates', () => {
  const named = {
    overheated: /Overheated|Large gains|Distribution|Euphoria|Dear|Overbought|Heavy selling|Far above|Highest/,
    undervalued: /Undervalued|Large losses|Capitulation|Cheap|Oversold|at a loss|under stress|Lowest/,
    warm: /Belief|High$|^Gains/,
    neutral: /Optimism|Middle/,
    cool: /Hope|Low$|^Losses/,
  }
  const areas = Object.values(templates).flatMap(({ reference_areas = [] }) => reference_areas)
  for (const { fill, label } of areas.filter((area) => area.label !== undefined)) {
    const [meaning] = Object.entries(zoneColors).find(([, color]) => color === fill) ?? ['none']
    expect(Object.entries(named).find(([, labels]) => labels.test(label!))?.[0], label).toBe(meaning)
  }
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
