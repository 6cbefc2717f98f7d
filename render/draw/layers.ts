import { ownAxes } from '#contract/chart-options.ts'
import { drawBars, drawStackedBars, fillRatio } from './bars.ts'
import { drawBeyond } from './beyond.ts'
import { drawCandles } from './candles.ts'
import { requireColorMarks } from './color-marks-loader.ts'
import type { ColorRange } from './color-range.ts'
import { type Extents, listExtents } from './domain.ts'
import { type Box, type Drawing, drawClipped, type Group } from './drawing.ts'
import type { Coordinates, XPositions } from './marks.ts'
import { drawBand, drawFill, drawLine, drawReferenceArea, drawReferenceLine } from './marks.ts'
import type { ChartSeries, ChartSpecification } from './specification.ts'
import { type StackedBand, stackSeries } from './stack.ts'
import { drawHatch, isHatched } from './unfinished.ts'
import type { ValueScale } from './value-scale.ts'

interface AxisMarks extends Pick<ChartSpecification, 'series' | 'referenceLines' | 'referenceAreas'> {
  readonly bands: readonly StackedBand[]
  readonly extents: readonly Extents[]
}

type Layer = (marks: AxisMarks, coordinates: Coordinates) => readonly ((group: Group) => void)[]

/**
 * Draws all marks, each clipped to its axis' zone, ordered by style across all axes so fills never
 * cover lines.
 */
export function drawLayers(
  drawing: Drawing,
  root: Group,
  chart: ChartSpecification,
  scales: ReadonlyMap<string, ValueScale>,
  { left, right }: Box,
  x: XPositions,
  colors: ColorRange | undefined,
): void {
  // The price overlay is below all others.
  const isOverlay = ({ axis }: ValueScale) => axis.id === ownAxes.price
  const sortedScales = [...scales.values()].sort((one, other) => Number(isOverlay(other)) - Number(isOverlay(one)))
  // Keeps the full width of lines along the end of an axis.
  const rim = Math.ceil(drawing.sizes.scale)
  for (const layer of createLayers(drawing, isHatched(chart), colors)) {
    for (const scale of sortedScales) {
      const marks = layer(selectAxisMarks(chart, scale.axis.id), { x, y: scale })
      if (marks.length === 0) continue
      const group = drawClipped(root, { left, right, top: scale.top - rim, bottom: scale.bottom + rim })
      for (const draw of marks) draw(group)
    }
  }
}

function selectAxisMarks({ series, referenceLines, referenceAreas }: ChartSpecification, id: string): AxisMarks {
  const belongs = ({ axisId }: { axisId: string }) => axisId === id
  return {
    series: series.filter(belongs),
    bands: stackSeries(series).flatMap(({ bands }) => bands.filter((band) => belongs(band.series))),
    extents: listExtents(series, id),
    referenceLines: referenceLines.filter(belongs),
    referenceAreas: referenceAreas.filter(belongs),
  }
}

/** Bottom first. */
function createLayers(drawing: Drawing, hatched: boolean, colors: ColorRange | undefined): readonly Layer[] {
  const unstacked = ({ series }: AxisMarks, style: ChartSeries['style']) =>
    series.filter((one) => !one.stacked && one.style === style)
  const lines =
    (...styles: readonly ChartSeries['style'][]): Layer =>
    (marks, coordinates) =>
      styles
        .flatMap((style) => unstacked(marks, style))
        .map((one) => (group) => drawLine(drawing, group, one, coordinates, colors))
  return [
    (marks, coordinates) => {
      const rows = unstacked(marks, 'heatmap')
      return rows.length === 0 || !colors
        ? []
        : [(group) => requireColorMarks().drawCells(group, rows, coordinates, colors)]
    },
    ({ referenceAreas }, coordinates) =>
      referenceAreas.map((area) => (group) => drawReferenceArea(group, area, coordinates)),
    ({ bands }, coordinates) =>
      bands.map((band) => (group) => {
        const draw = band.series.style === 'bar' ? drawStackedBars : drawBand
        draw(drawing, group, band, coordinates)
      }),
    (marks, coordinates) => {
      const areas = unstacked(marks, 'area')
      // Several opaque areas would look like a stack.
      const opacity = areas.length > 1 ? 0.08 : 0.22
      return areas.map((area) => (group) => drawFill(group, area, coordinates, opacity))
    },
    (marks, coordinates) => {
      const bars = unstacked(marks, 'bar')
      return bars.length === 0 ? [] : [(group) => drawBars(drawing, group, bars, coordinates)]
    },
    (marks, coordinates) =>
      unstacked(marks, 'candle').map((one) => (group) => drawCandles(drawing, group, one, coordinates)),
    ({ series }, { x, y }) => {
      if (!hatched || !series.some(({ style }) => style === 'bar' || style === 'candle')) return []
      const middle = x.positions.at(-1) ?? 0
      const half = (x.spacing * fillRatio) / 2 + 1
      const box = { left: middle - half, right: middle + half, top: y.top, bottom: y.bottom }
      return [(group) => drawHatch(drawing, group, box)]
    },
    ({ referenceLines }, coordinates) =>
      referenceLines.map((line) => (group) => drawReferenceLine(drawing, group, line, coordinates)),
    lines('area'),
    lines('line', 'step', 'points'),
    ({ extents }, coordinates) => extents.map((one) => (group) => drawBeyond(drawing, group, one, coordinates)),
  ]
}
