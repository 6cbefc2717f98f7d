import { tables } from '#contract/tables/tables.ts'
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
export function writeAddressDays(
  draft: Draft,
  dataDir: string,
  scanned: ScannedChain,
  { closed, chain, addresses }: Pick<CheckpointInputs, 'closed' | 'chain' | 'addresses'>,
): Relation<'address_days'> {
  const { first, last, count } = closed
  const counts =
    addresses === 'off' ? undefined : new ActivityStore(dataDir).readCounts(chain, last, scannedUnits(scanned))
  const unknown = new Float64Array(count).fill(Number.NaN)
  return draft.writeColumns(tables.address_days, {
    ...Object.fromEntries(activityColumns.map((name, i) => [name, counts?.[i] ?? unknown])),
    date: Int32Array.from({ length: count }, (_, i) => first + i),
  })
}
