import { parseDay } from '#base/days.ts'
import { ApiError } from '#contract/api-error.ts'
import { isAscending, type PointInTime, type Range } from '#contract/parameters.ts'
import type { KeptRows } from '#sql/kept-rows.ts'
import { quotedIdentifier } from '#sql/quote.ts'
import type { Metric } from '../catalogue.ts'
import type { View } from '../view.ts'
import type { AnswerMeta } from './answer.ts'
import { type Hours, lacksInterval } from './hours.ts'

/** Ascending; times of blocks, or beginnings of hours. */
interface AfterBlocks extends Hours {
  /** Unix days and heights of the blocks. */
  readonly days: Float64Array
  readonly heights: Float64Array
  readonly meta: AnswerMeta
  /** Changes with the rows. */
  readonly version: string
}

/** Whole days with the requested page: every block, or the last block of each hour. */
export async function readAfterBlocks(
  view: View,
  metrics: readonly Metric[],
  range: Range & PointInTime,
  interval: 'block' | '1h',
): Promise<AfterBlocks> {
  const without = metrics.find(({ intervals }) => !intervals.includes('block'))
  if (without) throw lacksInterval(without, interval)
  for (const parameter of ['generation', 'as_of'] as const) {
    if (range[parameter] === undefined) continue
    throw new ApiError('invalid_parameter', `parameter '${parameter}': rows after blocks belong to no generation`, {
      parameter,
    })
  }
  const { start_date, end_date = Number.POSITIVE_INFINITY, limit, cursor } = range
  const ascending = isAscending(range)
  const first = Math.max(start_date ?? view.firstDay, view.firstDay, ascending && cursor ? cursor.day : 0)
  const last = ascending || !cursor ? end_date : Math.min(end_date, cursor.day)
  const rows = (start_date === undefined ? limit : view.maxRows) + (cursor?.skip ?? 0) + 1
  const kept = view.keptRows
  const within = kept.filter(({ date }) => parseDay(date) >= first && parseDay(date) <= last)
  const chosen = enoughDays(ascending ? within : within.toReversed(), rows, interval)
  const reachesBack = start_date === undefined ? chosen.length === within.length : true
  const meta = reachesBack ? await describeBeginning(view, kept, start_date ?? view.firstDay) : {}
  const version = chosen.map(({ sha256 }) => sha256).join()
  if (chosen.length === 0) {
    const none = new Float64Array()
    const columns = new Map(metrics.map(({ id }) => [id, none]))
    return { times: none, days: none, heights: none, columns, version, meta }
  }
  const table = await view.keptTable(chosen)
  const [known] = await view.query(`SELECT DISTINCT name FROM parquet_schema(${table.files})`)
  const names = new Set<unknown>(known?.values)
  // Earlier rows lack metrics of later versions.
  const column = (id: string): string =>
    `${names.has(id) ? quotedIdentifier(id) : 'NULL'}::DOUBLE AS ${quotedIdentifier(id)}`
  const isLast = 'QUALIFY row_number() OVER (PARTITION BY hour ORDER BY height DESC) = 1'
  const read = await view.columns(
    `SELECT date AS row_date, height AS row_height, epoch(${interval === 'block' ? 'time' : 'hour'})::DOUBLE AS row_time,
       ${metrics.map(({ id }) => column(id)).join(', ')}
     FROM ${table.rows} ${interval === 'block' ? '' : isLast} ORDER BY height`,
  )
  const values = (name: string): Float64Array => Float64Array.from(read[name]!)
  return {
    times: values('row_time'),
    days: values('row_date'),
    heights: values('row_height'),
    version,
    meta,
    columns: new Map(metrics.map(({ id }) => [id, values(id)])),
  }
}

/** The first days with enough rows; a day of blocks has at least one hour. */
function enoughDays(days: readonly KeptRows[], rows: number, interval: 'block' | '1h'): readonly KeptRows[] {
  let found = 0
  return days.filter((day) => {
    const isEnough = found >= rows
    found += interval === '1h' && day.detail === 'blocks' ? 1 : day.rows
    return !isEnough
  })
}

/** For a request that begins before the first kept row. */
async function describeBeginning(view: View, [oldest]: readonly KeptRows[], from: number): Promise<AnswerMeta> {
  if (!oldest) return { note: 'no row is kept yet: rows come after each block while the node is followed' }
  if (parseDay(oldest.date) < from) return {}
  const { rows } = await view.keptTable([oldest])
  const [time] = await view.query(`SELECT min(time) FROM ${rows}`)
  const available_from = String(time?.values[0])
  return { available_from }
}
