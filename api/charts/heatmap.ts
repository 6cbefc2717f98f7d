import { DuckDBDateValue } from '@duckdb/node-api'
import { satsToBtc } from '#base/bitcoin.ts'
import { ApiError } from '#contract/api-error.ts'
import type { View } from '#query/view.ts'
import type { RequestedHeatmap } from '#render/request/request.ts'

/**
 * A distribution on some days (unix days, ascending, evenly spaced), one column of bins per day. Throws `not_found` if
 * these days have none, `insufficient_tier`.
 */
export async function heatmapCells(view: View, id: string, days: Int32Array): Promise<Omit<RequestedHeatmap, 'id'>> {
  const table = view.table('cost_basis', `a chart of ${id}`)
  const step = days.length > 1 ? days[1]! - days[0]! : 1
  const cells = await view.columns(
    `SELECT date, bin, lower_price, upper_price, supply_sats::DOUBLE AS supply_sats FROM ${table}
     WHERE date BETWEEN $first AND $last AND (date - $first) % $step = 0 AND bin > 0 ORDER BY bin`,
    { first: new DuckDBDateValue(days[0]!), last: new DuckDBDateValue(days.at(-1)!), step },
  )
  const { date, bin, lower_price, upper_price, supply_sats } = cells
  if (!date || !bin || !lower_price || !upper_price || !supply_sats || date.length === 0) {
    throw new ApiError('not_found', `${id} has no values on these days`, { parameter: 'start_date' })
  }
  const bins: number[] = []
  const [binLower, binUpper]: [number[], number[]] = [[], []]
  bin.forEach((number, row) => {
    if (number === bins.at(-1)) return
    bins.push(number)
    binLower.push(lower_price[row]!)
    binUpper.push(upper_price[row]!)
  })
  const places = new Map(bins.map((number, place) => [number, place]))
  const values = new Float64Array(days.length * bins.length)
  bin.forEach((number, row) => {
    const day = (date[row]! - days[0]!) / step
    values[day * bins.length + places.get(number)!] = satsToBtc(supply_sats[row]!)
  })
  return {
    label: `Supply per ${binSize(binLower, binUpper)} of price`,
    unit: 'BTC',
    binLower: Float64Array.from(binLower),
    binUpper: Float64Array.from(binUpper),
    values,
  }
}

/** Width of the bins, which is equal on a logarithmic scale: 1.2 % */
function binSize([lower = 1]: readonly number[], [upper = 1]: readonly number[]): string {
  return `${Number((100 * (upper / lower - 1)).toPrecision(2))}\u00a0%`
}
