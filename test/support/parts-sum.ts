import { expect } from 'vitest'
import { measures } from '#compute/catalogue/measures.ts'
import { ageBands } from '#compute/cohorts/cohorts.ts'
import { coinCohortLists } from '#contract/coin-cohorts.ts'
import { publishedTable, rowsOf } from './published.ts'

/** Measures of `created_…` have no value for all coins here; those after an hour none for kinds. */
const flows = measures.flatMap(({ id, kind }) => (kind === 'flow' && !id.startsWith('created_') ? [id] : []))
const ids = (cohorts: readonly { readonly id: string }[]): string[] => cohorts.map(({ id }) => id)
const kinds = {
  sizes: ids(coinCohortLists.size),
  types: ids(coinCohortLists.type),
  origins: ['moved', 'mined'],
}

/**
 * Expects of every flow measure and published day that its parts by size, type, origin, age, holder
 * and time of creation add up to all coins. Returns the number of sums.
 */
export async function expectPartsSum(dataDir: string): Promise<number> {
  const table = publishedTable(dataDir, 'cohorts')
  const named = async (like: string): Promise<string[]> =>
    (await rowsOf(`SELECT DISTINCT cohort FROM ${table} WHERE cohort SIMILAR TO '${like}'`)).map(([id]) => id!)
  const days = Number((await rowsOf(`SELECT count(*) FROM ${table} WHERE cohort = 'all'`))[0]![0])
  const partitions: Readonly<Record<string, readonly string[]>> = {
    ...kinds,
    ages: ids(ageBands),
    holders: ['lth', 'sth'],
    smooth: ['lth_smooth', 'sth_smooth'],
    years: await named('y[0-9]{4}'),
    epochs: await named('epoch_[0-9]+'),
  }
  let sums = 0
  for (const [name, parts] of Object.entries(partitions)) {
    const isKind = name in kinds
    for (const measure of flows.filter((id) => !isKind || !id.includes('_1h'))) {
      // Shares of outputs are rounded to whole ones. Other sums differ with their order.
      const rounding = name === 'smooth' && measure === 'spent_outputs' ? '1' : '1e-12 * whole'
      const wrong = await rowsOf(
        `SELECT date, whole, sum FROM (
           SELECT date, any_value(${measure}) FILTER (cohort = 'all') AS whole,
             sum(${measure}) FILTER (cohort <> 'all') AS sum, count(${measure}) FILTER (cohort <> 'all') AS known
           FROM ${table} WHERE cohort IN ('all', ${parts.map((id) => `'${id}'`).join(', ')}) GROUP BY date
         ) WHERE CASE WHEN whole IS NULL THEN known > 0
           ELSE known < ${parts.length} OR abs(sum - whole) > ${rounding} END LIMIT 3`,
      )
      expect(wrong, `${measure} by ${name}`).toEqual([])
      sums += days
    }
  }
  for (const [name, parts] of Object.entries(kinds)) {
    const list = parts.map((id) => `'${id}'`).join(', ')
    const wrong = await rowsOf(
      `SELECT date, sats, found, outputs, counted FROM (
         SELECT date, round(1e8 * sum(created_volume))::BIGINT AS found, sum(created_outputs) AS counted
         FROM ${table} WHERE cohort IN (${list}) GROUP BY date
       ) JOIN (
         SELECT date, round(1e8 * created_volume)::BIGINT - unspendable_sats AS sats, created_outputs AS outputs
         FROM ${publishedTable(dataDir, 'days')} JOIN ${publishedTable(dataDir, 'metrics_coin_days')} USING (date)
       ) USING (date)
       WHERE sats <> found OR outputs <> counted LIMIT 3`,
    )
    expect(wrong, `created by ${name}`).toEqual([])
    sums += 2 * days
  }
  return sums
}
