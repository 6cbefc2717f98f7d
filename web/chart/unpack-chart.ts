import { ownAxes } from '#contract/chart-options.ts'
import { unpack } from '../data/url-codec.ts'
import type { ChartOptions } from './chart-options.ts'
import { type AxisEnds, axisId, type View } from './view.ts'

export interface UnpackedChart {
  readonly title: string
  readonly note: string
  readonly options: ChartOptions
  readonly view: View
}

/** Decodes what `packChart` wrote; undefined for anything else, such as a truncated address. */
export async function unpackChart(text: string): Promise<UnpackedChart | undefined> {
  // The schemas of the contract are as large as the drawing code, so they are loaded when needed.
  const [value, { readChartBody }] = await Promise.all([unpack(text), import('./read-chart-body.ts')])
  const ask = readChartBody(value)
  if (!ask) return undefined
  const { title = '', subtitle = '', range = 'all', scale, start_date, end_date, y_axes, heatmap, ...options } = ask
  const days = start_date !== undefined && end_date !== undefined ? ([start_date, end_date] as const) : undefined
  // The ends of axes are part of the view, in which the reader can change them.
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
