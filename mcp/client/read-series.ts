import type { z } from 'zod'
import { requestAddress } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import type { SeriesInterval } from '#contract/intervals.ts'
import type { Aggregate } from '#contract/metric-kinds.ts'
import { rows } from '#contract/rows.ts'
import type { Call } from './call.ts'
import { type DailyRows, type History, type LinkedHistory, toHistory } from './history.ts'

export const seriesRows = successSchema(rows.series)
/** More days than exist; statistics need all of them. */
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
export async function readHistory(
  path: string,
  schema: z.ZodType<DailyRows>,
  { rest, histories, catalogue, signal, publicUrl }: Call,
): Promise<LinkedHistory> {
  const history = await rest.getCached(path, schema, toHistory, histories, signal)
  catalogue.noteGeneration(history.meta.generation)
  return { ...history, url: `${publicUrl}${path}` }
}

/**
 * Metrics by id, and a formula as the column `formula`: every visible day, or the rows of
 * `periods`.
 */
export function readSeries(ids: readonly string[], call: Call, formula?: string, periods?: Periods) {
  const metrics = ids.length > 0 ? ids.join(',') : undefined
  const path = requestAddress('/v1/series', { metrics, formula, limit: allDays, ...periods })
  return readHistory(path, seriesRows, call)
}

export interface Rank {
  /** Percent of days on which the value was lower, and half of those on which it was the same. */
  readonly percentile: number
  /** First day of the history, YYYY-MM-DD. */
  readonly since: string
  /** Day of the newest value. */
  readonly date: string
}

const percentiles = successSchema(rows.percentiles)

/** By metric id; undefined if the caller sees all history, from which ranks follow. */
export async function readRanks(
  { meta }: History,
  ids: readonly string[],
  { rest, signal }: Call,
): Promise<ReadonlyMap<string, Rank> | undefined> {
  if (meta.history_limited_to === undefined || ids.length === 0) return undefined
  const path = requestAddress('/v1/metrics/percentiles', { metrics: ids.join(',') })
  const { data } = await rest.get(path, percentiles, signal)
  return new Map(data.map(({ id, percentile, history_from: since, date }) => [id, { percentile, since, date }]))
}
