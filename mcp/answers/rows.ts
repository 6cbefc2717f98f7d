import { z } from 'zod'

export type Rows = number | 'none' | 'all'

/** Of every tool that answers with a series. */
export const rowsParameter = z
  .union([z.int().min(1).max(10_000), z.enum(['none', 'all'])])
  .optional()
  .describe('Newest rows to show: a number, none or all; a few by default')

const fewest = 1
const few = 7
const fewCells = 42

/** How many of the newest rows an answer shows: a few of many fields, a week of few, unless it is said. */
export function rowsShown(asked: Rows | undefined, fields: number): number {
  if (asked === 'none') return 0
  if (asked === 'all') return Number.POSITIVE_INFINITY
  return asked ?? Math.min(few, Math.max(fewest, Math.floor(fewCells / Math.max(1, fields))))
}
