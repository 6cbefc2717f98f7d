import { appendElement, type Drawing, type Group, round } from './drawing.ts'
import type { Coordinates } from './marks.ts'
import type { Sizes } from './sizes.ts'
import type { ChartSeries, ChartSpecification } from './specification.ts'
import { themes } from './theme.ts'

/** Width of a candle's body ÷ distance between days. */
const fillRatio = 0.7

/**
 * Replaces unknown or too dense candles by a line of closes. The plot takes about 80 % of the
 * width.
 */
export function replaceDenseCandles(chart: ChartSpecification, { scale }: Sizes, days: number): ChartSpecification {
  const isRoom = ((0.8 * chart.width) / days) * fillRatio >= Math.max(1.5, 1.4 * scale)
  const asLine = ({ style, candles }: ChartSeries) => style === 'candle' && (candles === undefined || !isRoom)
  const line = { style: 'line', color: themes[chart.theme].price } as const
  return { ...chart, series: chart.series.map((one) => (asLine(one) ? { ...one, ...line } : one)) }
}

/** For each day, a wick from low to high and a body from open to close; one path per colour. */
export function drawCandles({ sizes }: Drawing, group: Group, series: ChartSeries, { x, y }: Coordinates): void {
  const { candles, values, color, negativeColor = color } = series
  if (candles === undefined) return
  const width = x.spacing * fillRatio
  const [open, high, low, close] = [candles.open, candles.high, candles.low, values].map((part) => part.map(y.position))
  let rising = ''
  let falling = ''
  const wick = Math.max(1, sizes.hairline)
  values.forEach((value, i) => {
    const edges = [open![i]!, high![i]!, low![i]!, close![i]!]
    if (!edges.every(Number.isFinite)) return
    const middle = x.positions[i]!
    const top = Math.min(open![i]!, close![i]!)
    const height = Math.max(sizes.hairline, Math.abs(open![i]! - close![i]!))
    const body = `M${round(middle - width / 2)},${round(top)}h${round(width)}v${round(height)}h${round(-width)}z`
    const line = `M${round(middle - wick / 2)},${round(high![i]!)}h${wick}V${round(low![i]!)}h${-wick}z`
    if (value >= candles.open[i]!) rising += body + line
    else falling += body + line
  })
  const draw = (d: string, fill: string) =>
    appendElement(group, 'path', { class: 'series', 'data-id': series.id, d, fill, 'fill-opacity': series.opacity })
  if (rising !== '') draw(rising, color)
  if (falling !== '') draw(falling, negativeColor)
}
