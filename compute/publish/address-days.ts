import { tables } from '#contract/tables/tables.ts'
import { createTable } from '#sql/columns.ts'
import type { Relation } from '#sql/relation.ts'
import { ActivityStore } from '../addresses/activity-store.ts'
import { activityColumns } from '../addresses/count-active.ts'
import { type ScannedChain, scannedUnits } from '../scan/scanned-chain.ts'
import type { CheckpointInputs } from './checkpoints.ts'
import type { Draft } from './draft.ts'

/**
 * Writes `address_days`; without counts unless addresses are counted. Throws `data_not_ready` for
 * damaged address sets.
 */
export async function writeAddressDays(
  draft: Draft,
  dataDir: string,
  scanned: ScannedChain,
  { closed, chain, addresses }: Pick<CheckpointInputs, 'closed' | 'chain' | 'addresses'>,
): Promise<Relation<'address_days'>> {
  const { first, last, count } = closed
  const counts =
    addresses === 'off' ? undefined : new ActivityStore(dataDir).readCounts(chain, last, scannedUnits(scanned))
  const table = 'counted_addresses'
  await createTable(draft.connection, table, {
    day: Int32Array.from({ length: count }, (_, i) => first + i),
    ...Object.fromEntries((counts ?? []).map((column, i) => [activityColumns[i], column])),
  })
  const columns = activityColumns.map((name) => (counts ? `${name}::INTEGER AS ${name}` : `NULL::INTEGER AS ${name}`))
  return draft.write(
    tables.address_days,
    `SELECT DATE '1970-01-01' + day AS date, ${columns.join(', ')} FROM ${table} ORDER BY date`,
  )
}
