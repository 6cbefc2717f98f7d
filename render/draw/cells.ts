import { mean } from 'd3-array'
import { leftColumnEdge } from './bars.ts'
import type { ColorRange } from './color-range.ts'
import { appendElement, type Group } from './drawing.ts'
import type { Coordinates } from './marks.ts'
import type { ChartSeries } from './specification.ts'

/** Draws a row of cells per series, the first at the top. Cells below a pixel are averaged. */
export function drawCells(group: Group, rows: readonly ChartSeries[], { x, y }: Coordinates, colors: ColorRange): void {
  rows.forEach(({ id, values, opacity }, row) => {
    const [top, bottom] = [y.position(rows.length - row), y.position(rows.length - row - 1)].map(Math.round)
    const paths = new Map<string, string>()
    for (let start = 0; start < values.length; ) {
      const left = leftColumnEdge(start, x)
      let end = start + 1
      while (end < values.length && leftColumnEdge(end, x) <= left) end++
      const value = mean(values.subarray(start, end))
      if (value !== undefined) {
        const color = colors.color(value)
        paths.set(color, `${paths.get(color) ?? ''}M${left},${top! + 1}H${leftColumnEdge(end, x)}V${bottom!}H${left}z`)
      }
      start = end
    }
    for (const [fill, d] of paths) {
      appendElement(group, 'path', { class: 'series', 'data-id': id, d, fill, 'fill-opacity': opacity })
    }
  })
}
