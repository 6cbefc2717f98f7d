import type { Aggregate } from '#base/kinds.ts'
import { requestAddress } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import type { Interval } from '#contract/intervals.ts'
import { rows } from '#contract/rows.ts'
import type { Call } from './call.ts'
import { type History, toHistory } from './history.ts'
import { explainUnknownMetric } from './unknown-metric.ts'

const series = successSchema(rows.series)
/** More than there are days; statistics need them all. */
const allDays = 10_000

/** Rows of weeks or months of some days. */
export interface Periods {
  readonly interval: Interval
  readonly aggregate?: Aggregate | undefined
  /** YYYY-MM-DD. */
  readonly start_date: string
  readonly end_date: string
}

/**
 * All that the caller may see of metrics, and of a formula over them, which is the column `formula`; or some periods of
 * it.
 */
export async function readSeries(
  ids: readonly string[],
  call: Call,
  formula?: string,
  periods?: Periods,
): Promise<History> {
  const { rest, histories, catalogue, signal } = call
  const metrics = ids.length > 0 ? ids.join(',') : undefined
  const path = requestAddress('/v1/series', { metrics, formula, limit: allDays, ...periods })
  try {
    const history = await rest.getCached(path, series, toHistory, histories, signal)
    catalogue.noteGeneration(history.meta.generation)
    return history
  } catch (error) {
    throw await explainUnknownMetric(error, ids, call)
  }
}
