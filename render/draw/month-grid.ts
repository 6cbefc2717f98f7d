import { extent, mean, median, quantile } from 'd3-array'
import { listMonths } from './calendar.ts'
import { contrastRatio, mixColors } from './color.ts'
import type { Box, Drawing, Group } from './drawing.ts'
import { appendElement, drawText, measure, middleToBaseline, round } from './drawing.ts'
import { formatTick } from './number-format.ts'
import type { AxisFormat, MonthGrid } from './specification.ts'
import { falling, rising } from './theme.ts'
import { drawHatch } from './unfinished.ts'

/**
 * Draws a row per year, newest first, with months and whole year; then mean and median of each
 * column. The newest month and year can be `hatched`.
 */
export function drawMonthGrid(
  drawing: Drawing,
  root: Group,
  grid: MonthGrid,
  { left, right, top, bottom }: Box,
  hatched: boolean,
): void {
  const { sizes, theme } = drawing
  const group = appendElement(root, 'g', { class: 'month-grid' })
  const rows = listGridRows(grid, hatched)
  const yearWidth = measure(drawing, 'Median', sizes.tick) + 8 * sizes.scale
  const headHeight = sizes.tick * 1.8
  const gap = 10 * sizes.scale
  const cell = (right - left - yearWidth - gap) / 13
  const row = Math.min((bottom - top - headHeight - gap) / rows.length, 56 * sizes.scale)
  const size = Math.min(sizes.tick, row * 0.72)
  const [low = 0, high = 0] = extent(grid.months.filter(Number.isFinite))
  const center = grid.center !== undefined && low < grid.center && grid.center < high ? grid.center : 0
  const around = (values: Float64Array) => typicalSize(values.map((value) => value - center))
  const fullColorSize = around(grid.months)
  // Yearly changes are about three times the monthly ones.
  const yearColorSize = grid.measure === 'change' ? 3 * fullColorSize : around(grid.totals)
  const columnLeft = (column: number) => left + yearWidth + column * cell + (column === 12 ? gap : 0)
  const room = cell - 3
  const newestMonth = grid.months.findLastIndex((value) => !Number.isNaN(value)) % 12
  const write = (text: string, x: number, y: number, color: string, anchor: 'start' | 'middle' = 'middle') => {
    const fitted = size * Math.min(1, (anchor === 'start' ? yearWidth : room) / measure(drawing, text, size))
    drawText(drawing, group, text, x, y + fitted * middleToBaseline, { size: fitted, color, anchor })
  }
  for (const [column, name] of [...listMonths('%b'), 'Year'].entries()) {
    write(name, columnLeft(column) + cell / 2, top + headHeight / 2, theme.muted)
  }
  const fits = (text: string) => measure(drawing, text, size) <= room
  const fittingForms = findFittingForms(grid, fits)
  rows.forEach(({ name, values, isNewest }, i) => {
    const y = top + headHeight + i * row + (i < grid.years.length ? 0 : gap)
    write(name, left, y + row / 2, theme.muted, 'start')
    for (const [column, value] of values.entries()) {
      if (Number.isNaN(value)) continue
      const full = column < 12 ? fullColorSize : yearColorSize
      // Without negative values, the smallest has the least colour.
      const part = low < center || grid.measure !== 'mean' ? (value - center) / full : (value - low) / (full - low || 1)
      const fill = cellColor(part, theme.background)
      appendElement(group, 'rect', {
        x: round(columnLeft(column) + 0.5),
        y: round(y + 0.5),
        width: round(cell - 1),
        height: round(row - 1),
        fill,
      })
      if (hatched && isNewest && (column === 12 || column === newestMonth)) {
        const [x, bottomEdge] = [columnLeft(column), y + row - 0.5]
        drawHatch(drawing, group, { left: x + 0.5, right: x + cell - 0.5, top: y + 0.5, bottom: bottomEdge }, 0.35)
      }
      const texts = fittingForms.map((form) => form(value))
      const color = contrastRatio(fill, '#ffffff') > contrastRatio(fill, '#16181c') ? '#ffffff' : '#16181c'
      write(texts.find(fits) ?? texts.at(-1)!, columnLeft(column) + cell / 2, y + row / 2, color)
    }
  })
}

interface GridRow {
  readonly name: string
  /** Twelve months and the year. */
  readonly values: readonly number[]
  readonly isNewest?: boolean
}

/**
 * Years, newest first, then mean and median per column, which exclude the newest month and year if
 * `unfinished`.
 */
export function listGridRows({ years, months, totals }: MonthGrid, unfinished: boolean): GridRow[] {
  const rows = years.map((year, i) => ({
    name: String(year),
    values: [...months.subarray(12 * i, 12 * i + 12), totals[i]!],
    isNewest: i === years.length - 1,
  }))
  const newestMonth = months.findLastIndex((value) => !Number.isNaN(value)) % 12
  const column = (at: number) =>
    rows
      .filter(({ isNewest }) => !(unfinished && isNewest && (at === 12 || at === newestMonth)))
      .map(({ values }) => values[at]!)
  const summarize = (name: string, summary: (values: number[]) => number | undefined): GridRow => ({
    name,
    values: Array.from({ length: 13 }, (_, at) => summary(column(at)) ?? Number.NaN),
  })
  return [...rows.reverse(), summarize('Mean', mean), summarize('Median', median)]
}

/** From wide to narrow: +4.6 %, −27.4 %, +132 %; +5 %, −27 %; +5, −27. */
const forms: readonly ((value: number) => string)[] = [
  (value) => formatChange(value, 'percent', Math.abs(value) >= 99.95),
  (value) => formatChange(value, 'percent', true),
  (value) => formatChange(value, 'number', true),
]

function formatChange(value: number, format: AxisFormat, isWhole: boolean): string {
  const rounded = isWhole ? Math.round(value) : Math.round(value * 10) / 10
  return (rounded > 0 ? '+' : '') + formatTick(format, rounded, isWhole ? 1 : 0.1)
}

/**
 * First form that fits all values, and all changes below 100 %, for a uniform table; then all
 * narrower ones.
 */
function findFittingForms(
  { months, measure, format, factor }: MonthGrid,
  fits: (text: string) => boolean,
): typeof forms {
  const digit = 10 ** (Math.floor(Math.log10(typicalSize(months) * factor)) - 2)
  const written = (form: AxisFormat) => (value: number) =>
    formatTick(form, digit * Math.round((value * factor) / digit), digit)
  const choices = measure === 'change' ? forms : [written(format), written('number')]
  const small = [...months].filter(
    (value) => Number.isFinite(value) && (measure !== 'change' || Math.abs(value) < 99.95),
  )
  return choices.slice(choices.findIndex((form) => small.every((value) => fits(form(value)))))
}

/** 90th percentile of absolute values: gets the full colour. */
const typicalSize = (values: Float64Array): number => quantile(values.map(Math.abs), 0.9) || 1

const cellColor = (part: number, background: string): string =>
  mixColors(background, part < 0 ? falling : rising, 0.08 + 0.92 * Math.min(1, Math.abs(part)))
