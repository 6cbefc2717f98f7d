import { satsPerCoin } from '#base/bitcoin.ts'
import { secondsPerDay } from '#base/days.ts'
import { addendLimb } from '../scan/limbs.ts'
import { type BaseMeasure, costMeasures } from './base-measures.ts'
import { type CostBasis, isCostKnown } from './cost-basis.ts'
import type { HourValues, Valuation } from './hour-values.ts'
import { addMargin, createMargins, type Margins } from './margins.ts'
import { createColumns } from './number-columns.ts'

/**
 * Sums over creation days for the measures, of unspent coins and of a day's spends. `unpriced`:
 * satoshis of both with unknown cost. `spentByDay`: satoshis to value at the day's price.
 * `spentValue`: already valued by the hour.
 */
const sumNames = [
  'supply',
  'outputs',
  'cost',
  'unpriced',
  'spent',
  'spentOutputs',
  'spentCost',
  'spentSecondsHigh',
  'spentSecondsLow',
  'spent1h',
  'spentCost1h',
  'spentByDay',
  'spentByDay1h',
  'spentValue',
  'spentValue1h',
] as const

/**
 * One element per slot. The first slots are special; others are stretches between two cohort edges.
 */
type Sums = Readonly<Record<(typeof sumNames)[number], Float64Array>>

/** A day's spends of one creation day. Sat-seconds are high × 2^40 + low. */
export interface Spend {
  readonly sats: number
  readonly outputs: number
  readonly secondsHigh: number
  readonly secondsLow: number
  /** Satoshis aged an hour or more. */
  readonly sats1h: number
}

const satSecondsPerCoinDay = satsPerCoin * secondsPerDay

export class DaySums {
  readonly #basis: CostBasis
  /** Price by day of spends not valued by the hour. */
  readonly #spentPrice: Float64Array
  readonly #sums: Sums
  readonly #unrealized: Margins
  readonly #realized: Margins
  /** Measures that are one sum divided by the satoshis per coin. */
  readonly #inCoins: readonly (readonly [BaseMeasure, Float64Array])[]
  #day = 0

