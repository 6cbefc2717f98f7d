import { usual } from '#contract/chart-words.ts'
import type { ChartAsk } from '#contract/charts.ts'

/** What a page says of a chart; all else is as where the API is told nothing. */
export type ChartOptions = Partial<ChartAsk>

/** A whole request. The schemas of the contract, which fill in the same, would double the code of a page. */
export function completeOptions(options: ChartOptions): ChartAsk {
  return {
    theme: usual.theme,
    width: usual.width,
    height: usual.height,
    pixel_ratio: usual.pixelRatio,
    text_scale: usual.textScale,
    embed_font: false,
    x_axis: 'date',
    cycle_family: 'halving',
    y_axes: [],
    reference_lines: [],
    reference_areas: [],
    formulas: [],
    ...options,
  }
}

/** Ids of the metrics of a chart, those of its formulas and levels left out. */
export const metricIds = ({ metric, metrics, calendar }: ChartOptions): string[] => [
  ...(metric === undefined ? [] : [metric]),
  ...(metrics ?? []).map((one) => (typeof one === 'string' ? one : one.id)),
  ...(calendar ? [calendar.metric] : []),
]

/** A chart as it leaves the page. */
export interface ShareProps {
  readonly options: ChartOptions
  /** The days that are shown. */
  readonly days: readonly [number, number] | undefined
  readonly title: string
  /** How to read the chart. */
  readonly note?: string | undefined
}
