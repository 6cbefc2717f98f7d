import type { ChartFrame, ChartSeries, ChartSpecification, DayScale, ValueAxis, ValueScale } from '#render/page/page.ts'

/** Enough for fills, stacks and bars of a picture that moves; where rows are few, all are drawn. */
const [maxParts, maxUnthinnedRows] = [200, 600]
/** Of a moving line only the least and the greatest value in each of these columns is drawn, in pixels. */
const columnWidth = 2

/**
 * Rows enough for axes and shapes of the rows from `first` to `last`: those at which any series is least or greatest; of what has
 * a shape the same in each of some parts.
 */
export function coarseRows(
  { series, axes, referenceLines, referenceAreas }: ChartSpecification,
  first: number,
  last: number,
) {
  const rows = new Set([first, last])
  const count = last - first + 1
  const step = count <= maxUnthinnedRows ? 1 : Math.ceil(count / maxParts)
  // Lines over stacks have a seam, which is drawn from these rows.
  const hasSeams = series.some(({ stacked }) => stacked)
  for (const one of series) {
    const floor = axisFloor(axes.find(({ id }) => id === one.axisId))
    const length = isLine(one) && !hasSeams ? count : step
    for (let start = first; start <= last; start += length) {
      const [least, greatest] = findExtremes(one.values, floor, start, Math.min(start + length, last + 1))
      if (least >= 0) rows.add(least).add(greatest)
    }
  }
  const levels = [...referenceLines.map(({ y }) => y), ...referenceAreas.flatMap(({ y1, y2 }) => [y1, y2])]
  if (levels.some((level) => typeof level !== 'number')) for (let row = first; row < last; row += step) rows.add(row)
  return [...rows].sort((a, b) => a - b)
}

const isLine = ({ style, stacked }: ChartSeries): boolean => style === 'line' && !stacked

/** A logarithmic axis has no place for zero and less. */
const axisFloor = (axis: ValueAxis | undefined): number =>
  axis?.scale === 'log' ? Number.MIN_VALUE : Number.NEGATIVE_INFINITY

/** Where a column is least, but not below `floor`, and greatest from `start` to before `end`; −1 where nothing is known. */
function findExtremes(
  values: Float64Array,
  floor: number,
  start: number,
  end: number,
): readonly [least: number, greatest: number] {
  let [least, greatest] = [-1, -1]
  for (let row = start; row < end; row++) {
    const value = values[row]!
    // Neither is what is not known.
    if (!(value >= floor)) continue
    if (least < 0 || value < values[least]!) least = row
    if (greatest < 0 || value > values[greatest]!) greatest = row
  }
  return [least, greatest]
}

/** A specification with some of its rows. */
export function pickRows(whole: ChartSpecification, rows: readonly number[]): ChartSpecification {
  const pick = (column: Float64Array): Float64Array => Float64Array.from(rows, (row) => column[row]!)
  const level = (value: number | Float64Array) => (typeof value === 'number' ? value : pick(value))
  return {
    ...whole,
    x: { ...whole.x, days: Int32Array.from(rows, (row) => whole.x.days[row]!) },
    series: whole.series.map((one) => ({
      ...one,
      values: pick(one.values),
      candles: one.candles && {
        open: pick(one.candles.open),
        high: pick(one.candles.high),
        low: pick(one.candles.low),
      },
    })),
    referenceLines: whole.referenceLines.map((line) => ({ ...line, y: level(line.y) })),
    referenceAreas: whole.referenceAreas.map((area) => ({ ...area, y1: level(area.y1), y2: level(area.y2) })),
  }
}

/** A line through the least and the greatest value in each column of pixels. */
export function thinLine(
  values: Float64Array,
  scale: ValueScale,
  place: DayScale,
  days: Int32Array,
  first: number,
  ends: readonly number[],
): Path2D {
  const path = new Path2D()
  const floor = axisFloor(scale.axis)
  let isOpen = false
  let start = first
  for (const end of ends) {
    const [least, greatest] = findExtremes(values, floor, start, end)
    // A gap within a column is too small for any eye; one that is wider ends the line.
    for (const row of least <= greatest ? [least, greatest] : [greatest, least]) {
      const y = row < 0 ? Number.NaN : scale.position(values[row]!)
      const isKnown = Number.isFinite(y)
      if (isKnown && isOpen) path.lineTo(place.position(days[row]!), y)
      else if (isKnown) path.moveTo(place.position(days[row]!), y)
      isOpen = isKnown
    }
    start = end
  }
  return path
}

/** Before which row each column of pixels ends, from that of row `first` to that of row `last`. */
export function columnEnds(days: Int32Array, { days: place }: ChartFrame, first: number, last: number): number[] {
  const ends: number[] = []
  let column = Number.NaN
  for (let row = first; row <= last; row++) {
    const next = Math.floor(place.position(days[row]!) / columnWidth)
    if (next !== column && row > first) ends.push(row)
    column = next
  }
  return [...ends, last + 1]
}
