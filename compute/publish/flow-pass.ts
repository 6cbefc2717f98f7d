import path from 'node:path'
import { tables } from '#contract/tables/tables.ts'
import { type Relation, withInputs } from '#sql/relation.ts'
import { type CohortColumns, CohortPass } from '../cohorts/cohort-pass.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import { CoinAges } from '../cohorts/coin-ages.ts'
import type { CostBasis } from '../cohorts/cost-basis.ts'
import { CostDistribution } from '../cohorts/cost-distribution.ts'
import { readDailyCoins } from '../cohorts/daily-coins.ts'
import { mergeFlows } from '../cohorts/merge-flows.ts'
import { type PassState, restoreColumns, type StoredState, startAfter, stateAfter } from '../cohorts/pass-state.ts'
import type { ChainTables } from './chain-tables.ts'
import { dayValues, type NewDays } from './closed-days.ts'
import { type CostGap, costGapOf } from './cost-gap.ts'
import type { Draft } from './draft.ts'

/** What the pass over the flows found out about each closed day. */
export interface DailyState {
  /** Unix day of the first closed day. */
  readonly firstDay: number
  readonly cohorts: readonly Cohort[]
  /** Of the days before the new ones they have what was taken from `before`. */
  readonly columns: CohortColumns
  readonly basis: CostBasis
  /** Its bins are those of new days. */
  readonly costs: CostDistribution
  readonly ages: CoinAges
  readonly costGap: CostGap
  /** After the last day before the new ones; from the first day on where it is not given. */
  readonly before: StoredState | undefined
}

/** What the pass is made over. */
export interface FlowPassInputs extends Omit<ChainTables, 'flows'> {
  readonly segmentFlows: Relation<'segment_flows'>
  readonly days: NewDays
  readonly basis: CostBasis
  readonly cohorts: readonly Cohort[]
  /** After the last day before the new ones; from the first day on where it is not given. */
  readonly before: StoredState | undefined
}

/**
 * Merges the flows of all segments into `flows`, and takes each merged row of new days through the pass over all cohorts.
 * Where the days are to be cut, also returns the state of the pass after that day.
 */
export async function passFlows(
  draft: Draft,
  { segmentFlows, days, basis, cohorts, before, blocks, youngSpends, overwritten }: FlowPassInputs,
): Promise<{ flows: Relation<'flows'>; state: DailyState; atCut: PassState | undefined }> {
  const { connection, folder } = draft
  const { closed, after, cut } = days
  draft.part('pass over flows')
  const coins = await withInputs(
    connection,
    { from: [blocks, youngSpends, overwritten], values: dayValues(days) },
    () => readDailyCoins(connection, closed.first, closed.count),
  )
  let unspent: readonly [Float64Array, Float64Array] | undefined
  const costs = new CostDistribution(basis)
  const ages = new CoinAges(basis)
  const pass = new CohortPass(closed.first, cohorts, basis, coins, (day, unspentSats, unspentOutputs) => {
    costs.addDay(day, unspentSats)
    ages.addDay(day, unspentSats, unspentOutputs)
    if (closed.first + day === cut) unspent = [unspentSats.slice(0, day + 1), unspentOutputs.slice(0, day + 1)]
  })
  const passParts = { pass, costs, ages }
  const allCoins = pass.columns.get('all')!
  if (before) {
    startAfter(pass, after - closed.first, before)
    const wholly = new Set([allCoins.realized_cap, ages.unpricedShare])
    // The next state has all that the days before have.
    restoreColumns(passParts, before, (column) => (cut !== undefined || wholly.has(column) ? 0 : undefined))
  }
  const files = await mergeFlows(
    connection,
    segmentFlows.from,
    after + 1,
    closed.last,
    cut,
    path.join(folder, 'flows.part'),
    (rows, columns) => pass.addFlows(rows, columns),
  )
  pass.finish()
  const flows = await draft.growByFiles(tables.flows, days, files)
  const { columns } = pass
  const costGap = costGapOf(closed.first, basis, allCoins.realized_cap, ages.unpricedShare)
  return {
    flows,
    state: { firstDay: closed.first, cohorts, columns, basis, costs, ages, costGap, before },
    atCut: cut !== undefined && unspent ? stateAfter(passParts, cut - closed.first, ...unspent) : undefined,
  }
}