  constructor(slots: number, basis: CostBasis, hourly: HourValues | undefined) {
    this.#basis = basis
    this.#spentPrice = hourly?.spentPrice ?? basis.price
    this.#sums = createColumns(sumNames, slots)
    this.#unrealized = createMargins(slots)
    this.#realized = createMargins(slots)
    const sums = this.#sums
    this.#inCoins = [
      ['realized_cap', sums.cost],
      ['supply_in_profit', this.#unrealized.inProfit],
      ['supply_in_loss', this.#unrealized.inLoss],
      ['unrealized_profit', this.#unrealized.profit],
      ['unrealized_loss', this.#unrealized.loss],
      ['spent_volume', sums.spent],
      ['spent_volume_in_profit', this.#realized.inProfit],
      ['spent_volume_in_loss', this.#realized.inLoss],
      ['spent_cost', sums.spentCost],
      ['realized_profit', this.#realized.profit],
      ['realized_loss', this.#realized.loss],
      ['spent_volume_1h', sums.spent1h],
      ['spent_cost_1h', sums.spentCost1h],
    ]
  }

  begin(day: number): void {
    this.#day = day
    for (const sums of [this.#sums, this.#unrealized, this.#realized]) {
      for (const sum of Object.values(sums)) sum.fill(0)
    }
  }

  /**
   * Adds spends of coins created on the same day or the day before, valued by the hour with
   * `valued`.
   */
  addYoungSpend(slot: number, created: number, spend: Spend, valued: Valuation | undefined): void {
    if (!valued) {
      this.addSpend(slot, 1, created, spend)
      return
    }
    this.#addAmounts(slot, 1, created, spend)
    this.addValues(slot, valued, this.#day)
  }

  /** Adds the values of spends whose amounts are added without a price. */
  addValues(slot: number, { value, cost, value1h, cost1h, margins }: Valuation, at: number): void {
    const sums = this.#sums
    const realized = this.#realized
    sums.spentValue[slot]! += value[at]!
    sums.spentCost[slot]! += cost[at]!
    realized.inProfit[slot]! += margins.inProfit[at]!
    realized.inLoss[slot]! += margins.inLoss[at]!
    realized.profit[slot]! += margins.profit[at]!
    realized.loss[slot]! += margins.loss[at]!
    sums.spentValue1h[slot]! += value1h[at]!
    sums.spentCost1h[slot]! += cost1h[at]!
  }

  /** Adds weighted spends of one creation day. */
  addSpend(slot: number, weight: number, created: number, spend: Spend): void {
    const sums = this.#sums
    const price = this.#spentPrice[this.#day]!
    const paid = this.#basis.cost[created]!
    const sats = weight * spend.sats
    this.#addAmounts(slot, weight, created, spend)
    sums.spentByDay[slot]! += sats
    sums.spentByDay1h[slot]! += weight * spend.sats1h
    sums.spentCost[slot]! += sats * paid
    sums.spentCost1h[slot]! += weight * spend.sats1h * paid
    addMargin(this.#realized, slot, sats, paid, price)
  }

  /** Adds the price-independent amounts of a spend. */
  #addAmounts(slot: number, weight: number, created: number, spend: Spend): void {
    const sums = this.#sums
    const sats = weight * spend.sats
    sums.spent[slot]! += sats
    sums.spentOutputs[slot]! += weight * spend.outputs
    if (this.#basis.unpriced[created]) sums.unpriced[slot]! += sats
    sums.spentSecondsHigh[slot]! += weight * spend.secondsHigh
    sums.spentSecondsLow[slot]! += weight * spend.secondsLow
    sums.spent1h[slot]! += weight * spend.sats1h
  }

  /**
   * Adds a spend to the slot of each bit of `groups`, counted from `slot`.
   * @param isYoung leaves its value to `addValues`
   */
  addSpendRow(
    slot: number,
    groups: number,
    created: number,
    sats: number,
    outputs: number,
    seconds: number,
    isYoung: boolean,
  ): void {
    const { spent, spentOutputs, spentCost, spentByDay, spentSecondsLow, unpriced } = this.#sums
    const price = this.#spentPrice[this.#day]!
    const paid = this.#basis.cost[created]!
    const isUnpriced = this.#basis.unpriced[created] === 1
    for (let rest = groups; rest !== 0; rest &= rest - 1) {
      const to = slot + lowestBit(rest)
      spent[to]! += sats
      spentOutputs[to]! += outputs
      spentSecondsLow[to]! += seconds
      if (isUnpriced) unpriced[to]! += sats
      if (isYoung) continue
      spentCost[to]! += sats * paid
      spentByDay[to]! += sats
      addMargin(this.#realized, to, sats, paid, price)
    }
  }

  /** Adds weighted unspent coins of one creation day. */
  addUnspent(slot: number, weight: number, created: number, unspentSats: number, outputs: number): void {
    const sums = this.#sums
    const price = this.#basis.price[this.#day]!
    const paid = this.#basis.cost[created]!
    const sats = weight * unspentSats
    sums.supply[slot]! += sats
    sums.outputs[slot]! += weight * outputs
    sums.cost[slot]! += sats * paid
    if (this.#basis.unpriced[created]) sums.unpriced[slot]! += sats
    addMargin(this.#unrealized, slot, sats, paid, price)
  }

  /**
   * Adds the unspent coins of one creation day: the amount of each bit of `groups` from `at` on, to
   * its own slot from `slot` on. Runs for every pair of days: values that depend only on the
   * creation day are read once.
   */
  addUnspentRow(
    slot: number,
    groups: number,
    created: number,
    at: number,
    unspentSats: Float64Array,
    unspentOutputs: Float64Array,
  ): void {
    const { supply, outputs, cost, unpriced } = this.#sums
    const price = this.#basis.price[this.#day]!
    const paid = this.#basis.cost[created]!
    const isUnpriced = this.#basis.unpriced[created] === 1
    const { inProfit, profit, inLoss, loss } = this.#unrealized
    const isProfit = paid < price
    const isLoss = paid > price
    for (let rest = groups; rest !== 0; rest &= rest - 1) {
      const group = lowestBit(rest)
      const sats = unspentSats[at + group]!
      const to = slot + group
      supply[to]! += sats
      outputs[to]! += unspentOutputs[at + group]!
      cost[to]! += sats * paid
      if (isUnpriced) unpriced[to]! += sats
      if (isProfit) {
        inProfit[to]! += sats
        profit[to]! += sats * (price - paid)
      } else if (isLoss) {
        inLoss[to]! += sats
        loss[to]! += sats * (paid - price)
      }
    }
  }

  /** @param column zeros on the day */
  writeMeasures(slots: readonly number[], column: Readonly<Record<BaseMeasure, Float64Array>>): void {
    const sums = this.#sums
    const day = this.#day
    const spentPrice = this.#spentPrice[day]!
    // Half of the cohorts have no coins on a usual day: those created later, or of a great age.
    if (total(slots, sums.outputs) === 0 && total(slots, sums.spentOutputs) === 0) {
      if (Number.isNaN(spentPrice)) {
        column.spent_volume_usd[day] = Number.NaN
        column.spent_volume_1h_usd[day] = Number.NaN
      }
      if (Number.isNaN(this.#basis.price[day]!)) for (const measure of costMeasures) column[measure][day] = Number.NaN
      return
    }
    column.supply_sats[day] = Math.round(total(slots, sums.supply))
    column.utxo_count[day] = Math.round(total(slots, sums.outputs))
    for (const [measure, sum] of this.#inCoins) column[measure][day] = total(slots, sum) / satsPerCoin
    column.spent_volume_usd[day] =
      (total(slots, sums.spentByDay) / satsPerCoin) * spentPrice + total(slots, sums.spentValue) / satsPerCoin
    column.spent_outputs[day] = Math.round(total(slots, sums.spentOutputs))
    column.coindays_destroyed[day] =
      (total(slots, sums.spentSecondsHigh) * addendLimb + total(slots, sums.spentSecondsLow)) / satSecondsPerCoinDay
    column.spent_volume_1h_usd[day] =
      (total(slots, sums.spentByDay1h) / satsPerCoin) * spentPrice + total(slots, sums.spentValue1h) / satsPerCoin
    // Unknown without a price of the day, or if too many coins have an unknown cost.
    const known =
      !Number.isNaN(this.#basis.price[day]!) && isCostKnown(total(slots, sums.unpriced), total(slots, sums.supply))
    if (!known) for (const measure of costMeasures) column[measure][day] = Number.NaN
  }
}

export const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits)

function total(slots: readonly number[], sum: Float64Array): number {
  let total = 0
  for (let i = 0; i < slots.length; i++) total += sum[slots[i]!]!
  return total
}
