import { unpack } from '../data/url-codec.ts'
import type { ChartOptions } from './chart-options.ts'
import type { View } from './view.ts'

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
  const { title = '', subtitle = '', range = 'all', scale, start_date, end_date, ...options } = ask
  const days = start_date !== undefined && end_date !== undefined ? ([start_date, end_date] as const) : undefined
  return { title, note: subtitle, options, view: { range, days, scale } }
}
