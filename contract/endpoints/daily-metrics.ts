import type { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { daily } from '../parameters.ts'
import { otherMetrics } from '../rows.ts'

/** Declares an endpoint of daily metrics: `row` has the default ones, the catalogue assigns the others. */
export const dailyMetrics = <const Id extends string, Row extends z.ZodObject>(
  id: Id,
  tag: string,
  summary: string,
  row: Row,
) => endpoint({ id, tag, summary, query: daily, row, more: otherMetrics })
