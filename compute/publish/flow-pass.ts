import path from 'node:path'
import { groupCount } from '#contract/coin-cohorts.ts'
import { tables } from '#contract/tables/tables.ts'
import { type Relation, withInputs } from '#sql/relation.ts'
import { type CohortColumns, CohortPass, type DayListener, type SpendListener } from '../cohorts/cohort-pass.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import { CoinAges } from '../cohorts/coin-ages.ts'
import { CoinPass } from '../cohorts/coin-pass.ts'
import type { CostBasis } from '../cohorts/cost-basis.ts'
import { CostDistribution } from '../cohorts/cost-distribution.ts'
import { readDailyCoins } from '../cohorts/daily-coins.ts'
import type { HourPrices } from '../cohorts/hour-prices.ts'
import { type HourValues, readBlockHours, valueByHours } from '../cohorts/hour-values.ts'
import { mergeFlows } from '../cohorts/merge-flows.ts'
import {
  captureState,
  type PassState,
  readCost,
  restoreColumns,
  type StoredState,
  startAfter,
} from '../cohorts/pass-state.ts'
import type { ScannedBlocks } from '../scan/scanned-chain.ts'
import type { ChainTables, ScanRelations } from './chain-tables.ts'
import { dayValues, type NewDays } from './closed-days.ts'
import { type CostGap, findCostGap } from './cost-gap.ts'
import type { Draft } from './draft.ts'
import { writeKindFlows } from './spend-tables.ts'

export interface DailyState {
  /** Unix day of the first closed day. */
  readonly firstDay: number
  readonly cohorts: readonly Cohort[]
  /** Days before the new ones have only values restored from `before`. */
  readonly columns: CohortColumns
  readonly basis: CostBasis
  /** Has bins of new days only. */
  readonly costs: CostDistribution
  readonly ages: CoinAges
  readonly costGap: CostGap
  /** State before the new days; `undefined` if they begin with the first day. */
  readonly before: StoredState | undefined
}

export interface FlowPassInputs extends Omit<ChainTables, 'flows'> {
  readonly scan: ScanRelations
  readonly days: NewDays
  readonly chain: ScannedBlocks
  /** By daily closes. */
  readonly basis: CostBasis
  /** Set if days are valued by the hour. */
  readonly hours: HourPrices | undefined
  readonly cohorts: readonly Cohort[]
  /** State before the new days; `undefined` if they begin with the first day. */
  readonly before: StoredState | undefined
}

/**
 * Merges all segments into `flows` and `kind_flows` and feeds new rows to the passes. `atCut` is
 * their state after the cut.
 */
export async function passFlows(
  draft: Draft,
  inputs: FlowPassInputs,
): Promise<{ flows: Relation<'flows'>; state: DailyState; atCut: PassState | undefined }> {
  const { scan, days, cohorts, before, blocks, youngSpends, overwritten } = inputs
  const { connection, folder } = draft
  const { closed, after, cut } = days
  const hourly = await computeHourValues(draft, inputs)
  const basis = hourly ? { ...inputs.basis, cost: hourly.cost } : inputs.basis
  draft.part('pass over flows')
  const coins = await withInputs(
    connection,
    { from: [blocks, youngSpends, overwritten], values: dayValues(days) },
    () => readDailyCoins(connection, closed.first, closed.count),
  )
  let unspent: readonly [Float64Array, Float64Array] | undefined
  let unspentByGroup: readonly [Float64Array, Float64Array] | undefined
  const costs = new CostDistribution(basis)
  const ages = new CoinAges(basis)
  const onDayClosed: DayListener = (day, unspentSats, unspentOutputs) => {
    costs.addDay(day, unspentSats)
    ages.addDay(day, unspentSats, unspentOutputs)
    if (closed.first + day === cut) unspent = [unspentSats.slice(0, day + 1), unspentOutputs.slice(0, day + 1)]
  }
  const onSpend: SpendListener = (created, high, low) => costs.addSpend(created, high, low)
  const pass = new CohortPass(closed.first, cohorts, basis, coins, hourly, onDayClosed, onSpend)
  const coinPass = new CoinPass(cohorts, basis, hourly, (day, unspentSats, unspentOutputs) => {
    const end = (day + 1) * groupCount
    if (closed.first + day === cut) unspentByGroup = [unspentSats.slice(0, end), unspentOutputs.slice(0, end)]
  })
  const columns: CohortColumns = new Map([...pass.columns, ...coinPass.columns])
  const passParts = { columns, costs, ages }
  const allCoins = pass.columns.get('all')!
  if (before) {
    startAfter(pass, coinPass, after - closed.first, before)
    const readByCostGap = new Set([allCoins.realized_cap, ages.unpricedShare])
    // With a cut the next state needs all columns of the days before.
    restoreColumns(passParts, before, (column) => (cut !== undefined || readByCostGap.has(column) ? 0 : undefined))
  }
  const files = await mergeFlows(
    connection,
    scan.flows.from,
    after + 1,
    closed.last,
    cut,
    path.join(folder, 'flows.part'),
    (rows, columns) => pass.addFlows(rows, columns),
  )
  pass.finish()
  const flows = await draft.growFromFiles(tables.flows, days, files)
  await writeKindFlows(draft, days, scan, flows, overwritten, coinPass)
  coinPass.finish()
  const costGap = findCostGap(closed.first, basis, allCoins.realized_cap, ages.unpricedShare)
  return {
    flows,
    state: { firstDay: closed.first, cohorts, columns, basis, costs, ages, costGap, before },
    atCut:
      cut !== undefined && unspent && unspentByGroup
        ? captureState(passParts, basis.cost, cut - closed.first, unspent, unspentByGroup)
        : undefined,
  }
}

async function computeHourValues(
  draft: Draft,
  { hours, scan, days, chain, basis, blocks, before }: FlowPassInputs,
): Promise<HourValues | undefined> {
  if (!hours) return undefined
  draft.part('values by the hour')
  const { connection } = draft
  const { first, count } = days.closed
  const known = before && readCost(before)
  return withInputs(connection, { from: [blocks, scan.youngSpends], values: dayValues(days) }, async () => {
    const sums = await readBlockHours(connection, chain.times, first, count, known ? days.after + 1 : first)
    return valueByHours(connection, hours, basis, sums, first, days.after + 1 - first, known)
  })
}
