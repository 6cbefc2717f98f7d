import { satsToBtc } from '#base/bitcoin.ts'
import { priceBin } from '#contract/price-bins.ts'
import { addendLimb } from '../scan/limbs.ts'
import { type CostBasis, isCostKnown } from './cost-basis.ts'
import { createColumns } from './number-columns.ts'

/** Coins by cost on one day: ascending bins with unspent coins or with spends of the day. */
export interface DayBins {
  /** Counted from the first. */
  readonly day: number
  readonly bins: Int32Array
  readonly sats: BigInt64Array
  readonly spentSats: BigInt64Array
}

/** Distances from the price in percent for `realized_supply_density_<percent>`. */
export const densityPercents = [1, 5, 10, 15, 20] as const
export const quantilePercents = Array.from({ length: 99 }, (_, i) => i + 1)

/**
 * Gains in percent of a coin's cost, largest first, for `supply_in_profit_over_<percent>`; then
 * losses, smallest first, for `supply_in_loss_over_<percent>`.
 */
export const profitPercents = [1000, 500, 300, 200, 100, 50, 25, 10] as const
export const lossPercents = [10, 25, 50, 75, 90] as const

export const profitName = (percent: number) => `profit_over_${percent}` as const
export const lossName = (percent: number) => `loss_over_${percent}` as const
export const quantileName = (percent: number) => `p${String(percent).padStart(2, '0')}` as const
export const densityName = (percent: number) => `density_${percent}` as const

const profitNames = profitPercents.map(profitName)
const lossNames = lossPercents.map(lossName)
const quantileNames = quantilePercents.map(quantileName)
const densityNames = densityPercents.map(densityName)
/**
 * Prices in USD per coin, regret in USD, profits and losses in BTC, densities as fractions of the
 * supply.
 */
const costColumns = [
  'capitalized_price',
  'peak_regret',
  ...profitNames,
  ...lossNames,
  ...quantileNames,
  ...densityNames,
] as const

/**
 * Unspent coins by cost and day, without days that lack a price or have too many unpriced coins.
 */
export class CostDistribution {
  readonly days: DayBins[] = []
  readonly columns: ReadonlyMap<string, Float64Array>
  readonly #basis: CostBasis
  readonly #values: Readonly<Record<(typeof costColumns)[number], Float64Array>>
  readonly #quantiles: readonly Float64Array[]
  readonly #densities: readonly Float64Array[]
  readonly #profits: readonly Float64Array[]
  readonly #losses: readonly Float64Array[]
  /** Creation days by ascending cost. */
  readonly #byCost: Int32Array
  readonly #binByDay: Int32Array
  readonly #bins: Float64Array
  /** Reused each day. */
  readonly #filled: Int32Array
  /** Spent since the last day, in limbs of 2^40. */
  readonly #spentHigh: Float64Array
  readonly #spentLow: Float64Array

