import { type CostBasis, isCostKnown } from './cost-basis.ts'
import { createColumns } from './number-columns.ts'

/** Daily columns of `CoinAges`. Ages in days; NaN without coins or price. */
export const coinAgeColumns = ['mean_age', 'median_age', 'mean_dollar_age', 'utxos_in_profit', 'utxos_in_loss'] as const

export class CoinAges {
  readonly columns: ReadonlyMap<string, Float64Array>
  /** Share of the supply with unknown cost. */
  readonly unpricedShare: Float64Array
  readonly #basis: CostBasis
  readonly #values: Record<(typeof coinAgeColumns)[number], Float64Array>

  constructor(basis: CostBasis) {
    this.#basis = basis
    this.#values = createColumns(coinAgeColumns, basis.cost.length, Number.NaN)
    this.columns = new Map(Object.entries(this.#values))
    this.unpricedShare = new Float64Array(basis.cost.length).fill(Number.NaN)
  }

  /** Adds the coins unspent after `day`, by creation day. */
  addDay(day: number, unspentSats: Float64Array, unspentOutputs: Float64Array): void {
    const price = this.#basis.price[day]!
    let supply = 0
    let coinDays = 0
    let paidTotal = 0
    let dollarDays = 0
    let inProfit = 0
    let inLoss = 0
    let unpriced = 0
    for (let created = 0; created <= day; created++) {
      const sats = unspentSats[created]!
      const paid = this.#basis.cost[created]!
      supply += sats
      coinDays += sats * (day - created)
      paidTotal += sats * paid
      if (this.#basis.unpriced[created]) unpriced += sats
      dollarDays += sats * paid * (day - created)
      if (paid < price) inProfit += unspentOutputs[created]!
      else if (paid > price) inLoss += unspentOutputs[created]!
    }
    const values = this.#values
    if (supply > 0) {
      values.mean_age[day] = coinDays / supply
      values.median_age[day] = medianAge(day, unspentSats, supply)
    }
    this.unpricedShare[day] = supply > 0 ? unpriced / supply : 0
    if (Number.isNaN(price) || !isCostKnown(unpriced, supply)) return
    if (paidTotal > 0) values.mean_dollar_age[day] = dollarDays / paidTotal
    values.utxos_in_profit[day] = inProfit
    values.utxos_in_loss[day] = inLoss
  }
}

/** Lowest age that at least half of the coins do not exceed. */
function medianAge(day: number, unspentSats: Float64Array, supply: number): number {
  let younger = 0
  let created = day + 1
  while (2 * younger < supply) younger += unspentSats[--created]!
  return day - created
}
