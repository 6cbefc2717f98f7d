import type { z } from 'zod'
import { isoDate } from '#base/days.ts'
import type { chartBody } from '#contract/charts.ts'
import { pack } from '../data/url-codec.ts'
import type { ChartOptions } from './chart-options.ts'

/** Limits of the API. */
export const maxTexts = { title: 120, subtitle: 240 }

export type ChartBody = z.input<typeof chartBody>

export function toChartBody(options: ChartOptions, title: string, note?: string): ChartBody {
  const { start_date, end_date, as_of, reference_lines, histogram, ...rest } = options
  return {
    ...rest,
    title: title.slice(0, maxTexts.title),
    ...(note && { subtitle: note.slice(0, maxTexts.subtitle) }),
    ...(start_date !== undefined && { start_date: isoDate(start_date) }),
    ...(end_date !== undefined && { end_date: isoDate(end_date) }),
    ...(as_of !== undefined && { as_of: new Date(as_of).toISOString() }),
    ...(histogram && {
      histogram: { ...histogram, date: histogram.date === undefined ? undefined : isoDate(histogram.date) },
    }),
    ...(reference_lines && {
      reference_lines: reference_lines.map(({ x, ...line }) => ({
        ...line,
        ...(x !== undefined && { x: isoDate(x) }),
      })),
    }),
  }
}

/** `unpackChart` decodes it. */
export const packChart = (body: ChartBody): Promise<string> => pack(body)
