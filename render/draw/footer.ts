import type { Drawing, Group } from './drawing.ts'
import { appendElement, drawText, measure, middleToBaseline, round, shorten } from './drawing.ts'
import { wrap } from './heading.ts'
import type { ChartSpecification } from './specification.ts'

/** Draws notes, then brand, source and dates below; returns the pixel of their start. */
export function drawFooter(
  drawing: Drawing,
  root: Group,
  { brand, source, dateLine, width, height }: ChartSpecification,
  notes: readonly string[],
): number {
  const { sizes, theme } = drawing
  const room = width - 2 * sizes.margin
  const baseline = height - sizes.margin * 0.75
  const style = { size: sizes.note, color: theme.muted }
  // The first part of a source, such as "Simulated data", is never cut for the sake of others.
  const [origin = '', ...details] = source.split(separator)
  const originRoom = measure(drawing, origin, sizes.note) + 2 * sizes.note
  const dates = shorten(drawing, dateLine, Math.min(room / 2, room - originRoom), sizes.note)
  drawText(drawing, root, dates, width - sizes.margin, baseline, { ...style, anchor: 'end' })
  const end = width - sizes.margin - measure(drawing, dates, sizes.note) - 2 * sizes.note
  const brandRoom = sizes.margin + sizes.note * 2.5 + measure(drawing, brand?.name ?? '', sizes.note, 600)
  const hasBrand = brand !== undefined && brandRoom + originRoom <= end
  const start = hasBrand ? drawBrand(drawing, root, brand.name, baseline) : sizes.margin
  const words = [origin, brand?.address ?? '', ...details].filter((text) => text !== '')
  drawText(drawing, root, joinFittingParts(drawing, words, end - start), start, baseline, style)
  if (notes.length === 0) return baseline - sizes.note
  const lines = wrap(drawing, notes.join(' '), room, height < 400 * sizes.scale ? 1 : 2, sizes.note)
  const top = baseline - sizes.note * (0.2 + 1.4 * lines.length)
  for (const [i, line] of lines.entries()) {
    drawText(drawing, root, line, sizes.margin, top + 1.4 * i * sizes.note, style)
  }
  return top - sizes.note
}

const separator = ' · '

/** Joins as many parts as fit; the first is cut if not even that fits. */
function joinFittingParts(drawing: Drawing, parts: readonly string[], room: number): string {
  for (let count = parts.length; count > 1; count--) {
    const text = parts.slice(0, count).join(separator)
    if (measure(drawing, text, drawing.sizes.note) <= room) return text
  }
  return shorten(drawing, parts[0] ?? '', room, drawing.sizes.note)
}

/** Returns the pixel at which the next text may begin. */
function drawBrand(drawing: Drawing, root: Group, name: string, baseline: number): number {
  const { sizes, theme } = drawing
  const group = appendElement(root, 'g', { class: 'brand' })
  const thickness = sizes.note * 0.2
  const middle = baseline - sizes.note * middleToBaseline
  for (const [row, length] of [0.55, 0.8, 1.05].entries()) {
    appendElement(group, 'rect', {
      x: round(sizes.margin),
      y: round(middle + (row - 1.5) * thickness * 1.6 + thickness * 0.3),
      width: round(length * sizes.note),
      height: round(thickness),
      rx: round(thickness / 2),
      fill: theme.palette[0]!,
    })
  }
  const start = sizes.margin + sizes.note * 1.5
  drawText(drawing, group, name, start, baseline, { size: sizes.note, color: theme.text, weight: 600 })
  return start + measure(drawing, name, sizes.note, 600) + sizes.note
}
