import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import type { View } from '../view.ts'
import type { Answer } from './answer.ts'

const optionalDay = z.number().optional()
/** Unix days. */
const dateParameters = z.object({
  start_date: optionalDay,
  end_date: optionalDay,
  date: optionalDay,
  date_processed: optionalDay,
})

/** Explains why an answer has no rows, if the dates of the request are the reason. */
export function explainNoRows(view: View, parameters: object, answer: Answer): Answer {
  const { table, meta } = answer
  if (table.rows > 0 || meta?.note !== undefined) return answer
  if (meta?.history_limited_to !== undefined) {
    const note = `nothing is left within your history, which begins on ${meta.history_limited_to}; an API key of tier pro or higher sees all days`
    return { ...answer, meta: { ...meta, note } }
  }
  const { start_date, end_date, date, date_processed } = dateParameters.parse(parameters)
  const first = start_date ?? date ?? date_processed
  if (first === undefined && end_date === undefined) return answer
  const note =
    first !== undefined && first > view.lastDay
      ? `the newest published day is ${isoDate(view.lastDay)}`
      : 'there is no data for these days'
  return { ...answer, meta: { ...meta, note } }
}
