import type { z } from 'zod'
import { type Path, type Query, requestAddress } from '#clients/typescript/address.ts'
import type { SeriesInterval } from '#contract/intervals.ts'
import type { Aggregate } from '#contract/metric-kinds.ts'
import { rows } from '#contract/rows.ts'
import type { Call } from './call.ts'
import { type DailyRow, type History, type LinkedHistory, toHistory } from './history.ts'
import { readRows } from './read-rows.ts'

/** More than exist: statistics need all days. */
export const allDays = 10_000

/** Rows of another length within a range of days. */
export interface Periods {
  readonly interval: SeriesInterval
  readonly aggregate?: Aggregate | undefined
  /** YYYY-MM-DD. */
  readonly start_date: string
  readonly end_date?: string | undefined
}

/** Uses the cache if the API has nothing newer. */
export async function readHistory<P extends Path>(
  { rest, histories, catalogue, signal, publicUrl, noteMeta }: Call,
  path: P,
  query: Query<P>,
  row: z.ZodType<DailyRow>,
): Promise<LinkedHistory> {
  const address = requestAddress(path, query)
  const history = await rest.cachedRows(address, row, toHistory, histories, signal)
  catalogue.noteGeneration(history.meta.generation)
  noteMeta?.(history.meta)
  return { ...history, url: `${publicUrl}${address}` }
}

/** Metrics, and a formula as the column `formula`: every visible day, or rows of `periods`. */
export function readSeries(ids: readonly string[], call: Call, formula?: string, periods?: Periods) {
  const metrics = ids.length > 0 ? ids.join(',') : undefined
  return readHistory(call, '/v1/series', { metrics, formula, limit: allDays, ...periods }, rows.series)
}

export interface Rank {
  /** Percent of days with a lower value, and half of those with the same. */
  readonly percentile: number
  /** First day of the history, YYYY-MM-DD. */
  readonly since: string
  /** Day of the newest value. */
  readonly date: string
}

/** By metric id; undefined if the caller sees all history. */
export async function readRanks(
  { meta }: History,
  ids: readonly string[],
  call: Call,
): Promise<ReadonlyMap<string, Rank> | undefined> {
  if (meta.history_limited_to === undefined || ids.length === 0) return undefined
  const { data } = await readRows(call, '/v1/metrics/percentiles', { metrics: ids.join(',') }, rows.percentiles)
  return new Map(data.map(({ id, percentile, history_from: since, date }) => [id, { percentile, since, date }]))
}
