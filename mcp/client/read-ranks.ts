import { requestAddress } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import type { Call } from './call.ts'
import type { History } from './history.ts'

/** Rank of the newest value of a metric within its whole history. */
export interface Rank {
  /** Percent of days on which the value was not higher. */
  readonly percentile: number
  /** First day of the history, YYYY-MM-DD. */
  readonly since: string
  /** Day of the newest value. */
  readonly date: string
}

const percentiles = successSchema(rows.percentiles)

/** Reads ranks by metric id; undefined if the caller sees all history, from which ranks can be computed. */
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
