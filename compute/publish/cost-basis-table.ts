import { lowerEdge } from '#contract/price-bins.ts'
import { tables } from '#contract/tables/tables.ts'
import { appendParts, createTable } from '#sql/columns.ts'
import type { DayBins } from '../cohorts/cost-distribution.ts'
import type { NewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

/** Writes `cost_basis`. Bin 0 (edges 0) has the coins from before the first market. */
export async function writeCostBasisTable(draft: Draft, newDays: NewDays, days: readonly DayBins[]): Promise<void> {
  const { connection } = draft
  await connection.run(
    'CREATE OR REPLACE TEMP TABLE bin_sats (day INTEGER, bin INTEGER, supply_sats BIGINT, spent_sats BIGINT)',
  )
  await appendParts(connection, 'bin_sats', rowsByDay(days, newDays.closed.first))
  const length = days.reduce((max, { bins }) => Math.max(max, bins.at(-1) ?? 0), 0) + 1
  await createTable(connection, 'price_bins', {
    bin: Int32Array.from({ length }, (_, bin) => bin),
    lower_price: Float64Array.from({ length }, (_, bin) => lowerEdge(bin)),
    upper_price: Float64Array.from({ length }, (_, bin) => (bin === 0 ? 0 : lowerEdge(bin + 1))),
  })
  await draft.grow(
    tables.cost_basis,
    newDays,
    `SELECT DATE '1970-01-01' + day AS date, bin, lower_price, upper_price, supply_sats, spent_sats
     FROM bin_sats JOIN price_bins USING (bin) ORDER BY day, bin`,
  )
  await connection.run('DROP TABLE bin_sats')
}

function* rowsByDay(days: readonly DayBins[], firstDay: number) {
  for (const { day, bins, sats, spentSats } of days) {
    yield {
      day: new Int32Array(bins.length).fill(firstDay + day),
      bin: bins,
      supply_sats: sats,
      spent_sats: spentSats,
    }
  }
}
