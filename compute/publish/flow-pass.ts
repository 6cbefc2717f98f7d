import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { groupCount } from '#contract/coin-cohorts.ts'
import { tables } from '#contract/tables/tables.ts'
import type { Relation } from '#sql/relation.ts'
import { type CohortColumns, CohortPass, type SpendListener } from '../cohorts/cohort-pass.ts'
import type { Cohort, RangeCohort } from '../cohorts/cohorts.ts'
import { CoinAges } from '../cohorts/coin-ages.ts'
import { CoinPass } from '../cohorts/coin-pass.ts'
import type { CostBasis } from '../cohorts/cost-basis.ts'
import { CostDistribution } from '../cohorts/cost-distribution.ts'
import { type DailyCoins, readDailyCoins } from '../cohorts/daily-coins.ts'
import type { DayListener } from '../cohorts/day-pass.ts'
import { type HourValues, valueByHours } from '../cohorts/hour-values.ts'
import { mergeFlows } from '../cohorts/merge-flows.ts'
import {
  captureState,
  type PassState,
  readCost,
  readUnspent,
  restoreColumns,
  type StoredState,
  type Unspent,
} from '../cohorts/pass-state.ts'
import type { ChainTables, ScanRows } from './chain-tables.ts'
import type { CheckpointInputs } from './checkpoints.ts'
import { dayValues, type NewDays } from './closed-days.ts'
import { type CostGap, findCostGap } from './cost-gap.ts'
import type { Draft } from './draft.ts'
import { readKindChanges, writeKindFlows } from './spend-tables.ts'
import { valueYoungGroups } from './young-groups.ts'

export interface DailyState {
  /** Unix day of the first closed day. */
  readonly firstDay: number
  readonly cohorts: readonly Cohort[]
  /** Days before the new ones have only values restored from `before`. */
  readonly columns: CohortColumns
  readonly basis: CostBasis
  /** Bins of new days only. */
  readonly costs: CostDistribution
  readonly ages: CoinAges
  readonly costGap: CostGap
  /** State before the new days; `undefined` if they begin with the first day. */
  readonly before: StoredState | undefined
}

export interface DayInputs extends Omit<ChainTables, 'flows'>, Pick<CheckpointInputs, 'basis' | 'hours'> {
  readonly scan: ScanRows
  readonly days: NewDays
  /** Monotone times of all blocks. */
  readonly times: Uint32Array
  readonly ownCohorts?: readonly RangeCohort[]
  /** Cost of the coins of earlier days. */
  readonly knownCost?: Float64Array | undefined
}

interface ValuedDays {
  readonly basis: CostBasis
  readonly hourly: HourValues | undefined
  readonly coins: DailyCoins
}

/** Values coins and spends of new days, by the hour if possible, and reads created coins. */
export async function valueDays(
  connection: DuckDBConnection,
  { scan, days, times, basis, hours, knownCost, blocks, youngSpends, overwritten }: DayInputs,
): Promise<ValuedDays> {
  const { first, count } = days.closed
  const firstNew = days.after + 1 - first
  const inputs = hours && { prices: hours, basis, times, firstDay: first, firstNew, knownCost }
  const hourly = inputs && (await valueByHours(connection, [blocks, scan('young_spends')], inputs))
  const read = { from: [blocks, youngSpends, overwritten], values: dayValues(days) }
  const coins = await readDailyCoins(connection, read, first, count)
  return { hourly, coins, basis: hourly ? { ...basis, cost: hourly.cost } : basis }
}

/**
 * Merges the flows of all segments and feeds those of new days to a pass over cohorts by age.
 * @param unspent amounts before the new days, by creation day
 */
