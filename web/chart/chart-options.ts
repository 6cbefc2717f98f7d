import { chartDefaults } from '#contract/chart-options.ts'
import type { ChartBody } from '#contract/charts.ts'

/** Missing options have the API's defaults. */
export type ChartOptions = Partial<ChartBody>

/** The contract's schemas do the same but would double a page's code. */
export function completeOptions(options: ChartOptions): ChartBody {
  return {
    theme: chartDefaults.theme,
    width: chartDefaults.width,
    height: chartDefaults.height,
    pixel_ratio: chartDefaults.pixelRatio,
    text_scale: chartDefaults.textScale,
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

/** Without metrics in formulas and levels. */
export const metricIds = ({ metric, metrics, calendar }: ChartOptions): string[] => [
  ...(metric === undefined ? [] : [metric]),
  ...(metrics ?? []).map((one) => (typeof one === 'string' ? one : one.id)),
  ...(calendar ? [calendar.metric] : []),
]

export interface ShareProps {
  readonly options: ChartOptions
  readonly days: readonly [number, number] | undefined
  readonly title: string
  /** How to read the chart. */
  readonly note?: string | undefined
}
