import type { Meta } from '#contract/envelope.ts'
import type { Table } from '#query/table/columns.ts'
import { csvLines } from '#query/table/csv.ts'
import { jsonRows } from '#query/table/json.ts'

/** The text of an answer without its end, piece by piece. */
export const answerPieces = (format: 'json' | 'csv', table: Table, meta: Meta): Generator<string> =>
  format === 'json' ? jsonPieces(table, meta) : csvLines(table)

function* jsonPieces(table: Table, meta: Meta): Generator<string> {
  yield '{"success":true,"data":['
  yield* jsonRows(table)
  yield `],"count":${table.rows},"meta":${JSON.stringify(meta)}`
}

/** The end of an answer: in JSON, its timestamp. */
export const answerEnd = (format: 'json' | 'csv'): string =>
  format === 'json' ? `,"timestamp":"${new Date().toISOString()}"}` : ''

/** Joins pieces, with a pause after each in which other requests are answered. */
export async function joinPieces(pieces: Generator<string>, pause: () => Promise<void>): Promise<Buffer> {
  const buffers: Buffer[] = []
  for (const piece of pieces) {
    if (buffers.length > 2) await pause()
    buffers.push(Buffer.from(piece))
  }
  return Buffer.concat(buffers)
}
