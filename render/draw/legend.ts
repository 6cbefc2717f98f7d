import { drawCrossing, groupCrossings } from './crossings.ts'
import type { Drawing, Group } from './drawing.ts'
import { appendElement, drawText, measure, middleToBaseline, round, shorten } from './drawing.ts'
import { snapToPixel } from './sizes.ts'
import type { ChartSeries, ChartSpecification, Crossing, ValueAxis } from './specification.ts'

interface LegendEntry {
  readonly symbol: ChartSeries | Crossing
  readonly label: string
  /** Its last value, if there is no room for that at its end. */
  readonly value: string
  readonly left: number
  readonly row: number
}

export interface Legend {
  readonly entries: readonly LegendEntry[]
  readonly rowHeight: number
  readonly height: number
}

/**
 * Places entries in rows `room` pixels wide; shortens labels until at most `maxRows` are needed.
 */
export function layOutLegend(
  drawing: Drawing,
  { series, axes, crossings }: ChartSpecification,
  labelledAxes: Set<string>,
  room: number,
  maxRows: number,
  values: ReadonlyMap<ChartSeries, string>,
): Legend {
  const { sizes } = drawing
  const rowHeight = sizes.legend * 1.65
  // An axis with a single series has its colour. Series of several grey axes name theirs in the
  // legend.
  const greyAxes = axes.filter(({ color }) => color === undefined)
  const describePlace = ({ side, title }: ValueAxis) =>
    title !== '' && greyAxes.filter((axis) => axis.side === side).length > 1 ? `${title}, ${side}` : side
  const findAxis = ({ axisId }: ChartSeries) => axes.find(({ id }) => id === axisId)!
  const isDrawn = (one: ChartSeries) =>
    one.values.some((value) => Number.isFinite(value) && (value > 0 || findAxis(one).scale === 'linear'))
  const visible = series
    .filter((one) => one.showInLegend && one.style !== 'heatmap' && isDrawn(one))
    .map((one) => {
      const axis = findAxis(one)
      const side = greyAxes.length > 1 && axis.color === undefined ? ` (${describePlace(axis)})` : ''
      const label = one.label + (labelledAxes.has(axis.id) ? side : ' (no scale)')
      return { symbol: one, label, value: values.get(one) ?? '' }
    })
  const marked = groupCrossings(crossings).map((alike) => ({
    symbol: alike[0]!,
    label: `${alike[0]!.label} (${alike.length})`,
    value: '',
  }))
  const symbol = symbolWidth(drawing)
  for (let labelRoom = Math.min(room - symbol, 420 * sizes.scale); ; labelRoom *= 0.9) {
    const entries: LegendEntry[] = []
    let left = 0
    let row = 0
    for (const { symbol: sign, label, value } of [...visible, ...marked]) {
      const short = shorten(drawing, label, labelRoom, sizes.legend, nameWeight(value))
      const width = symbol + nameWidth(drawing, short, value) + measure(drawing, value, sizes.legend)
      if (left > 0 && left + width > room) {
        left = 0
        row++
      }
      entries.push({ symbol: sign, label: short, value, left, row })
      left += width + 18 * sizes.scale
    }
    const rows = entries.length === 0 ? 0 : row + 1
    if (rows <= maxRows || labelRoom < 2 * sizes.legend) return { entries, rowHeight, height: rows * rowHeight }
  }
}

export function drawLegend(drawing: Drawing, parent: Group, legend: Legend, left: number, top: number): void {
  const { sizes, theme } = drawing
  const group = appendElement(parent, 'g', { class: 'legend' })
  for (const entry of legend.entries) {
    const middle = top + (entry.row + 0.5) * legend.rowHeight
    const x = left + entry.left
    if ('isUp' in entry.symbol) drawCrossing(drawing, group, entry.symbol, x + 8 * sizes.scale, middle)
    else drawSymbol(drawing, group, entry.symbol, x, middle)
    const start = x + symbolWidth(drawing)
    const baseline = middle + sizes.legend * middleToBaseline
    const style = { size: sizes.legend, color: theme.text }
    drawText(drawing, group, entry.label, start, baseline, { ...style, weight: nameWeight(entry.value) })
    drawText(drawing, group, entry.value, start + nameWidth(drawing, entry.label, entry.value), baseline, style)
  }
}

const nameWeight = (value: string): 400 | 600 => (value === '' ? 400 : 600)

const nameWidth = (drawing: Drawing, name: string, value: string): number =>
  measure(drawing, name, drawing.sizes.legend, nameWeight(value)) + (value === '' ? 0 : 0.45 * drawing.sizes.legend)

const symbolWidth = ({ sizes }: Drawing): number => 24 * sizes.scale

function drawSymbol({ sizes }: Drawing, group: Group, series: ChartSeries, x: number, middle: number): void {
  const { style, stacked, color, opacity, negativeColor } = series
  if (style === 'points' && !stacked) {
    const [cx, r] = [round(x + 8 * sizes.scale), round(3.5 * sizes.scale)]
    appendElement(group, 'circle', { cx, cy: round(middle), r, fill: color, 'fill-opacity': opacity })
    return
  }
  if ((style === 'line' || style === 'step') && !stacked) {
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
  // The square's lower triangle shows the colour of negative bars.
  if (negativeColor !== undefined) square(`m${side},0v${side}h${-side}`, negativeColor)
}

export const scaleDash = (dash: string | undefined, scale: number): string | undefined =>
  dash
    ?.split(/[\s,]+/)
    .map((part) => round(Number(part) * scale))
    .join(' ')
