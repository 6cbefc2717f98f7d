import { monthNames } from './calendar.ts'
import type { Box, Drawing, Group } from './drawing.ts'
import { appendElement, drawText, measure, middleToBaseline, round } from './drawing.ts'
import { tickFormat } from './number-format.ts'
import type { AxisFormat, MonthGrid } from './specification.ts'
import { contrastRatio, mixColors } from './theme.ts'

const risingColor = '#2f78c4'
const fallingColor = '#d9661f'

/** Draws a table with a row for each year, newest first, its months and the whole year. */
export function drawMonthGrid(drawing: Drawing, root: Group, grid: MonthGrid, { left, right, top, bottom }: Box): void {
  const { sizes, theme } = drawing
  const group = appendElement(root, 'g', { class: 'month-grid' })
  const yearWidth = measure(drawing, '2024', sizes.tick) + 8 * sizes.scale
  const headHeight = sizes.tick * 1.8
  const gap = 10 * sizes.scale
  const cell = (right - left - yearWidth - gap) / 13
  const row = Math.min((bottom - top - headHeight) / Math.max(1, grid.years.length), 56 * sizes.scale)
  const size = Math.min(sizes.tick, row * 0.72)
  const fullColorSize = typicalSize(grid.months)
  const columnLeft = (column: number) => left + yearWidth + column * cell + (column === 12 ? gap : 0)
  const room = cell - 3
  const write = (text: string, x: number, y: number, color: string, anchor: 'start' | 'middle' = 'middle') => {
    const fitted = size * Math.min(1, room / measure(drawing, text, size))
    drawText(drawing, group, text, x, y + fitted * middleToBaseline, { size: fitted, color, anchor })
  }
  for (const [column, name] of [...monthNames, 'Year'].entries()) {
    write(name, columnLeft(column) + cell / 2, top + headHeight / 2, theme.muted)
  }
  const fits = (text: string) => measure(drawing, text, size) <= room
  const fittingForms = findFittingForms(grid, fits)
  grid.years.forEach((year, i) => {
    const y = top + headHeight + (grid.years.length - 1 - i) * row
    write(String(year), left, y + row / 2, theme.muted, 'start')
    for (let column = 0; column < 13; column++) {
      const value = column < 12 ? grid.months[i * 12 + column]! : grid.totals[i]!
      if (Number.isNaN(value)) continue
      // Yearly changes are about three times as large as monthly ones.
      const fill = cellColor(value / (column < 12 ? fullColorSize : 3 * fullColorSize), theme.background)
      appendElement(group, 'rect', {
        x: round(columnLeft(column) + 0.5),
        y: round(y + 0.5),
        width: round(cell - 1),
        height: round(row - 1),
        fill,
      })
      const texts = fittingForms.map((form) => form(value))
      const color = contrastRatio(fill, '#ffffff') > contrastRatio(fill, '#16181c') ? '#ffffff' : '#16181c'
      write(texts.find(fits) ?? texts.at(-1)!, columnLeft(column) + cell / 2, y + row / 2, color)
    }
  })
}

/** From wide to narrow: +4.6 %, −27.4 %, +132 %; +5 %, −27 %; +5, −27. */
const forms: readonly ((value: number) => string)[] = [
  (value) => formatChange(value, 'percent', Math.abs(value) >= 99.95),
  (value) => formatChange(value, 'percent', true),
  (value) => formatChange(value, 'number', true),
]

function formatChange(value: number, format: AxisFormat, isWhole: boolean): string {
  const rounded = isWhole ? Math.round(value) : Math.round(value * 10) / 10
  return (rounded > 0 ? '+' : '') + tickFormat(format, isWhole ? 1 : 0.1)(rounded)
}

/** The first form that fits all changes below 100 %, for a uniform table, and all narrower ones. */
function findFittingForms({ months }: MonthGrid, fits: (text: string) => boolean): typeof forms {
  const smallChanges = [...months].filter((value) => Math.abs(value) < 99.95)
  const first = forms.findIndex((form) => smallChanges.every((value) => fits(form(value))))
  return forms.slice(first)
}

/** The 90th percentile of absolute values, which gets the full colour. */
function typicalSize(values: Float64Array): number {
  const sizes = values
    .filter((value) => !Number.isNaN(value))
    .map(Math.abs)
    .sort()
  return sizes[Math.floor(0.9 * (sizes.length - 1))] || 1
}

const cellColor = (part: number, background: string): string =>
  mixColors(background, part < 0 ? fallingColor : risingColor, 0.08 + 0.92 * Math.min(1, Math.abs(part)))
