import { isoDate } from '#base/days.ts'
import { shorten } from '#contract/api-error.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import {
  type CommonParameters,
  type Cursor,
  creationDayLimit,
  isAscending,
  rowLimit,
  writeCursor,
} from '#contract/parameters.ts'
import { rowsAt, sliceRows, type Table } from '../table/columns.ts'
import type { View } from '../view.ts'
import type { Answer } from './answer.ts'

/** In the requested order, with the cursor of the next page. */
export function selectPage(
  endpoint: Endpoint,
  parameters: CommonParameters,
  answer: Answer,
  maxFromStart = rowLimit,
): Answer {
  const { limit = rowLimit, start_date, offset, order, cursor } = parameters
  const { table } = answer
  if (offset !== undefined) {
    const end = offset + (start_date === undefined || endpoint.undated !== undefined ? limit : creationDayLimit)
    const meta = { ...answer.meta, ...(table.rows > end && { next_offset: end }) }
    return { ...answer, table: sortRows(sliceRows(table, offset, end), order, endpoint.orderedBy), meta }
  }
  if (!('cursor' in endpoint.query.shape)) return { ...answer, table: sortRows(table, order, endpoint.orderedBy) }
  const maxRows = start_date === undefined ? limit : maxFromStart
  const begin = cursor?.skip ?? 0
  const isWhole = begin === 0 && table.rows <= maxRows
  const all = isAscending({ order, start_date }) && !isWhole ? sortRows(table, 'asc', endpoint.orderedBy) : table
  const page = { ...answer, table: sortRows(sliceRows(all, begin, begin + maxRows), order, endpoint.orderedBy) }
  const next = all.rows > begin + maxRows ? createCursor(all, begin + maxRows) : undefined
  return next ? { ...page, meta: { ...answer.meta, next_cursor: writeCursor(next) } } : page
}

/**
 * Says in words why an answer is not whole; undefined if it is.
 * @param isPage the request chose the number of rows, or where they begin
 */
export function describeCut({ table, meta = {} }: Answer, isPage: boolean): string | undefined {
  const { history_limited_to: first, withheld = [], withheld_tier, next_cursor, next_offset } = meta
  const next = next_cursor === undefined ? `offset=${next_offset}` : `cursor=${next_cursor}`
  const hasMore = !isPage && (next_cursor ?? next_offset) !== undefined
  const parts = [
    ...(first === undefined ? [] : [`no days before ${first} below tier pro`]),
    ...(withheld.length === 0 ? [] : [`no ${shorten(withheld.join(', '))} below tier ${withheld_tier}`]),
    ...(hasMore ? [`only the first ${table.rows} rows: ${next} continues`] : []),
  ]
  return parts.length > 0 ? parts.join('; ') : undefined
}

/** Rows of one day are adjacent. */
function createCursor({ columns, isReversed }: Table, row: number): Cursor | undefined {
  const days = columns.find(({ name }) => name === 'date')
  if (days?.kind !== 'date') return undefined
  const values = isReversed ? days.values.toReversed() : days.values
  const day = values[row]!
  return { day, skip: row - values.indexOf(day) }
}

/** Rows of equal time keep their order. */
function sortRows(table: Table, order: 'asc' | 'desc' | undefined, by = 'date'): Table {
  const { columns } = table
  const time = columns.find(({ kind }) => kind === 'time')
  // Block times are not always in order.
  const finer = time && (columns.find(({ name }) => name === 'height') ?? time)
  const times = finer ?? columns.find(({ name }) => name === by) ?? columns[0]
  if (order === undefined || times === undefined) return table
  if (times.kind !== 'time' && times.kind !== 'date' && times.kind !== 'integer') return table
  // One row a day or an hour, oldest first.
  if (table.isReversed) return order === 'asc' ? { ...table, isReversed: false } : table
  const { values } = times
  const isSame = (sign: 1 | -1) => values.every((value, i) => i === 0 || sign * (value - values[i - 1]!) > 0)
  if (isSame(order === 'asc' ? 1 : -1)) return table
  if (isSame(order === 'asc' ? -1 : 1)) return { ...table, isReversed: true }
  const rows = Uint32Array.from(values, (_, row) => row)
  rows.sort((a, b) => (order === 'asc' ? 1 : -1) * (values[a]! - values[b]!) || a - b)
  return rowsAt(table, rows)
}

/** Adds a note if the dates of the request are the reason. */
export function explainNoRows(view: View, parameters: CommonParameters, answer: Answer): Answer {
  const { table, meta } = answer
  if (table.rows > 0 || meta?.note !== undefined) return answer
  if (meta?.history_limited_to !== undefined) {
    const note = `nothing is left within your history, which begins on ${meta.history_limited_to}; an API key of tier pro or higher sees all days`
    return { ...answer, meta: { ...meta, note } }
  }
  const { start_date, end_date, date, date_processed } = parameters
  const first = start_date ?? date ?? date_processed
  if (first === undefined && end_date === undefined) return answer
  const note =
    first !== undefined && first > view.lastDay
      ? `the newest published day is ${isoDate(view.lastDay)}`
      : 'there is no data for these days'
  return { ...answer, meta: { ...meta, note } }
}
