import { DuckDBDateValue } from '@duckdb/node-api'
import { endpoints } from '#contract/endpoints.ts'
import { type Range, rowLimit } from '#contract/parameters.ts'
import { type Tier, tiers } from '#contract/tiers.ts'
import { satsPerCoin } from '#root/bitcoin.ts'
import type { Published } from '../published/published.ts'
import { tableOf } from '../table/columns.ts'
import { type Answer, insufficientTier, noData } from './answer.ts'

const distributionGrade = 2

/** Supply by cost after one day, prices ascending. */
export async function costBasisAnswer(
  published: Published,
  tier: Tier,
  { date, start_date, end_date, limit }: Range & { date?: number | undefined },
): Promise<Answer> {
  if (tiers[tier].grade < distributionGrade) throw insufficientTier(endpoints.costBasis.path, tier, 'enterprise')
  if (!published.has('cost_basis')) return noData
  const day = date ?? Math.min(end_date ?? published.lastDay, published.lastDay)
  const columns = await published.query(
    `SELECT date, bin, lower_price, upper_price, supply_sats, supply_sats / ${satsPerCoin} AS supply
     FROM ${published.table('cost_basis')}
     WHERE date = $day AND date BETWEEN $first AND $last ORDER BY bin LIMIT $rows`,
    {
      day: new DuckDBDateValue(day),
      first: new DuckDBDateValue(start_date ?? published.firstDay),
      last: new DuckDBDateValue(end_date ?? published.lastDay),
      rows: start_date === undefined ? limit : rowLimit,
    },
  )
  return { table: tableOf(columns) }
}
