import type { DuckDBConnection } from '@duckdb/node-api'
import { hoursPerDay, isoDate } from '#base/days.ts'
import { groupCount, groupsOf } from '#contract/coin-cohorts.ts'
import { kinds } from '#contract/kinds.ts'
import type { Relation } from '#sql/relation.ts'
import { auditFailed } from '../audit/audit-failed.ts'
import { createValuation, streamHours, type Valuation, type YoungCells } from '../cohorts/hour-values.ts'
import { addendLimb } from '../scan/limbs.ts'
import { recencies } from '../scan/recency.ts'

const groupsByKind = kinds.map(groupsOf)

/**
 * Values the young spends of each group (`groupsOf`) and day; index: day × `groupCount` + group.
 * Each kind has a share of the values of all spends of the same hour and recency, by its satoshis,
 * so the kinds add up to all. Throws `audit_failed` if their satoshis do not.
 * @param from `segment_young_kinds`
 * @param firstDay unix day
 * @param days from the first
 */
export async function valueYoungGroups(
  connection: DuckDBConnection,
  from: Relation,
  cells: YoungCells,
  firstDay: number,
  days: number,
): Promise<Valuation> {
  const { firstHour, values } = cells
  const total = cells.satsHigh.map((high, cell) => high * addendLimb + cells.satsLow[cell]!)
  const restHigh = cells.satsHigh.slice()
  const restLow = cells.satsLow.slice()
  const found = createValuation(days * groupCount)
  const select = (where: string) =>
    `SELECT hour, recency, kind, addend_high(sats) AS high, addend_low(sats) AS low
     FROM (
       SELECT hour, recency, kind, sum(spent_sats)::BIGINT AS sats
       FROM segment_young_kinds WHERE ${where} GROUP BY hour, recency, kind
     ) ORDER BY hour, recency, kind`
  for await (const { rows, columns } of streamHours(connection, [from], cells, select)) {
    const { hour, recency, kind, high, low } = columns
    for (let row = 0; row < rows; row++) {
      const cell = (hour![row]! - firstHour) * recencies + recency![row]!
      restHigh[cell]! -= high![row]!
      restLow[cell]! -= low![row]!
      if (total[cell] === 0) continue
      const share = (high![row]! * addendLimb + low![row]!) / total[cell]!
      const day = Math.floor(hour![row]! / hoursPerDay) - firstDay
      for (const group of groupsByKind[kind![row]!]!) addShare(found, day * groupCount + group, share, values, cell)
    }
  }
  const different = restHigh.findIndex((high, cell) => high * addendLimb + restLow[cell]! !== 0)
  if (different < 0) return found
  const hour = firstHour + Math.floor(different / recencies)
  throw auditFailed(`on ${isoDate(Math.floor(hour / hoursPerDay))} the young spends by kind do not add up to all`)
}

function addShare(to: Valuation, at: number, share: number, from: Valuation, cell: number): void {
  to.value[at]! += share * from.value[cell]!
  to.cost[at]! += share * from.cost[cell]!
  to.margins.inProfit[at]! += share * from.margins.inProfit[cell]!
  to.margins.inLoss[at]! += share * from.margins.inLoss[cell]!
  to.margins.profit[at]! += share * from.margins.profit[cell]!
  to.margins.loss[at]! += share * from.margins.loss[cell]!
}
