import { appendElement, type Box, type Drawing, drawText, type Group, measure, round, shorten } from './drawing.ts'
import type { DayPosition } from './frame.ts'
import { scaleDash } from './legend.ts'
import { snapToPixel } from './sizes.ts'
import type { ChartSpecification, VerticalLine } from './specification.ts'

/** Labelled in rows above the plot. */
export interface VerticalLines {
  readonly lines: readonly VerticalLine[]
  readonly rows: number
  readonly height: number
}

export function layOutVerticalLines(
  { sizes }: Drawing,
  { verticals, x, width, height }: ChartSpecification,
): VerticalLines {
  const [first, last] = [x.days[0] ?? 0, x.days.at(-1) ?? -1]
  const lines = verticals.filter(({ day }) => Math.round(day) >= first && Math.round(day) <= last)
  const named = lines.filter(({ label }) => label !== '').length
  // With text large relative to the picture, the plot needs the space more.
  const hasRoom = height > 12 * sizes.note
  // One row fits five labels; more take rows of about three, for which only high pictures have
  // space.
  const maxRows = height > width ? 5 : height >= 500 * sizes.scale ? 3 : 1
  const rows = named === 0 || !hasRoom ? 0 : named > 5 ? Math.min(maxRows, Math.ceil(named / 3)) : 1
  return { lines, rows, height: rows === 0 ? 0 : rows * rowHeight(sizes) + 3 * sizes.scale }
}

const rowHeight = (sizes: Drawing['sizes']): number => sizes.note * 1.35

export function drawVerticalLines(
  drawing: Drawing,
  root: Group,
  { lines, rows }: VerticalLines,
  plot: Box,
  place: DayPosition,
): void {
  if (lines.length === 0) return
  const { sizes, theme } = drawing
  const group = appendElement(root, 'g', { class: 'verticals' })
  const placed: Box[] = []
  for (const { day, label, stroke, dash } of lines) {
    const at = snapToPixel(place(day), sizes.hairline)
    appendElement(group, 'path', {
      class: 'vertical-line',
      d: `M${at},${plot.top}V${plot.bottom}`,
      stroke,
      'stroke-width': sizes.hairline,
      fill: 'none',
      'stroke-dasharray': scaleDash(dash, sizes.scale),
    })
    const text = shorten(drawing, label, (plot.right - plot.left) * 0.3, sizes.note)
    const width = measure(drawing, text, sizes.note)
    const left = Math.max(plot.left, Math.min(at - width / 2, plot.right - width))
    for (let row = 0; row < rows; row++) {
      const bottom = plot.top - 3 * sizes.scale - row * rowHeight(sizes)
      const box = { left: left - 5 * sizes.scale, right: left + width + 5 * sizes.scale, top: row, bottom }
      if (placed.some((other) => other.top === row && other.left < box.right && box.left < other.right)) continue
      placed.push(box)
      drawText(drawing, group, text, left, round(bottom - sizes.note * 0.25), { size: sizes.note, color: theme.muted })
      break
    }
  }
}
