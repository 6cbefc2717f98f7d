import { type ChartSeries, type ChartSpecification, formatPlace, formatValue } from '#render/page/page.ts'
import type { Shown } from './draw.ts'
import { readingUnit, writeReading } from './readings.ts'

interface CrosshairProps extends Shown {
  readonly entry: number
  /** In a heatmap. */
  readonly price: number | undefined
  /** Series with all digits; undefined until loaded. */
  readonly exact: readonly ChartSeries[] | undefined
}

export function Crosshair({ specification, frame, entry, price, exact }: CrosshairProps) {
  const { x, width, heatmap } = specification
  const day = x.days[entry]
  if (day === undefined) return null
  const { plot, days, series } = frame
  const at = days.position(day)
  const isRight = at > width / 2
  const rows = series.map(({ series: one, scale: { axis }, position }, i) => {
    const { unit, factor } = readingUnit(one, axis)
    const rounded = one.values[entry] ?? Number.NaN
    const value = exact?.[i]?.values[entry]
    const text = Number.isNaN(rounded)
      ? '–'
      : value === undefined
        ? formatValue(axis.format, rounded * axis.factor)
        : writeReading(unit, value * factor)
    return { key: i, label: one.label, color: one.color, y: one.stacked ? Number.NaN : position(entry), text }
  })
  const cells = heatmap && price !== undefined ? readCell(heatmap, entry, price) : []
  return (
    <div class="crosshair">
      <div class="line" style={{ left: `${at}px`, top: `${plot.top}px`, height: `${plot.bottom - plot.top}px` }} />
      {rows.map(
        ({ key, y, color }) =>
          Number.isFinite(y) && <i key={key} style={{ left: `${at}px`, top: `${y}px`, background: color }} />,
      )}
      <div
        class="reading"
        role="status"
        style={{
          top: `${plot.top + 4}px`,
          ...(isRight ? { right: `${width - at + 12}px` } : { left: `${at + 12}px` }),
        }}
      >
        <p>{describeEntry(specification, entry)}</p>
        <dl>
          {[...cells, ...rows].map(({ key, label, color, text }) => (
            <div key={key}>
              <dt>
                {color && <b style={{ background: color }} />}
                {label}
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  )
}

type Heatmap = NonNullable<ChartSpecification['heatmap']>

function describeEntry({ x }: ChartSpecification, entry: number): string {
  if (x.kind === 'bins') return describePrices(x.edges[entry]!, x.edges[entry + 1]!)
  if (x.kind === 'day_offset') return `Day ${entry}, ${formatPlace(x, entry)}`
  return `${{ block: '', hour: '', day: '', week: 'Week to ', month: 'Month to ', year: 'Year to ' }[x.interval ?? 'day']}${formatPlace(x, entry)}`
}

const describePrices = (...edges: readonly number[]): string =>
  edges.map((edge) => writeReading('USD', edge)).join(' – ')

/** Between cells, where no coin was, only the price. */
function readCell({ binLower, binUpper, values, unit }: Heatmap, entry: number, price: number) {
  const bin = binLower.findLastIndex((lower) => lower <= price)
  const isCell = bin >= 0 && price <= binUpper[bin]!
  const label = isCell ? describePrices(binLower[bin]!, binUpper[bin]!) : writeReading('USD', price)
  const value = isCell ? values[entry * binLower.length + bin]! : 0
  return [{ key: 'cell', label, color: undefined, text: writeReading(unit, value) }]
}
