import { lowerEdge } from '#contract/price-bins.ts'
import { tables } from '#contract/tables/tables.ts'
import { appendColumns, appendParts } from '#sql/columns.ts'
import type { DayBins } from '../cohorts/cost-distribution.ts'
import type { NewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

const daysPerAppend = 256

/** Writes `cost_basis`. Bin 0, with edges of 0, has the coins from before the first market. */
export async function writeCostBasisTable(draft: Draft, newDays: NewDays, days: readonly DayBins[]): Promise<void> {
  const { connection } = draft
  await connection.run(
    'CREATE OR REPLACE TEMP TABLE bin_sats (day INTEGER, bin INTEGER, supply_sats BIGINT, spent_sats BIGINT)',
  )
  await connection.run('CREATE OR REPLACE TEMP TABLE price_bins (bin INTEGER, lower_price DOUBLE, upper_price DOUBLE)')
  await appendParts(connection, 'bin_sats', splitRows(days, newDays.closed.first))
  const length = days.reduce((max, { bins }) => Math.max(max, bins.at(-1) ?? 0), 0) + 1
  await appendColumns(connection, 'price_bins', {
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
  await connection.run('DROP TABLE price_bins')
}

function* splitRows(days: readonly DayBins[], firstDay: number) {
  for (let start = 0; start < days.length; start += daysPerAppend) {
    yield toRows(days.slice(start, start + daysPerAppend), firstDay)
  }
}

function toRows(days: readonly DayBins[], firstDay: number) {
  const rows = days.reduce((count, { bins }) => count + bins.length, 0)
  const day = new Int32Array(rows)
  const bin = new Int32Array(rows)
  const supplySats = new BigInt64Array(rows)
  const spentSats = new BigInt64Array(rows)
  let next = 0
  for (const one of days) {
    day.fill(firstDay + one.day, next, next + one.bins.length)
    bin.set(one.bins, next)
    supplySats.set(one.sats, next)
    spentSats.set(one.spentSats, next)
    next += one.bins.length
  }
  return { day, bin, supply_sats: supplySats, spent_sats: spentSats }
}
