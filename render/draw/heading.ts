import { type Drawing, drawText, type Group, measure, shorten } from './drawing.ts'
import type { ChartSpecification } from './specification.ts'

/** Returns the pixel at which the next part begins. */
export function drawHeading(drawing: Drawing, root: Group, chart: ChartSpecification, room: number): number {
  const { sizes, theme } = drawing
  const { title, subtitle, height } = chart
  let below = sizes.margin
  if (title !== '') {
    const baseline = below + sizes.title * 0.8
    const text = shorten(drawing, title, room, sizes.title, 600)
    drawText(drawing, root, text, sizes.margin, baseline, { size: sizes.title, color: theme.text, weight: 600 })
    below = baseline + sizes.title * 0.5
  }
  const maxLines = height < 14 * sizes.subtitle ? 0 : height < 400 * sizes.scale ? 1 : 2
  if (maxLines === 0) return below
  for (const line of wrap(drawing, subtitle, room, maxLines, sizes.subtitle)) {
    const baseline = below + sizes.subtitle * 0.9
    drawText(drawing, root, line, sizes.margin, baseline, { size: sizes.subtitle, color: theme.muted })
    below = baseline + sizes.subtitle * 0.55
  }
  return below
}

/**
 * Breaks text between words into lines of at most `room` pixels; cuts the rest after `maxLines`.
 */
export function wrap(drawing: Drawing, text: string, room: number, maxLines: number, size: number): string[] {
  const lines: string[] = []
  let rest = text
  while (rest !== '') {
    // "50 %" stays together.
    const words = rest.split(/ (?!%)/)
    let wordCount = words.length
    while (wordCount > 1 && measure(drawing, words.slice(0, wordCount).join(' '), size) > room) wordCount--
    const isLast = lines.length === maxLines - 1
    lines.push(shorten(drawing, isLast ? rest : words.slice(0, wordCount).join(' '), room, size))
    if (isLast) break
    rest = words.slice(wordCount).join(' ')
  }
  return lines
}
