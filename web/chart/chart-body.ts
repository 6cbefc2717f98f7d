import type { z } from 'zod'
import { isoDate } from '#base/days.ts'
import type { chartBody } from '#contract/charts.ts'
import { pack } from '../data/url-codec.ts'
import type { ChartOptions } from './chart-options.ts'

/** Longest texts that the API takes. */
const maxLengths = { title: 120, subtitle: 240 }

/** A chart as the API is asked for it. */
export type ChartBody = z.input<typeof chartBody>

/** The request that draws a chart of a page, with the title and the note that stand around it there. */
export function toChartBody(options: ChartOptions, title: string, note?: string): ChartBody {
  const { start_date, end_date, as_of, reference_lines, ...rest } = options
  return {
    ...rest,
    title: title.slice(0, maxLengths.title),
    ...(note && { subtitle: note.slice(0, maxLengths.subtitle) }),
    ...(start_date !== undefined && { start_date: isoDate(start_date) }),
    ...(end_date !== undefined && { end_date: isoDate(end_date) }),
    ...(as_of !== undefined && { as_of: isoDate(as_of) }),
    ...(reference_lines && {
      reference_lines: reference_lines.map(({ x, ...line }) => ({
        ...line,
        ...(x !== undefined && { x: isoDate(x) }),
      })),
    }),
  }
}

/** A request as an address holds it, to be read by `unpackChart`. */
export const packChart = (body: ChartBody): Promise<string> => pack(body)
