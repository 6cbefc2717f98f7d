import './zod-config.ts'
import { type ChartAsk, chartBody } from '#contract/charts.ts'

/** Parses a chart request from an address; undefined if the API would refuse it. */
export const readChartBody = (value: unknown): ChartAsk | undefined => chartBody.safeParse(value).data
