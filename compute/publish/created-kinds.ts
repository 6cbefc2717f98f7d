import { isoDate } from '#base/days.ts'
import { kindsOf, kinds as known, lostTypes, sizes } from '#contract/kinds.ts'
import { tables } from '#contract/tables/tables.ts'
import { bindInputs, type Relation } from '#sql/relation.ts'
import { readStatement } from '#sql/statement.ts'
import { auditFailed } from '../audit/audit-failed.ts'
import { readValue } from '../read-value.ts'
import type { ScanRows } from './chain-tables.ts'
import { dayValues, type NewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

/**
 * Writes `kinds` and `created_kinds`. Throws `audit_failed` if created outputs do not sum to those
 * of `days`.
 */
export async function writeCreatedKinds(
  draft: Draft,
  newDays: NewDays,
  scan: ScanRows,
  days: Relation<'days'>,
): Promise<void> {
  draft.writeRows(
    tables.kinds,
    known.map(({ kind, mined, scriptType, size }) => ({
      kind,
      mined,
      script_type: scriptType,
      spendable: !lostTypes.includes(scriptType),
      min_sats: sizes[size]!,
      // Sizes differ by whole satoshis.
      max_sats: size + 1 < sizes.length ? sizes[size + 1]! - 1 : null,
    })),
  )
  const values = dayValues(newDays)
  const written = await draft.grow(tables.created_kinds, newDays, readStatement('created-kinds'), {
    from: [scan('created_kinds')],
    values,
  })
  const lost = `kind IN (${kindsOf(...lostTypes).join(', ')})`
  const different = await readValue(
    draft.connection,
    bindInputs(
      `SELECT min(date - DATE '1970-01-01')::INTEGER FROM days LEFT JOIN (
         SELECT date, sum(created_outputs) AS outputs, sum(created_sats) AS sats,
           coalesce(sum(created_outputs) FILTER (${lost}), 0) AS lost_outputs,
           coalesce(sum(created_sats) FILTER (${lost}), 0) AS lost_sats
         FROM created_kinds GROUP BY date
       ) AS kinds USING (date)
       WHERE date > getvariable('after_day') AND (coalesce(kinds.outputs, 0) <> days.outputs
         OR coalesce(lost_outputs, 0) <> unspendable_outputs OR coalesce(lost_sats, 0) <> unspendable_sats
         OR coalesce(sats - lost_sats, 0) <> days.created_sats)`,
      { from: [written, days], values },
    ),
  )
  if (typeof different !== 'number') return
  throw auditFailed(`on ${isoDate(different)} the created outputs of all kinds do not add up to those of the blocks`)
}
