import { lowerEdge } from '#contract/price-bins.ts'
import { tables } from '#contract/tables/tables.ts'
import type { DayBins } from '../cohorts/cost-distribution.ts'
import type { NewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

/** Writes `cost_basis`. Bin 0 (edges 0) has the coins from before the first market. */
export function writeCostBasisTable(draft: Draft, newDays: NewDays, days: readonly DayBins[]): void {
  const rows = days.reduce((count, { bins }) => count + bins.length, 0)
  const cells = {
    date: new Int32Array(rows),
    bin: new Int32Array(rows),
    lower_price: new Float64Array(rows),
    upper_price: new Float64Array(rows),
    supply_sats: new BigInt64Array(rows),
    spent_sats: new BigInt64Array(rows),
  }
  const lastBin = days.reduce((last, { bins }) => Math.max(last, bins.at(-1) ?? 0), 0)
  const edges = Float64Array.from({ length: lastBin + 2 }, (_, bin) => lowerEdge(bin))
  let row = 0
  for (const { day, bins, sats, spentSats } of days) {
    cells.date.fill(newDays.closed.first + day, row, row + bins.length)
    cells.bin.set(bins, row)
    cells.supply_sats.set(sats, row)
    cells.spent_sats.set(spentSats, row)
    for (const bin of bins) {
      cells.lower_price[row] = edges[bin]!
      cells.upper_price[row++] = bin === 0 ? 0 : edges[bin + 1]!
    }
  }
  draft.growColumns(tables.cost_basis, newDays, cells)
}
