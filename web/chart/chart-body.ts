import type { z } from 'zod'
import { isoDate } from '#base/days.ts'
import type { chartBody } from '#contract/charts.ts'
import { pack } from '../data/packed.ts'
import type { Asked } from './ask.ts'

/** Longest texts that the API takes. */
const most = { title: 120, subtitle: 240 }

/** A chart as the API is asked for it. */
export type ChartBody = z.input<typeof chartBody>

/** The request that draws a chart of a page, with the title and the note that stand around it there. */
export function bodyOf(asked: Asked, title: string, note?: string): ChartBody {
  const { start_date, end_date, as_of, reference_lines, ...rest } = asked
  return {
    ...rest,
    title: title.slice(0, most.title),
    ...(note && { subtitle: note.slice(0, most.subtitle) }),
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
