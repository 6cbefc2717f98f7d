import { requestAddress } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import type { Call } from './call.ts'
import type { History } from './history.ts'

/** Where the newest value of a metric lies in all its history. */
export interface Rank {
  /** Percent of the days that are not above it. */
  readonly percentile: number
  /** First day of that history, YYYY-MM-DD. */
  readonly since: string
  /** Day of the value. */
  readonly date: string
}

const percentiles = successSchema(rows.percentiles)

/** The ranks of metrics by id; undefined where their history is seen whole, and so tells by itself. */
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
