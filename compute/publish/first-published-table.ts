import { isoDate, msPerDay, parseDay } from '#base/days.ts'
import { firstPublished } from '#contract/tables/first-published.ts'
import { readColumns } from '#sql/columns.ts'
import { listMonthFiles, openMonths } from '#sql/first-published.ts'
import {
  currentGenerationId,
  type Generation,
  type OpenGeneration,
  type PublishedTable,
  readableGeneration,
} from '#sql/generation.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { quotedString } from '#sql/quote.ts'
import { rowsRelation } from '#sql/rows.ts'
import type { Draft } from './draft.ts'

/** A value counts as first published up to this many days after its day: some funds report late. */
const maxDelayDays = 7
/** Number of last days whose values may count. */
export const recentDays = maxDelayDays + 1

export interface NewGeneration extends Pick<Generation, 'id'> {
  readonly createdAt: Date
  /** The newest readable one of the previous generations. */
  readonly before: OpenGeneration | undefined
  /** Last closed unix day. */
  readonly lastDay: number
  /** Values by metric on the last `recentDays` days, or all if fewer; NaN if unknown. */
  readonly recent: ReadonlyMap<string, Float64Array>
}

/**
 * Writes values that no earlier generation of this data folder published into the draft's folder;
 * `undefined` without any. Omits the days before the folder's second generation: nobody could read
 * them when they ended.
 */
export async function writeFirstPublished(
  draft: Draft,
  dataDir: string,
  { id, createdAt, before, lastDay, recent }: NewGeneration,
): Promise<PublishedTable | undefined> {
  const { connection } = draft
  const length = recent.values().next().value?.length ?? 0
  const oldest = Math.max(lastDay - length + 1, Math.ceil(createdAt.getTime() / msPerDay) - maxDelayDays - 1)
  const isRecent = (month: string): boolean => month >= isoDate(oldest).slice(0, 7)
  const known = await openMonths(dataDir, isRecent)
  const all = listMonthFiles(dataDir)
  if (!before && all.length === 0) return undefined
  const isLost = all.some(({ month, isSetAside }) => isSetAside && isRecent(month))
  const hasEarlier = all.some(({ month }) => !isRecent(month))
  let first = before ? parseDay(before.generation.last_date) + 1 : lastDay
  // If known values are lost, those of earlier days may have been published before.
  if (!isLost && hasEarlier) first = oldest
  else if (!isLost && known.length > 0) {
    const { day } = await readColumns(connection, `SELECT min(date) AS day FROM ${parquetFiles(known)}`)
    first = Math.min(first, day![0]!)
  }
  first = Math.max(first, oldest)
  if (first > lastDay) return undefined

  const days = lastDay - first + 1
  const rows = [...recent].flatMap(([metric, values]) =>
    Array.from(values.subarray(values.length - days), (value, i) => ({ date: isoDate(first + i), metric, value })),
  )
  const types = { date: 'DATE', metric: 'VARCHAR', value: 'DOUBLE' } as const
  const recentValues = rowsRelation('recent_values', types, rows)
  const isNew = known.length === 0 ? '' : `ANTI JOIN ${parquetFiles(known)} AS known USING (metric, date)`
  return draft.writeBeside(
    firstPublished,
    `SELECT date, metric, value, ${quotedString(id)} AS generation,
       TIMESTAMP ${quotedString(createdAt.toISOString().slice(0, -1))} AS published_at
     FROM (FROM ${recentValues.from} WHERE value IS NOT NULL) ${isNew} ORDER BY metric, date`,
  )
}

/** Notes about damaged files until the operator removes them. */
export const noteLostMonths = (dataDir: string): string[] =>
  listMonthFiles(dataDir).flatMap(({ month, file, isSetAside }) =>
    isSetAside
      ? [
          `${file} is damaged: as_of does not know the first published values of ${month} in it; put the file of a backup beside it as ${month}-restored.parquet, then remove it`,
        ]
      : [],
  )

/** A note if the description of the current generation is damaged. */
export function noteDamagedGeneration(dataDir: string): string[] {
  const id = currentGenerationId(dataDir)
  if (id === undefined || readableGeneration(dataDir)) return []
  return [
    `generation.json of generation ${id} is damaged: values that were published first by it alone count as first published by this one`,
  ]
}
