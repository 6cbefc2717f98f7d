import { z } from 'zod'

export type Rows = number | 'none' | 'all'

/** Of every tool that answers with a series. */
export const rowsParameter = z
  .union([z.int().min(1).max(10_000), z.enum(['none', 'all'])])
  .optional()
  .describe('Newest rows to show: a number, none or all; a few by default')

const minRows = 1
const defaultRows = 7
const defaultCells = 42

/** How many of the newest rows an answer shows: a few of many fields, a week of few, unless it is said. */
export function countShownRows(requested: Rows | undefined, fields: number): number {
  if (requested === 'none') return 0
  if (requested === 'all') return Number.POSITIVE_INFINITY
  return requested ?? Math.min(defaultRows, Math.max(minRows, Math.floor(defaultCells / Math.max(1, fields))))
}
