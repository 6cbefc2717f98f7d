import { DuckDBDateValue } from '@duckdb/node-api'
import { ageBands } from '#contract/cohorts.ts'
import { type Range, rowLimit } from '#contract/parameters.ts'
import type { Tier } from '#contract/tiers.ts'
import { satsPerCoin } from '#root/bitcoin.ts'
import { isoDate } from '#root/days.ts'
import type { Published } from '../published/published.ts'
import { emptyTable, tableOf } from '../table/columns.ts'
import { type Answer, firstVisibleDay } from './answer.ts'

interface UtxoHistoryParameters extends Range {
  readonly date_processed?: number | undefined
  readonly cohort_start?: number | undefined
  readonly cohort_end?: number | undefined
}

/** CASE over the age in days that gives the age band. */
const bandOfAge = ageBands
  .toReversed()
  .map(({ id, fromAge }) => `WHEN age_days >= ${fromAge} THEN '${id}'`)
  .join(' ')

/** Unspent value by day of creation after one day, the youngest first. */
export async function utxoHistoryAnswer(
  published: Published,
  tier: Tier,
  { date_processed, cohort_start, cohort_end, start_date, end_date, limit }: UtxoHistoryParameters,
): Promise<Answer> {
  const oldest = firstVisibleDay(published, tier)
  const isCut = oldest > published.firstDay && (date_processed ?? end_date ?? oldest) < oldest
  const meta = isCut ? { history_limited_to: isoDate(oldest) } : {}
  const processed = date_processed ?? Math.min(end_date ?? published.lastDay, published.lastDay)
  const isOutside =
    processed < Math.max(oldest, start_date ?? oldest) || processed > Math.min(published.lastDay, end_date ?? processed)
  if (isOutside) return { table: emptyTable, meta }

  const [price] = published.catalogue.find('price')
    ? await published.valuesOf([published.catalogue.find('price')!])
    : []
  const usd = price?.[processed - published.firstDay] ?? Number.NaN
  const columns = await published.query(
    `SELECT
       $processed AS date_processed, created_date AS cohort_date, sats / ${satsPerCoin} AS token_amount,
       sats / ${satsPerCoin} * $usd::DOUBLE AS usd_value, age_days, CASE ${bandOfAge} END AS cohort
     FROM (
       SELECT created_date, sum(sats)::DOUBLE AS sats, ($processed - created_date)::INTEGER AS age_days
       FROM (
         SELECT date, date AS created_date, created_sats AS sats FROM ${published.table('days')}
         UNION ALL SELECT date, created_date, -spent_sats FROM ${published.table('flows')}
         UNION ALL SELECT date, created_date, -sats FROM ${published.table('overwritten')}
       )
       WHERE date <= $processed GROUP BY created_date
     )
     WHERE sats > 0 AND created_date BETWEEN $first AND $last ORDER BY created_date DESC LIMIT $rows`,
    {
      processed: new DuckDBDateValue(processed),
      usd: Number.isNaN(usd) ? null : usd,
      first: new DuckDBDateValue(cohort_start ?? published.firstDay),
      last: new DuckDBDateValue(cohort_end ?? processed),
      rows: start_date === undefined ? limit : rowLimit,
    },
  )
  return { table: tableOf(columns), meta }
}
