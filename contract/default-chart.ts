import { type ChartBody, chartBody } from './charts.ts'

/** What is taken where a request for a chart says nothing. By itself, so that pages load the schemas without using them at once. */
export const defaultChart: ChartBody = chartBody.parse({})