export async function passByAge(
  connection: DuckDBConnection,
  folder: string,
  { scan, days, ownCohorts = [] }: Pick<DayInputs, 'scan' | 'days' | 'ownCohorts'>,
  { basis, hourly, coins }: ValuedDays,
  cohorts: readonly Cohort[],
  unspent: Unspent | undefined,
  onDayClosed: DayListener = () => {},
  onSpend?: SpendListener,
) {
  const { closed, after, cut } = days
  const passes = [new CohortPass(closed.first, cohorts, basis, coins, hourly, onDayClosed, onSpend)]
  // A pass of their own: more edges would add up the coins of built-in cohorts in another order.
  if (ownCohorts.length > 0) passes.push(new CohortPass(closed.first, ownCohorts, basis, coins, hourly, () => {}))
  if (unspent) for (const pass of passes) pass.startAfter(after - closed.first, ...unspent)
  const part = path.join(folder, 'flows.part')
  const merged = { first: after + 1, last: closed.last, cut }
  const files = await mergeFlows(connection, scan('flows').from, merged, part, (columns) => {
    for (const pass of passes) pass.addFlows(columns)
  })
  for (const pass of passes) pass.finish()
  return { columns: new Map(passes.flatMap(({ columns }) => [...columns])), files }
}

interface FlowPassInputs extends DayInputs {
  readonly cohorts: readonly Cohort[]
  /** State before the new days; `undefined` if they begin with the first day. */
  readonly before: StoredState | undefined
}

/**
 * Merges all segments into `flows` and `kind_flows`, and feeds new rows to the passes. `atCut` is
 * their state after the cut.
 */
export async function passFlows(
  draft: Draft,
  inputs: FlowPassInputs,
): Promise<{ flows: Relation<'flows'>; state: DailyState; atCut: PassState | undefined }> {
  const { scan, days, cohorts, before, overwritten } = inputs
  const { connection, folder } = draft
  const { closed, after, cut } = days
  draft.part('values of days')
  const valued = await valueDays(connection, { ...inputs, knownCost: before && readCost(before) })
  draft.part('pass over flows')
  const { basis, hourly } = valued
  let unspentAtCut: Unspent | undefined
  let groupsAtCut: Unspent | undefined
  const costs = new CostDistribution(basis)
  const ages = new CoinAges(basis)
  const onDayClosed: DayListener = (day, unspentSats, unspentOutputs) => {
    costs.addDay(day, unspentSats)
    ages.addDay(day, unspentSats, unspentOutputs)
    if (closed.first + day === cut) unspentAtCut = [unspentSats.slice(0, day + 1), unspentOutputs.slice(0, day + 1)]
  }
  const onSpend: SpendListener = (created, high, low) => costs.addSpend(created, high, low)
  const changes = await readKindChanges(connection, days, scan, overwritten)
  const young =
    hourly && (await valueYoungGroups(connection, scan('young_kinds'), hourly.cells, closed.first, closed.count))
  const onGroupsClosed: DayListener = (day, unspentSats, unspentOutputs) => {
    const end = (day + 1) * groupCount
    if (closed.first + day === cut) groupsAtCut = [unspentSats.slice(0, end), unspentOutputs.slice(0, end)]
  }
  const coinPass = new CoinPass(closed.first, cohorts, basis, hourly, young, changes, onGroupsClosed)
  const [unspent, groups] = before ? readUnspent(before) : []
  if (groups) coinPass.startAfter(after - closed.first, ...groups)
  const byAge = await passByAge(connection, folder, inputs, valued, cohorts, unspent, onDayClosed, onSpend)
  const flows = await draft.growFromFiles(tables.flows, days, byAge.files)
  await writeKindFlows(draft, days, scan, flows, coinPass)
  coinPass.finish()
  const columns: CohortColumns = new Map([...byAge.columns, ...coinPass.columns])
  const passParts = { columns, costs, ages }
  const allCoins = byAge.columns.get('all')!
  if (before) {
    const readByCostGap = new Set([allCoins.realized_cap, ages.unpricedShare])
    // With a cut, the next state needs all columns of earlier days.
    restoreColumns(passParts, before, (column) => (cut !== undefined || readByCostGap.has(column) ? 0 : undefined))
  }
  const costGap = findCostGap(closed.first, basis, allCoins.realized_cap, ages.unpricedShare)
  return {
    flows,
    state: { firstDay: closed.first, cohorts, columns, basis, costs, ages, costGap, before },
    atCut:
      cut !== undefined && unspentAtCut && groupsAtCut
        ? captureState(passParts, basis.cost, cut - closed.first, unspentAtCut, groupsAtCut)
        : undefined,
  }
}
