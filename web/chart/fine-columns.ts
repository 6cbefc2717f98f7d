import { isoDate } from '#base/days.ts'
import { RequestError } from '#clients/typescript/request.ts'
import { type FineInterval, maxFinePoints } from '#contract/chart-options.ts'
import type { FineColumns, FineRange } from '#render/request/chart-source.ts'
import { read } from '../data/client.ts'
import { chartDigits } from '../data/columns.ts'

/** Values by hour or block, with a picture's digits unless `isExact`. */
export async function readFine(
  isExact: boolean,
  ids: readonly string[],
  interval: FineInterval,
  { start_date, end_date }: FineRange,
): Promise<FineColumns> {
  const { data, meta } = await read('series', {
    metrics: ids.join(),
    interval,
    start_date: isoDate(start_date),
    limit: maxFinePoints,
    end_date: end_date === undefined ? undefined : isoDate(end_date),
    digits: isExact ? undefined : chartDigits,
  })
  if (meta.next_cursor !== undefined) {
    const problem = `a chart has at most ${maxFinePoints} hours or blocks: choose fewer days`
    throw new RequestError('invalid_parameter', problem, { parameter: 'start_date' })
  }
  const rows = data.toReversed()
  return {
    times: Float64Array.from(rows, ({ time }) => Date.parse(String(time)) / 1000),
    columns: new Map(ids.map((id) => [id, Float64Array.from(rows, (row) => Number(row[id] ?? Number.NaN))])),
    remarks: meta.available_from === undefined ? [] : [`rows after blocks begin at ${meta.available_from}`],
  }
}
