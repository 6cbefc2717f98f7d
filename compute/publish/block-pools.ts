import type { DuckDBConnection } from '@duckdb/node-api'
import type { MiningPool } from '#ingest/market/mining-pools.ts'
import { boundRelation, type QueryInputs, queryRelation, type Relation } from '#sql/relation.ts'
import { rowsRelation } from '#sql/rows.ts'
import { readStatement } from '#sql/statement.ts'
import type { OriginTable } from '../catalogue/origin.ts'

const markTypes = { place: 'INTEGER', pool: 'VARCHAR', script: 'VARCHAR', tag: 'VARCHAR' } as const

/** Pool of each new block by height; blocks of unknown pools have no row. */
export async function createBlockPools(
  connection: DuckDBConnection,
  pools: readonly MiningPool[],
  coinbases: Relation<'segment_coinbases'>,
  values: QueryInputs['values'] & { readonly after_height: number },
): Promise<Relation<'block_pools'>> {
  const marks = pools.flatMap(({ id: pool, scripts, tags }, place) => [
    ...scripts.map((script) => ({ place, pool, script, tag: null })),
    // Coinbases have one character per byte.
    ...tags.map((tag) => ({ place, pool, script: null, tag: Buffer.from(tag).toString('latin1') })),
  ])
  const from = [coinbases, rowsRelation('pool_marks', markTypes, marks)]
  return queryRelation(connection, 'block_pools', readStatement('block-pools'), { from, values })
}

/** Series by pool and of all pools, for metrics. */
export const poolSeries = (poolDays: Relation<'pool_days'>, days: Relation<'days'>): Relation<OriginTable>[] => [
  boundRelation('pool_days', readStatement('pool-series'), { from: [poolDays, days] }),
  boundRelation('pool_aggregate', readStatement('pool-aggregate'), { from: [poolDays, days] }),
]
