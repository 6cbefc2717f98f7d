import { z } from 'zod'
import type { Endpoint } from '#contract/endpoint.ts'
import { type Cursor, isAscending, rowLimit, writeCursor } from '#contract/parameters.ts'
import type { Table } from '../table/columns.ts'
import { picked, rowsOf } from '../table/rows.ts'
import type { Answer } from './answer.ts'

/** What decides on the rows of an answer, of parameters that are checked. */
const asked = z.object({
  limit: z.number().default(rowLimit),
  start_date: z.number().optional(),
  order: z.enum(['asc', 'desc']).optional(),
  cursor: z.object({ day: z.number(), skip: z.number() }).optional(),
})

/** The rows of an answer that are asked for, in the order asked for, with the cursor of those after them. */
export function pageOf(endpoint: Endpoint, parameters: object, answer: Answer): Answer {
  const { limit, start_date, order, cursor } = asked.parse(parameters)
  const { table } = answer
  if (!('cursor' in endpoint.query.shape)) return { ...answer, table: ordered(table, order, endpoint.orderedBy) }
  const most = start_date === undefined ? limit : rowLimit
  const begin = cursor?.skip ?? 0
  const all = isAscending({ order, start_date }) ? ordered(table, 'asc', endpoint.orderedBy) : table
  const page = { ...answer, table: ordered(rowsOf(all, begin, begin + most), order, endpoint.orderedBy) }
  const next = all.rows > begin + most ? cursorAt(all, begin + most) : undefined
  return next ? { ...page, meta: { ...answer.meta, next_cursor: writeCursor(next) } } : page
}

/** Where a row stands, in a table whose rows of one day are together. */
function cursorAt({ columns }: Table, row: number): Cursor | undefined {
  const days = columns.find(({ name }) => name === 'date')
  if (days?.kind !== 'date') return undefined
  const day = days.values[row]!
  return { day, skip: row - days.values.indexOf(day) }
}

/** The rows in order of time; those of the same time keep theirs. */
function ordered(table: Table, order: 'asc' | 'desc' | undefined, by = 'date'): Table {
  const times = table.columns.find(({ name }) => name === by) ?? table.columns[0]
  if (order === undefined || times === undefined || (times.kind !== 'date' && times.kind !== 'integer')) return table
  const { values } = times
  const rows = Uint32Array.from(values, (_, row) => row)
  rows.sort((a, b) => (order === 'asc' ? 1 : -1) * (values[a]! - values[b]!) || a - b)
  return picked(table, rows.length, {
    numbers: (column) => Float64Array.from(rows, (row) => column[row]!),
    others: (column) => Array.from(rows, (row) => column[row]!),
  })
}
