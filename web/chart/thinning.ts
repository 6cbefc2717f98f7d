import type { ChartSeries, ChartSpecification, Days } from '#render/page/page.ts'

type Pick = (column: Float64Array, series?: ChartSeries) => Float64Array

const mapColumns = (chart: ChartSpecification, days: Days, pick: Pick): ChartSpecification => {
  const pickLevel = (level: number | Float64Array) => (typeof level === 'number' ? level : pick(level))
  return {
    ...chart,
    x: { ...chart.x, days },
    series: chart.series.map((one) => ({
      ...one,
      values: pick(one.values, one),
      colorBy: one.colorBy && { ...one.colorBy, values: pick(one.colorBy.values) },
      candles: one.candles && {
        open: pick(one.candles.open, one),
        high: pick(one.candles.high, one),
        low: pick(one.candles.low, one),
      },
    })),
    referenceLines: chart.referenceLines.map((line) => ({ ...line, y: pickLevel(line.y) })),
    referenceAreas: chart.referenceAreas.map((area) => ({
      ...area,
      y1: pickLevel(area.y1),
      y2: pickLevel(area.y2),
    })),
  }
}

/** Rows from `first` to before `end`. */
export const sliceRows = (chart: ChartSpecification, first: number, end: number): ChartSpecification =>
  mapColumns(chart, chart.x.days.subarray(first, end), (column) => column.subarray(first, end))

/**
 * The oldest row and one per `step` rows, counted from the newest. Each pair has the minimum and
 * maximum of the rows it replaces; stacks and levels are sampled.
 */
export function thinRows(chart: ChartSpecification, step: number): ChartSpecification {
  if (step === 1) return chart
  const newest = chart.x.days.length - 1
  const length = 2 * Math.floor(newest / (2 * step)) + 1
  const rowAt = (i: number): number => (i === 0 ? 0 : newest - (length - 1 - i) * step)
  const sample = (column: Days): Float64Array => Float64Array.from({ length }, (_, i) => column[rowAt(i)]!)
  return mapColumns(chart, sample(chart.x.days), (column, series) => {
    const thinned = sample(column)
    if (!series || series.stacked) return thinned
    const isLog = chart.axes.find(({ id }) => id === series.axisId)?.scale === 'log'
    const floor = isLog ? Number.MIN_VALUE : Number.NEGATIVE_INFINITY
    for (let i = 0; i < length - 1; i += 2) {
      let [low, high] = [-1, -1]
      for (let row = rowAt(i); row < rowAt(i + 2); row++) {
        // Also skips NaN.
        if (!(column[row]! >= floor)) continue
        if (low < 0 || column[row]! < column[low]!) low = row
        if (high < 0 || column[row]! > column[high]!) high = row
      }
      thinned[i] = column[Math.min(low, high)] ?? Number.NaN
      thinned[i + 1] = column[Math.max(low, high)] ?? Number.NaN
    }
    return thinned
  })
}
