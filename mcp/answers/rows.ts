import { bisectRight } from 'd3-array'
import { z } from 'zod'
import { parseDay } from '#base/days.ts'

export const cell = z.union([z.string(), z.number(), z.null()])
export type Cell = z.infer<typeof cell>

export interface Range {
  readonly days: number
  readonly start_date?: string | undefined
  readonly end_date?: string | undefined
}

/** As in the API: all from a start date, else the newest `days`. */
export function rowsIn(days: Int32Array, { days: maxRows, start_date, end_date }: Range): { from: number; to: number } {
  const to = end_date === undefined ? days.length : bisectRight(days, parseDay(end_date))
  const from = start_date === undefined ? to - maxRows : bisectRight(days, parseDay(start_date) - 1)
  return { from: Math.max(0, Math.min(from, to)), to }
}

/** Rows in a range that have a value. */
export const knownRows = (values: Float64Array, { from, to }: { from: number; to: number }): number[] =>
  Array.from(values.keys()).filter((row) => row >= from && row < to && !Number.isNaN(values[row]!))

/** First row with the highest value, or lowest for sign -1. */
export const extremeRow = (values: Float64Array, rows: readonly number[], sign: 1 | -1): number =>
  rows.reduce((best, row) => (sign * values[row]! > sign * values[best]! ? row : best))

export type Rows = number | 'none' | 'all'

export const rowsParameter = z
  .union([z.int().min(1).max(10_000), z.enum(['none', 'all'])], 'must be a number, none or all')
  .optional()
  .describe('Newest rows to show: a number, none or all; 3 by default')

const defaultRows = 3
const maxFieldsWithRows = 3

/** Many fields show no rows by default: their statistics have the newest values. */
export function countShownRows(requested: Rows | undefined, fields: number): number {
  if (requested === 'none') return 0
  if (requested === 'all') return Number.POSITIVE_INFINITY
  return requested ?? (fields > maxFieldsWithRows ? 0 : defaultRows)
}

/**
 * Six significant digits; whole numbers below a billion, such as heights and counts, stay exact.
 */
export const significant = (value: number): number =>
  Number.isInteger(value) && Math.abs(value) < 1e9 ? value : Number(value.toPrecision(6))

export const significantOrNull = (value: number | null): number | null => (value === null ? null : significant(value))

export const round = (value: number, decimals: number): number => Number(value.toFixed(decimals))
