import { ownAxes } from '#contract/chart-words.ts'
import { drawBars, drawStackedBars } from './bars.ts'
import { drawCandles } from './candles.ts'
import { type Box, type Drawing, drawClipped, type Group } from './drawing.ts'
import { drawBand, drawFill, drawLine, drawReferenceArea, drawReferenceLine, type XPositions } from './marks.ts'
import type { ChartSeries, ChartSpecification } from './specification.ts'
import { stackSeries } from './stack.ts'
import type { ValueScale } from './value-scale.ts'

type AxisMarks = Pick<ChartSpecification, 'series' | 'referenceLines' | 'referenceAreas'>

/** Returns a draw function for each mark of one kind on one axis. */
type Layer = (own: AxisMarks, scale: ValueScale) => readonly ((group: Group) => void)[]

/** Draws all marks, ordered by style across all axes so that fills never cover lines, each clipped to the zone of its axis. */
export function drawLayers(
  drawing: Drawing,
  root: Group,
  chart: ChartSpecification,
  scales: ReadonlyMap<string, ValueScale>,
  { left, right }: Box,
  x: XPositions,
): void {
  // Keeps the full width of a line that runs along the end of its axis.
  const rim = Math.ceil(drawing.sizes.scale)
  for (const layer of createLayers(drawing, x)) {
    for (const scale of sortScales(scales)) {
      const marks = layer(selectAxisMarks(chart, scale.axis.id), scale)
      if (marks.length === 0) continue
      const group = drawClipped(root, { left, right, top: scale.top - rim, bottom: scale.bottom + rim })
      for (const draw of marks) draw(group)
    }
  }
}

/** Puts the axis of the price overlay first, below all others. */
function sortScales(scales: ReadonlyMap<string, ValueScale>): readonly ValueScale[] {
  const accompanies = ({ axis }: ValueScale) => axis.id === ownAxes.price
  const all = [...scales.values()]
  return [...all.filter(accompanies), ...all.filter((scale) => !accompanies(scale))]
}

function selectAxisMarks({ series, referenceLines, referenceAreas }: ChartSpecification, id: string): AxisMarks {
  const belongs = ({ axisId }: { axisId: string }) => axisId === id
  return {
    series: series.filter(belongs),
    referenceLines: referenceLines.filter(belongs),
    referenceAreas: referenceAreas.filter(belongs),
  }
}

/** All layers, bottom first. */
function createLayers(drawing: Drawing, x: XPositions): readonly Layer[] {
  const unstacked = ({ series }: AxisMarks, style: ChartSeries['style']) =>
    series.filter((one) => !one.stacked && one.style === style)
  const lines =
    (style: 'area' | 'line'): Layer =>
    (own, scale) =>
      unstacked(own, style).map((one) => (group) => drawLine(drawing, group, one, x, scale))
  return [
    ({ referenceAreas }, scale) => referenceAreas.map((area) => (group) => drawReferenceArea(group, area, x, scale)),
    ({ series }, scale) =>
      stackSeries(series).map((band) => (group) => {
        const draw = band.series.style === 'bar' ? drawStackedBars : drawBand
        draw(drawing, group, band, x, scale)
      }),
    (own, scale) => {
      const areas = unstacked(own, 'area')
      // Several opaque areas behind each other would look like a stack.
      const opacity = areas.length > 1 ? 0.08 : 0.22
      return areas.map((area) => (group) => drawFill(group, area, x, scale, opacity))
    },
    (own, scale) => {
      const bars = unstacked(own, 'bar')
      return bars.length === 0 ? [] : [(group) => drawBars(drawing, group, bars, x, scale)]
    },
    (own, scale) => unstacked(own, 'candle').map((one) => (group) => drawCandles(drawing, group, one, x, scale)),
    ({ referenceLines }, scale) =>
      referenceLines.map((line) => (group) => drawReferenceLine(drawing, group, line, x, scale)),
    lines('area'),
    lines('line'),
  ]
}
