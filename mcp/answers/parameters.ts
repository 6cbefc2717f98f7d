import { z } from 'zod'
import { rowsParameter } from './rows.ts'

/** The input of a tool; unknown parameters are refused with the list of those that there are. */
export const parameters = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown parameter ${issue.keys.join(', ')}; this tool has ${Object.keys(shape).join(', ') || 'none'}`
        : undefined,
  })

export const date = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, { error: 'must be a date, written YYYY-MM-DD', abort: true })
  .refine((text) => z.iso.date().safeParse(text).success, 'is not a real date')

/** Days of all that is told of a range. */
export const rangeParameters = {
  days: z.int().min(1).max(10_000).default(30).describe('Newest days; start_date (YYYY-MM-DD) overrides it'),
  start_date: date.optional(),
  end_date: date.optional(),
}

/** Of every tool that answers with a series. */
export const timeParameters = { ...rangeParameters, rows: rowsParameter }

/** So many columns leave room for their rows in an answer. */
export const maxFields = 25

/** Words as people write them, in the form of ids: `MVRV Z` is `mvrv_z`. */
export const normalizeName = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

/** A name of up to 100 characters, whatever its case. */
export const name = z.string().min(1).max(100).overwrite(normalizeName)

export const metricId = z
  .string()
  .max(200)
  .overwrite(normalizeName)
  .regex(/^[a-z0-9][a-z0-9_]{0,99}$/, 'must be the id of a metric, such as mvrv; search_metrics finds it')

export const fields = z.array(name).min(1).max(maxFields).optional()
