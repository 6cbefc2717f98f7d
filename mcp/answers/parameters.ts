import { z } from 'zod'

/** The input of a tool; unknown parameters are refused with the list of those that there are. */
export const parameters = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown parameter ${issue.keys.join(', ')}; this tool has ${Object.keys(shape).join(', ') || 'none'}`
        : undefined,
  })

/** Its pattern as JSON Schema is shorter than that of `z.iso.date()`, and assistants read it with every tool. */
export const date = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, 'must be a date, written YYYY-MM-DD')
  .refine((text) => z.iso.date().safeParse(text).success, 'is no real date')

/** Of every tool that answers with a series. */
export const timeParameters = {
  days: z.int().min(1).max(10_000).default(30).describe('Newest days up to end_date; start_date overrides it'),
  start_date: date.optional().describe('First day (UTC), YYYY-MM-DD'),
  end_date: date.optional().describe('Last day; the newest without it'),
}

/** So many columns leave room for their rows in an answer. */
export const mostFields = 25

export const metricId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_]{0,99}$/, 'must be the id of a metric, such as mvrv; search_metrics finds it')
