import { type ChartBody, chartBody } from './charts.ts'

/** Defaults of a chart request. Parsing takes time, so the file is separate from the schemas. */
export const defaultChart: ChartBody = chartBody.parse({})
