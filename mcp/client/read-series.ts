import { addressOf } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import type { Interval } from '#contract/intervals.ts'
import { rows } from '#contract/rows.ts'
import type { Aggregate } from '#root/kinds.ts'
import type { Call } from './call.ts'
import { type History, historyOf } from './history.ts'

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
export function readSeries(
  ids: readonly string[],
  { rest, histories, catalogue, signal }: Call,
  formula?: string,
  periods?: Periods,
): Promise<History> {
  const metrics = ids.length > 0 ? ids.join(',') : undefined
  const path = addressOf('/v1/series', { metrics, formula, limit: allDays, ...periods })
  return rest.getCached(path, series, historyOf, histories, signal).then((history) => {
    catalogue.saw(history.meta.generation)
    return history
  })
}
