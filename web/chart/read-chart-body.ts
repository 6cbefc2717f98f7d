import './zod-config.ts'
import { type ChartBody, chartBody } from '#contract/charts.ts'

/** Parses a chart request from an address; undefined if the API would refuse it. */
export const readChartBody = (value: unknown): ChartBody | undefined => chartBody.safeParse(value).data
