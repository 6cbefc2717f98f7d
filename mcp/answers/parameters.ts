import { z } from 'zod'
import { rowsParameter } from './rows.ts'

/** Unknown parameters: the error lists the known ones. */
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

export const rangeParameters = {
  days: z.int().min(1).max(10_000).default(30).describe('Newest days; start_date (YYYY-MM-DD) overrides it'),
  start_date: date.optional(),
  end_date: date.optional(),
}

export const timeParameters = { ...rangeParameters, rows: rowsParameter }

/** More columns would leave no room for rows. */
export const maxFields = 25

/** `MVRV Z` becomes `mvrv_z`. */
export const normalizeName = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

export const name = z.string().min(1).max(100).overwrite(normalizeName)

export const metricId = z
  .string()
  .max(200)
  .overwrite((text) => normalizeName(text.replaceAll(/\W+/g, ' ')))
  .regex(/^[a-z0-9][a-z0-9_]{0,99}$/, 'must be the id of a metric, such as mvrv; search_metrics finds it')

export const fields = z.array(name).min(1).max(maxFields).optional()
