import schema from 'chart-schema:all'
import { ownAxes } from '#contract/chart-options.ts'
import { unpack } from '../data/url-codec.ts'
import { type ChartOptions, completeOptions } from './chart-options.ts'
import { invalid, readBySchema } from './read-by-schema.ts'
import { type AxisEnds, axisId, type View } from './view.ts'

export interface UnpackedChart {
  readonly title: string
  readonly note: string
  readonly options: ChartOptions
  readonly view: View
}

/** Undefined unless `packChart` wrote it, such as for a truncated address. */
export async function unpackChart(text: string): Promise<UnpackedChart | undefined> {
  const ask = readBySchema(schema, await unpack(text))
  if (!isChart(ask)) return undefined
  const {
    title = '',
    subtitle = '',
    range = 'all',
    scale,
    start_date,
    end_date,
    y_axes,
    heatmap,
    ...options
  } = completeOptions(ask)
  const days = start_date !== undefined && end_date !== undefined ? ([start_date, end_date] as const) : undefined
  // The reader can change axis ends in the view.
  const ends = new Map<string, AxisEnds>(y_axes.map((axis) => [axisId(axis), [axis.domain_min, axis.domain_max]]))
  if (heatmap) ends.set(ownAxes.heatmap, [heatmap.y_min, heatmap.y_max])
  const chosen = [...ends].filter(([, [min, max]]) => min !== undefined || max !== undefined)
  return {
    title,
    note: subtitle,
    options: {
      ...options,
      y_axes: y_axes.map((axis) => ({ ...axis, domain_min: undefined, domain_max: undefined })),
      ...(heatmap && { heatmap: { ...heatmap, y_min: undefined, y_max: undefined } }),
    },
    view: { range, days, scale, axes: chosen.length > 0 ? Object.fromEntries(chosen) : undefined },
  }
}

/** Assumes that `readBySchema` read it. */
const isChart = (ask: unknown): ask is ChartOptions => ask !== invalid
