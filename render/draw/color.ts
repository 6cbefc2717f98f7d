/** Red, green and blue, 0..255, of a colour written #rrggbb or rgb(r, g, b). */
export const readColor = (color: string): number[] =>
  color.startsWith('#')
    ? [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
    : [...color.matchAll(/\d+/g)].map(Number)

export const writeColor = (channels: readonly number[]): string =>
  `#${channels
    .map((value) =>
      Math.round(Math.min(255, Math.max(0, value)))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`

/** The colour that results from `color` with opacity `part` over `ground`. */
export function mixColors(ground: string, color: string, part: number): string {
  const to = readColor(color)
  return writeColor(readColor(ground).map((from, i) => from + (to[i]! - from) * part))
}

/** WCAG 2.2 contrast ratio, 1 to 21. */
export function contrastRatio(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}

/**
 * Darkens or lightens `color` (in CIELAB) until it is readable as text on `background` (contrast
 * 4.5:1).
 */
export function readableColor(color: string, background: string): string {
  const step = luminance(background) > 0.18 ? -2 : 2
  const xyz = multiply(toXyz, linearChannels(color)).map((value) =>
    value > 216 / 24389 ? Math.cbrt(value) : value * (841 / 108) + 4 / 29,
  )
  for (let lightness = 0; ; lightness += step) {
    const moved = xyz
      .map((value) => value + lightness / 116)
      .map((value) => (value > 6 / 29 ? value ** 3 : (value - 4 / 29) * (108 / 841)))
    const shade = writeColor(
      multiply(fromXyz, moved).map(
        (part) => 255 * (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055),
      ),
    )
    if (contrastRatio(shade, background) >= 4.5) return shade
  }
}

/**
 * The white point D50, and matrices between linear light and XYZ relative to it (CSS Color Module
 * Level 4).
 */
const [whiteX, whiteZ] = [0.96422, 0.82521]
const toXyz = [
  [0.4360747 / whiteX, 0.3850649 / whiteX, 0.1430804 / whiteX],
  [0.2225045, 0.7168786, 0.0606169],
  [0.0139322 / whiteZ, 0.0971045 / whiteZ, 0.7141733 / whiteZ],
]
const fromXyz = [
  [3.1338561 * whiteX, -1.6168667, -0.4906146 * whiteZ],
  [-0.9787684 * whiteX, 1.9161415, 0.033454 * whiteZ],
  [0.0719453 * whiteX, -0.2289914, 1.4052427 * whiteZ],
]

const multiply = (matrix: readonly (readonly number[])[], vector: readonly number[]): number[] =>
  matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * vector[i]!, 0))

const linearChannels = (color: string): number[] =>
  readColor(color).map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })

function luminance(color: string): number {
  const [red, green, blue] = linearChannels(color)
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