  constructor(basis: CostBasis) {
    const length = basis.cost.length
    this.#basis = basis
    this.#values = createColumns(costColumns, length, Number.NaN)
    this.#profits = profitNames.map((name) => this.#values[name]!)
    this.#losses = lossNames.map((name) => this.#values[name]!)
    this.#quantiles = quantileNames.map((name) => this.#values[name]!)
    this.#densities = densityNames.map((name) => this.#values[name]!)
    this.columns = new Map(Object.entries(this.#values))
    this.#byCost = Int32Array.from({ length }, (_, day) => day).sort((a, b) => basis.cost[a]! - basis.cost[b]!)
    this.#binByDay = Int32Array.from(basis.cost, priceBin)
    this.#bins = new Float64Array(this.#binByDay.reduce((max, bin) => Math.max(max, bin), 0) + 1)
    this.#filled = new Int32Array(this.#bins.length)
    this.#spentHigh = new Float64Array(this.#bins.length)
    this.#spentLow = new Float64Array(this.#bins.length)
  }

  /** Adds coins spent on the day of the next `addDay`: high × 2^40 + low satoshis. */
  addSpend(createdDay: number, satsHigh: number, satsLow: number): void {
    const bin = this.#binByDay[createdDay]!
    this.#spentHigh[bin]! += satsHigh
    this.#spentLow[bin]! += satsLow
  }

  addDay(day: number, unspentSats: Float64Array): void {
    const supply = this.#fillBins(day, unspentSats)
    if (supply > 0) this.days.push({ day, ...this.#takeBins() })
    this.#spentHigh.fill(0)
    this.#spentLow.fill(0)
    if (supply === 0) return
    this.#findQuantiles(day, unspentSats, supply)
    this.#weighCosts(day, unspentSats)
  }

  #weighCosts(day: number, unspentSats: Float64Array): void {
    const { price, cost } = this.#basis
    let paid = 0
    let squares = 0
    let regret = 0
    let peak = 0
    for (let created = day; created >= 0; created--) {
      // Closes, although coins may cost a price of the hour.
      peak = Math.max(peak, Number.isNaN(price[created]!) ? cost[created]! : price[created]!)
      const value = unspentSats[created]! * cost[created]!
      paid += value
      squares += value * cost[created]!
      regret += unspentSats[created]! * (peak - price[day]!)
    }
    this.#values.capitalized_price[day] = paid === 0 ? Number.NaN : squares / paid
    this.#values.peak_regret![day] = satsToBtc(regret)
  }

  /** Returns the supply; 0 without a price, or if too many coins are unpriced. */
  #fillBins(day: number, unspentSats: Float64Array): number {
    if (Number.isNaN(this.#basis.price[day]!)) return 0
    let supply = 0
    let unpriced = 0
    for (let created = 0; created <= day; created++) {
      const sats = unspentSats[created]!
      supply += sats
      if (this.#basis.unpriced[created]) unpriced += sats
      this.#bins[this.#binByDay[created]!]! += sats
    }
    if (isCostKnown(unpriced, supply)) return supply
    this.#bins.fill(0)
    return 0
  }

  #takeBins(): Pick<DayBins, 'bins' | 'sats' | 'spentSats'> {
    const [all, high, low] = [this.#bins, this.#spentHigh, this.#spentLow]
    const filled = this.#filled
    let count = 0
    for (let bin = 0; bin < all.length; bin++) {
      if (all[bin]! > 0 || high[bin]! > 0 || low[bin]! > 0) filled[count++] = bin
    }
    const bins = filled.slice(0, count)
    const sats = new BigInt64Array(count)
    const spentSats = new BigInt64Array(count)
    for (let i = 0; i < count; i++) {
      const bin = bins[i]!
      sats[i] = BigInt(all[bin]!)
      // Most bins have no spends, and BigInt arithmetic is slow.
      if (high[bin]! > 0 || low[bin]! > 0) spentSats[i] = BigInt(high[bin]!) * BigInt(addendLimb) + BigInt(low[bin]!)
    }
    all.fill(0)
    return { bins, sats, spentSats }
  }

  /** Walks once from the cheapest coins to the dearest. Later creation days have no coins yet. */
  #findQuantiles(day: number, unspentSats: Float64Array, supply: number): void {
    const price = this.#basis.price[day]!
    const near = new Float64Array(densityPercents.length)
    let reached = 0
    let next = 0
    let profits = 0
    let losses = 0
    for (const created of this.#byCost) {
      const sats = unspentSats[created]!
      if (sats === 0) continue
      const paid = this.#basis.cost[created]!
      while (profits < profitPercents.length && price <= paid * (1 + profitPercents[profits]! / 100)) {
        this.#profits[profits++]![day] = satsToBtc(reached)
      }
      while (losses < lossPercents.length && price < paid * (1 - lossPercents[losses]! / 100)) {
        this.#losses[losses++]![day] = satsToBtc(supply - reached)
      }
      reached += sats
      while (next < quantilePercents.length && reached >= (supply * quantilePercents[next]!) / 100) {
        this.#quantiles[next++]![day] = paid
      }
      const distance = Math.abs(paid - price) * 100
      for (let i = densityPercents.length - 1; i >= 0 && distance <= price * densityPercents[i]!; i--) near[i]! += sats
    }
    for (; profits < profitPercents.length; profits++) this.#profits[profits]![day] = satsToBtc(reached)
    for (; losses < lossPercents.length; losses++) this.#losses[losses]![day] = 0
    this.#densities.forEach((column, i) => {
      column[day] = near[i]! / supply
    })
  }
}
