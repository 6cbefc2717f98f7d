import './zod-config.ts'
import { type ChartAsk, chartBody } from '#contract/charts.ts'

/** A request for a chart that somebody else wrote; undefined where the API would refuse it. */
export const readChartBody = (value: unknown): ChartAsk | undefined => chartBody.safeParse(value).data
