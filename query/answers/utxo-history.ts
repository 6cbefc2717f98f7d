import { DuckDBDateValue } from '@duckdb/node-api'
import { satsPerCoin } from '#base/bitcoin.ts'
import { ageBands } from '#contract/cohorts.ts'
import type { EndpointParameters } from '#contract/endpoint.ts'
import type { endpoints } from '#contract/endpoints.ts'
import { creationDayLimit } from '#contract/parameters.ts'
import { emptyTable, tableOf } from '../table/columns.ts'
import type { UnrestrictedView } from '../view.ts'
import type { Answer } from './answer.ts'
import { historyMeta } from './days.ts'
import { dateValues } from './newest-rows.ts'

const ageBandCase = ageBands
  .toReversed()
  .map(({ id, fromAge }) => `WHEN age_days >= ${fromAge} THEN '${id}'`)
  .join(' ')

/** Youngest first. */
export async function utxoHistoryAnswer(
  view: UnrestrictedView,
  { date_processed, cohort_start, cohort_end, offset, ...range }: EndpointParameters<typeof endpoints.utxoHistory>,
): Promise<Answer> {
  const { all, firstDay } = view
  const { first, last, rows } = view.visibleDays(range, creationDayLimit)
  // The history has one day; `limit` counts days of creation.
  const meta = historyMeta(view, { ...range, start_date: date_processed ?? range.start_date, limit: 0 }, 0)
  const processed = date_processed ?? last
  if (processed < first || processed > last) return { table: emptyTable, meta }

  const priceMetric = view.catalogue.find('price')
  const [price] = priceMetric ? await view.valuesOf([priceMetric]) : []
  const usd = price?.[processed - firstDay] ?? Number.NaN
  const columns = await view.query(
    `SELECT
       $processed AS date_processed, created_date AS cohort_date, sats / ${satsPerCoin} AS token_amount,
       sats / ${satsPerCoin} * $usd::DOUBLE AS usd_value, age_days, CASE ${ageBandCase} END AS cohort
     FROM (
       SELECT created_date, sum(sats)::DOUBLE AS sats, ($processed - created_date)::INTEGER AS age_days
       FROM (
         SELECT date, date AS created_date, created_sats AS sats FROM ${all.table('days')}
         UNION ALL SELECT date, created_date, -spent_sats FROM ${all.table('flows')}
         UNION ALL SELECT date, created_date, -sats FROM ${all.table('overwritten')}
       )
       WHERE date <= $processed GROUP BY created_date
     )
     WHERE sats > 0 AND created_date BETWEEN $first AND $last ORDER BY created_date DESC LIMIT $rows`,
    {
      processed: new DuckDBDateValue(processed),
      usd: Number.isNaN(usd) ? null : usd,
      ...dateValues({ first: cohort_start ?? all.firstDay, last: cohort_end ?? processed }),
      // One more shows that there is another page.
      rows: offset + rows + 1,
    },
  )
  return { table: tableOf(columns), meta }
}
