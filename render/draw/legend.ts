import type { Drawing, Group } from './drawing.ts'
import { appendElement, drawText, measure, middleToBaseline, round, shorten } from './drawing.ts'
import { snapToPixel } from './sizes.ts'
import type { ChartSeries, ChartSpecification, ValueAxis } from './specification.ts'

interface LegendEntry {
  readonly series: ChartSeries
  readonly label: string
  readonly left: number
  readonly row: number
}

export interface Legend {
  readonly entries: readonly LegendEntry[]
  readonly rowHeight: number
  readonly height: number
}

/** Places entries in rows `room` pixels wide. Labels are shortened until at most `maxRows` rows are needed. */
export function layOutLegend(
  drawing: Drawing,
  { series, axes }: ChartSpecification,
  labelledAxes: Set<string>,
  room: number,
  maxRows: number,
): Legend {
  const { sizes } = drawing
  const rowHeight = sizes.legend * 1.65
  // An axis with a single series has the colour of the series. Series of several grey axes name theirs in the legend.
  const greyAxes = axes.filter(({ color }) => color === undefined)
  const describePlace = ({ side, title }: ValueAxis) =>
    title !== '' && greyAxes.filter((axis) => axis.side === side).length > 1 ? `${title}, ${side}` : side
  const findAxis = ({ axisId }: ChartSeries) => axes.find(({ id }) => id === axisId)!
  const isDrawn = (one: ChartSeries) =>
    one.values.some((value) => Number.isFinite(value) && (value > 0 || findAxis(one).scale === 'linear'))
  const visible = series
    .filter((one) => one.showInLegend && isDrawn(one))
    .map((one) => {
      const axis = findAxis(one)
      const side = greyAxes.length > 1 && axis.color === undefined ? ` (${describePlace(axis)})` : ''
      return { series: one, label: one.label + (labelledAxes.has(axis.id) ? side : ' (no scale)') }
    })
  const symbol = symbolWidth(drawing)
  for (let labelRoom = Math.min(room - symbol, 420 * sizes.scale); ; labelRoom *= 0.9) {
    const entries: LegendEntry[] = []
    let left = 0
    let row = 0
    for (const { series: one, label } of visible) {
      const short = shorten(drawing, label, labelRoom, sizes.legend)
      const width = symbol + measure(drawing, short, sizes.legend)
      if (left > 0 && left + width > room) {
        left = 0
        row++
      }
      entries.push({ series: one, label: short, left, row })
      left += width + 18 * sizes.scale
    }
    const rows = visible.length === 0 ? 0 : row + 1
    if (rows <= maxRows || labelRoom < 2 * sizes.legend) return { entries, rowHeight, height: rows * rowHeight }
  }
}

export function drawLegend(drawing: Drawing, parent: Group, legend: Legend, left: number, top: number): void {
  const { sizes, theme } = drawing
  const group = appendElement(parent, 'g', { class: 'legend' })
  for (const entry of legend.entries) {
    const middle = top + (entry.row + 0.5) * legend.rowHeight
    const x = left + entry.left
    drawSymbol(drawing, group, entry.series, x, middle)
    drawText(drawing, group, entry.label, x + symbolWidth(drawing), middle + sizes.legend * middleToBaseline, {
      size: sizes.legend,
      color: theme.text,
    })
  }
}

const symbolWidth = ({ sizes }: Drawing): number => 24 * sizes.scale

function drawSymbol({ sizes }: Drawing, group: Group, series: ChartSeries, x: number, middle: number): void {
  const { style, stacked, color, opacity, negativeColor } = series
  if (style === 'line' && !stacked) {
    const width = Math.max(1.5, series.lineWidth) * sizes.scale
    appendElement(group, 'path', {
      d: `M${round(x)},${snapToPixel(middle, 1)}h${round(17 * sizes.scale)}`,
      stroke: color,
      'stroke-width': round(width),
      'stroke-opacity': opacity,
      fill: 'none',
      'stroke-dasharray': scaleDash(series.dash, sizes.scale),
    })
    return
  }
  const side = Math.round(11 * sizes.scale)
  const corner = [Math.round(x + 2 * sizes.scale), Math.round(middle - side / 2)]
  const square = (d: string, fill: string) =>
    appendElement(group, 'path', { d: `M${corner}${d}z`, fill, 'fill-opacity': opacity })
  square(`h${side}v${side}h${-side}`, color)
  // The lower triangle of the square shows the colour of negative bars.
  if (negativeColor !== undefined) square(`m${side},0v${side}h${-side}`, negativeColor)
}

export const scaleDash = (dash: string | undefined, scale: number): string | undefined =>
  dash
    ?.split(/[\s,]+/)
    .map((part) => round(Number(part) * scale))
    .join(' ')
