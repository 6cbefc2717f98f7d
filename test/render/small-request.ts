import type { ChartRequest, RequestedSeries } from '#render/request/request.ts'
import { dayRange } from './samples.ts'

/** 2024-01-01 */
const start = 19723

/** A chart of the given columns, with defaults. */
export function request(series: Partial<RequestedSeries>[], more: Partial<ChartRequest> = {}): ChartRequest {
  const length = Math.max(...series.map(({ values }) => values?.length ?? 0))
  return {
    title: 'Test',
    source: 'Source: test',
    x: { kind: 'date', days: dayRange(start, length) },
    series: series.map((one, i) => ({
      id: `s${i}`,
      label: `Series ${i}`,
      unit: 'BTC',
      values: new Float64Array(0),
      ...one,
    })),
    ...more,
  }
}

/** `count` values at equal steps. */
export const ramp = (count: number, from: number, to: number) =>
  Float64Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1))
