import type { Call } from '../client/call.ts'
import { readRanks } from '../client/read-ranks.ts'
import { readSeries } from '../client/read-series.ts'
import type { Rows } from './rows.ts'
import { type Field, type SeriesAnswer, seriesAnswer } from './series-answer.ts'
import type { Range } from './window.ts'

export interface FieldsRequest extends Range {
  readonly rows?: Rows | undefined
}

/** A range of metrics, whose columns are their ids. */
export async function answerFields(
  call: Call,
  fields: readonly Field[],
  { rows, ...range }: FieldsRequest,
  notes: readonly string[] = [],
): Promise<SeriesAnswer> {
  const ids = fields.map(({ column }) => column)
  const history = await readSeries(ids, call)
  const ranks = await readRanks(history, ids, call)
  return seriesAnswer(history, fields, { range, rows, ranks, notes })
}
