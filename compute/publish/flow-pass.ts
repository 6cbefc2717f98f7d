import { rmSync } from 'node:fs'
import path from 'node:path'
import { tables } from '#contract/tables/tables.ts'
import type { DailyPrices } from '#ingest/market/prices.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { type Relation, withInputs } from '#sql/relation.ts'
import { type CohortColumns, CohortPass } from '../cohorts/cohort-pass.ts'
import { type Cohort, cohortsOf } from '../cohorts/cohorts.ts'
import { CoinAges } from '../cohorts/coin-ages.ts'
import { type CostBasis, costBasisOf } from '../cohorts/cost-basis.ts'
import { CostDistribution } from '../cohorts/cost-distribution.ts'
import { readDailyCoins } from '../cohorts/daily-coins.ts'
import { mergeFlows } from '../cohorts/merge-flows.ts'
import { restoreState, stateAfter } from '../cohorts/pass-state.ts'
import { type ChainTables, type ClosedDays, dayValues } from './chain-tables.ts'
import { checkpointKey, dayToSave, findCheckpoint, type NewCheckpoint } from './checkpoints.ts'
import { type CostGap, costGapOf } from './cost-gap.ts'
import type { Draft } from './draft.ts'

/** What the pass over the flows found out about each closed day. */
export interface DailyState {
  /** Unix day of the first closed day. */
  readonly firstDay: number
  readonly cohorts: readonly Cohort[]
  readonly columns: CohortColumns
  readonly basis: CostBasis
  readonly costs: CostDistribution
  readonly ages: CoinAges
  readonly costGap: CostGap
  /** The day, counted from the first, after whose checkpoint the pass began; `undefined` for one over all days. */
  readonly begunAfter: number | undefined
}

/** What the pass is made over. */
export interface FlowPassInputs extends Omit<ChainTables, 'flows'> {
  readonly segmentFlows: Relation<'segment_flows'>
  readonly closed: ClosedDays
  readonly prices: DailyPrices | undefined
  /** Unix day on which the coins of the network were first traded; that of the first price where it is not given. */
  readonly marketDay: number | undefined
  readonly halvingInterval: number
  readonly dataDir: string
}

/**
 * Merges the flows of all segments into `flows`, and takes each merged row through the pass over all cohorts; both from
 * the newest checkpoint on that holds good.
 */
export async function passFlows(
  draft: Draft,
  {
    segmentFlows,
    closed,
    prices,
    marketDay,
    halvingInterval,
    blocks,
    youngSpends,
    overwritten,
    dataDir,
  }: FlowPassInputs,
): Promise<{ flows: Relation<'flows'>; state: DailyState; checkpoint: NewCheckpoint | undefined }> {
  const { connection, folder } = draft
  const days = closed.last - closed.first + 1
  const basis = costBasisOf(prices, closed.first, days, marketDay)
  const cohorts = cohortsOf(closed, halvingInterval, closed.last)
  const coins = await withInputs(
    connection,
    { from: [blocks, youngSpends, overwritten], values: dayValues(closed) },
    () => readDailyCoins(connection, closed.first, days),
  )
  const checkpointInputs = { closed, blocks, basis, cohorts }
  const found = await findCheckpoint(connection, dataDir, checkpointInputs)
  const savedDay = dayToSave(closed, found)
  let checkpoint: NewCheckpoint | undefined
  let unspent: readonly [Float64Array, Float64Array] | undefined
  const costs = new CostDistribution(basis)
  const ages = new CoinAges(basis)
  const pass = new CohortPass(closed.first, cohorts, basis, coins, (day, unspentSats, unspentOutputs) => {
    costs.addDay(day, unspentSats)
    ages.addDay(day, unspentSats, unspentOutputs)
    if (day === savedDay) unspent = [unspentSats.slice(0, day + 1), unspentOutputs.slice(0, day + 1)]
  })
  const passParts = { pass, costs, ages }
  if (found) restoreState(passParts, found.day, found.state)
  const parts = await mergeFlows(
    connection,
    segmentFlows.from,
    closed.first + (found ? found.day + 1 : 0),
    closed.last,
    path.join(folder, 'flows.part'),
    (rows, columns) => pass.addFlows(rows, columns),
  )
  pass.finish()
  if (savedDay !== undefined && unspent) {
    const key = await checkpointKey(connection, checkpointInputs, savedDay)
    checkpoint = { key, day: savedDay, state: stateAfter(passParts, savedDay, ...unspent) }
  }
  // Rows keep the order of the files, and of the rows in each.
  const files = found ? [found.flows, ...parts] : parts
  const earlier = found ? `WHERE file_index > 0 OR date <= DATE '1970-01-01' + ${closed.first + found.day}` : ''
  const flows = await draft.write(tables.flows, `SELECT * FROM ${parquetFiles(files)} ${earlier}`)
  for (const part of parts) rmSync(part)
  const { columns } = pass
  const costGap = costGapOf(closed.first, basis, columns.get('all')!.realized_cap, ages.unpricedShare)
  return {
    flows,
    checkpoint,
    state: { firstDay: closed.first, cohorts, columns, basis, costs, ages, costGap, begunAfter: found?.day },
  }
}
