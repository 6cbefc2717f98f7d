import { type ChartBody, type ChartQuery, chartBody } from './charts.ts'

/** Separate from the schemas: parsing takes time. */
export const defaultChart: ChartBody = chartBody.parse({})

export function toBody({ axes, ...query }: ChartQuery): ChartBody {
  if (axes === undefined) return { ...defaultChart, ...query }
  const { metric, metrics = metric === undefined ? [] : [metric], ...others } = query
  return { ...defaultChart, ...others, metrics: metrics.map((id, i) => ({ id, y_axis_id: axes[i] })) }
}
