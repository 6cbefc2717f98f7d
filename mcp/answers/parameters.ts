import { z } from 'zod'
import { findClosest } from '#base/suggestions.ts'
import { rowsParameter } from './rows.ts'

/** Unknown parameters: the error names the closest known one, and lists all. */
export const parameters = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined
      const names = Object.keys(shape)
      const meant = issue.keys.flatMap((key) => findClosest(key, names) ?? [])
      const hint = meant.length > 0 ? ` (did you mean ${meant.join(', ')}?)` : ''
      return `unknown parameter ${issue.keys.join(', ')}${hint}; this tool has ${names.join(', ') || 'none'}`
    },
  })

export const date = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, { error: 'must be a day, such as 2021-12-31, 31.12.2021 or yesterday', abort: true })
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
