import type {
  ChartFrame,
  ChartSeries,
  ChartSpecification,
  DayScale,
  Days,
  ValueAxis,
  ValueScale,
} from '#render/page/page.ts'

/**
 * Stacks, fills and bars of a moving chart have at most `maxParts` parts, unless there are few
 * rows.
 */
const [maxParts, maxUnthinnedRows] = [200, 600]
/** A moving line shows the minimum and maximum of each column of pixels. */
const columnWidth = 2

/**
 * Rows that preserve the extremes of each series between `first` and `last`; series with shapes
 * keep the extremes of each part.
 */
export function coarseRows(
  { series, axes, referenceLines, referenceAreas }: ChartSpecification,
  first: number,
  last: number,
) {
  const rows = new Set([first, last])
  const count = last - first + 1
  const step = count <= maxUnthinnedRows ? 1 : Math.ceil(count / maxParts)
  // Lines over stacks are drawn with a seam from these rows.
  const hasSeams = series.some(({ stacked }) => stacked)
  for (const one of series) {
    const floor = axisFloor(axes.find(({ id }) => id === one.axisId))
    const length = isLine(one) && !hasSeams ? count : step
    for (let start = first; start <= last; start += length) {
      const [lowRow, highRow] = findExtremes(one.values, floor, start, Math.min(start + length, last + 1))
      if (lowRow >= 0) rows.add(lowRow).add(highRow)
    }
  }
  const levels = [...referenceLines.map(({ y }) => y), ...referenceAreas.flatMap(({ y1, y2 }) => [y1, y2])]
  if (levels.some((level) => typeof level !== 'number')) for (let row = first; row < last; row += step) rows.add(row)
  return [...rows].sort((a, b) => a - b)
}

const isLine = ({ style, stacked }: ChartSeries): boolean => style === 'line' && !stacked

/** Logarithmic axes have no values at or below zero. */
const axisFloor = (axis: ValueAxis | undefined): number =>
  axis?.scale === 'log' ? Number.MIN_VALUE : Number.NEGATIVE_INFINITY

/**
 * Rows of the minimum (at or above `floor`) and the maximum from `start` to before `end`; −1 if no
 * value is known.
 */
function findExtremes(
  values: Float64Array,
  floor: number,
  start: number,
  end: number,
): readonly [lowRow: number, highRow: number] {
  let [lowRow, highRow] = [-1, -1]
  for (let row = start; row < end; row++) {
    const value = values[row]!
    // Also skips NaN.
    if (!(value >= floor)) continue
    if (lowRow < 0 || value < values[lowRow]!) lowRow = row
    if (highRow < 0 || value > values[highRow]!) highRow = row
  }
  return [lowRow, highRow]
}

export function pickRows(whole: ChartSpecification, rows: readonly number[]): ChartSpecification {
  const pick = (column: Float64Array): Float64Array => Float64Array.from(rows, (row) => column[row]!)
  const level = (value: number | Float64Array) => (typeof value === 'number' ? value : pick(value))
  return {
    ...whole,
    x: { ...whole.x, days: Float64Array.from(rows, (row) => whole.x.days[row]!) },
    series: whole.series.map((one) => ({
      ...one,
      values: pick(one.values),
      colorBy: one.colorBy && { ...one.colorBy, values: pick(one.colorBy.values) },
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

/** A path through the minimum and maximum of each column of pixels. */
export function thinLine(
  values: Float64Array,
  scale: ValueScale,
  place: DayScale,
  days: Days,
  first: number,
  ends: readonly number[],
): Path2D {
  const path = new Path2D()
  const floor = axisFloor(scale.axis)
  let isOpen = false
  let start = first
  for (const end of ends) {
    const [lowRow, highRow] = findExtremes(values, floor, start, end)
    // Gaps within a column are invisible; wider ones interrupt the line.
    for (const row of lowRow <= highRow ? [lowRow, highRow] : [highRow, lowRow]) {
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

/** The row after the last one of each column of pixels, for the rows from `first` to `last`. */
export function columnEnds(days: Days, { days: place }: ChartFrame, first: number, last: number): number[] {
  const ends: number[] = []
  let column = Number.NaN
  for (let row = first; row <= last; row++) {
    const next = Math.floor(place.position(days[row]!) / columnWidth)
    if (next !== column && row > first) ends.push(row)
    column = next
  }
  return [...ends, last + 1]
}
