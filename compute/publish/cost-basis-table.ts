import { freeMemory } from '#base/free-memory.ts'
import { lowerEdge } from '#contract/price-bins.ts'
import { tables } from '#contract/tables/tables.ts'
import type { LazyNumbers } from '#sql/column-chunk.ts'
import type { DayBins } from '../cohorts/cost-distribution.ts'
import type { NewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

/**
 * Writes `cost_basis` and frees the bins. Bin 0 (edges 0) has the coins from before the first
 * market.
 */
export function writeCostBasisTable(draft: Draft, newDays: NewDays, days: readonly DayBins[]): void {
  const rows = days.reduce((count, { bins }) => count + bins.length, 0)
  const cells = {
    date: new Int32Array(rows),
    bin: new Int32Array(rows),
    supply_sats: new BigInt64Array(rows),
    spent_sats: new BigInt64Array(rows),
  }
  const lastBin = days.reduce((last, { bins }) => Math.max(last, bins.at(-1) ?? 0), 0)
  const lowerEdges = Float64Array.from({ length: lastBin + 1 }, (_, bin) => lowerEdge(bin))
  const upperEdges = lowerEdges.map((_, bin) => (bin === 0 ? 0 : lowerEdge(bin + 1)))
  const perBin = (edges: Float64Array): LazyNumbers => ({
    length: rows,
    slice(first, end) {
      const values = new Float64Array(end - first)
      for (let i = 0; i < values.length; i++) values[i] = edges[cells.bin[first + i]!]!
      return values
    },
  })
  let row = 0
  for (const { day, bins, sats, spentSats } of days) {
    cells.date.fill(newDays.closed.first + day, row, row + bins.length)
    cells.bin.set(bins, row)
    cells.supply_sats.set(sats, row)
    cells.spent_sats.set(spentSats, row)
    row += bins.length
    for (const array of [bins, sats, spentSats]) freeMemory(array)
  }
  draft.growColumns(tables.cost_basis, newDays, {
    ...cells,
    lower_price: perBin(lowerEdges),
    upper_price: perBin(upperEdges),
  })
  for (const column of Object.values(cells)) freeMemory(column)
}
