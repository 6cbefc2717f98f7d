import type { ReadColumn } from '#sql/columns.ts'
import { type BaseMeasure, baseMeasures } from './base-measures.ts'
import { type Cohort, longTermWeight, smoothFrom, smoothTo } from './cohorts.ts'
import type { CostBasis } from './cost-basis.ts'
import type { DailyCoins } from './daily-coins.ts'
import { secondsLimb } from './merge-flows.ts'

/** Hears of what is unspent after each day, by creation day; both counted from the first. The arrays are used again. */
export type DayListener = (day: number, unspentSats: Float64Array, unspentOutputs: Float64Array) => void

/** Base measures by cohort id: one value a day. */
export type CohortColumns = ReadonlyMap<string, Readonly<Record<BaseMeasure, Float64Array>>>

/** Sums over creation days that the measures are made of: of unspent coins, and of what a day's spends took from them. */
const [supply, outputs, cost, inProfit, inLoss, profit, loss] = [0, 1, 2, 3, 4, 5, 6]
const [spent, spentOutputs, spentCost, spentProfit, spentLoss] = [7, 8, 9, 10, 11]
const [secondsHigh, secondsLow, spent1h, spentCost1h] = [12, 13, 14, 15]
const [spentInProfit, spentInLoss] = [16, 17]
const sumCount = 18

const satsPerCoin = 1e8
const satSecondsPerCoinDay = satsPerCoin * 86_400

/**
 * One pass over all days with a rolling array of what is left of each creation day. On any one day a cohort is an
 * interval of creation days, so the stretch between two neighbouring edges is added up once, for all cohorts. Nothing
 * is ever subtracted from a sum, so that amounts of very different size lose no digits. Days are counted from the first.
 */
export class CohortPass {
  readonly columns: CohortColumns
  readonly #firstDay: number
  readonly #days: number
  readonly #cohorts: readonly Cohort[]
  readonly #basis: CostBasis
  readonly #coins: DailyCoins
  readonly #onDayClosed: DayListener
  readonly #unspentSats: Float64Array
  readonly #unspentOutputs: Float64Array
  readonly #isEdge: Uint8Array
  readonly #stretchOf: Int32Array
  /** Sums of each stretch; and, of ages where the smooth weight is between 0 and 1, weighted sums. */
  readonly #stretches: Float64Array
  readonly #smoothLong = new Float64Array(sumCount)
  readonly #smoothShort = new Float64Array(sumCount)
  /**
   * Spends of coins of the day before that were not yet 24 hours old. Cohorts by age count them as younger than a day:
   * what was spent is divided at 24 real hours, what is left by whole days.
   */
  readonly #youngYesterday = new Float64Array(sumCount)
  readonly #total = new Float64Array(sumCount)
  #day = -1

  /** `firstDay` is the unix day of the first block; the pass covers as many days as `coins` and `basis` do. */
  constructor(
    firstDay: number,
    cohorts: readonly Cohort[],
    basis: CostBasis,
    coins: DailyCoins,
    onDayClosed: DayListener,
  ) {
    const days = basis.price.length
    this.#firstDay = firstDay
    this.#days = days
    this.#cohorts = cohorts
    this.#basis = basis
    this.#coins = coins
    this.#onDayClosed = onDayClosed
    this.#unspentSats = new Float64Array(days)
    this.#unspentOutputs = new Float64Array(days)
    this.#isEdge = new Uint8Array(days + 1)
    this.#stretchOf = new Int32Array(days)
    this.#stretches = new Float64Array((2 * cohorts.length + 4) * sumCount)
    this.columns = new Map(
      cohorts.map(({ id }) => {
        const entries = baseMeasures.map((measure) => [measure, new Float64Array(days)] as const)
        return [id, Object.fromEntries(entries) as Record<BaseMeasure, Float64Array>]
      }),
    )
  }

  /** Takes the next rows of `mergeFlows`; they come sorted by day and creation day. */
  addFlows(rows: number, columns: Readonly<Record<string, ReadColumn>>): void {
    const { date, created_date, spent_sats, spent_outputs, seconds_high, seconds_low } = columns
    for (let row = 0; row < rows; row++) {
      const day = date![row]! - this.#firstDay
      while (this.#day < day) this.#nextDay()
      const created = created_date![row]! - this.#firstDay
      this.#unspentSats[created]! -= spent_sats![row]!
      this.#unspentOutputs[created]! -= spent_outputs![row]!
      this.#addSpends(created, spent_sats![row]!, spent_outputs![row]!, seconds_high![row]!, seconds_low![row]!)
    }
  }

  /** Closes the remaining days; `columns` are complete then. */
  finish(): void {
    while (this.#day < this.#days) this.#nextDay()
  }

  #nextDay(): void {
    if (this.#day >= 0) this.#closeDay()
    this.#day++
    if (this.#day < this.#days) this.#openDay()
  }

  /** First creation day of a cohort and the one after its last. */
  #interval(cohort: Cohort): [from: number, to: number] {
    const end = this.#day + 1
    const within = (day: number): number => Math.min(Math.max(day, 0), end)
    switch (cohort.kind) {
      case 'all':
        return [0, end]
      case 'age':
        return [within(end - cohort.upper), within(end - cohort.lower)]
      case 'created':
        return [within(cohort.from - this.#firstDay), within(cohort.to - this.#firstDay)]
      case 'smooth':
        return cohort.holder === 'long' ? [0, within(end - smoothTo - 1)] : [within(end - smoothFrom), end]
    }
  }

  #openDay(): void {
    this.#isEdge.fill(0)
    for (const cohort of this.#cohorts) {
      const [from, to] = this.#interval(cohort)
      this.#isEdge[from] = 1
      this.#isEdge[to] = 1
    }
    let stretch = -1
    for (let created = 0; created <= this.#day; created++) {
      stretch += this.#isEdge[created]!
      this.#stretchOf[created] = stretch
    }
    this.#unspentSats[this.#day]! += this.#coins.createdSats[this.#day]!
    this.#unspentOutputs[this.#day]! += this.#coins.createdOutputs[this.#day]!
    for (const { day, createdDay, sats, outputs: lost } of this.#coins.overwritten) {
      if (day !== this.#day) continue
      this.#unspentSats[createdDay]! -= sats
      this.#unspentOutputs[createdDay]! -= lost
    }
    this.#stretches.fill(0, 0, (stretch + 1) * sumCount)
    this.#smoothLong.fill(0)
    this.#smoothShort.fill(0)
    this.#youngYesterday.fill(0)
  }

  #addSpends(created: number, sats: number, count: number, high: number, low: number): void {
    const day = this.#day
    const coins = this.#coins
    const to = this.#stretches
    const at = this.#stretchOf[created]! * sumCount
    if (created === day - 1) {
      const young = coins.youngSats[day]!
      const youngCount = coins.youngOutputs[day]!
      const youngHigh = coins.youngSecondsHigh[day]!
      const youngLow = coins.youngSecondsLow[day]!
      const young1h = young - coins.underHourYesterday[day]!
      this.#addSpend(this.#youngYesterday, 0, 1, created, young, youngCount, youngHigh, youngLow, young1h)
      const rest = sats - young
      this.#addSpend(to, at, 1, created, rest, count - youngCount, high - youngHigh, low - youngLow, rest)
      return
    }
    const sats1h = created === day ? sats - coins.underHourToday[day]! : sats
    this.#addSpend(to, at, 1, created, sats, count, high, low, sats1h)
    const age = day - created
    if (age < smoothFrom || age > smoothTo) return
    const weight = longTermWeight(age)
    this.#addSpend(this.#smoothLong, 0, weight, created, sats, count, high, low, sats)
    this.#addSpend(this.#smoothShort, 0, 1 - weight, created, sats, count, high, low, sats)
  }

  #addSpend(
    to: Float64Array,
    at: number,
    weight: number,
    created: number,
    sats: number,
    count: number,
    high: number,
    low: number,
    sats1h: number,
  ): void {
    const price = this.#basis.price[this.#day]!
    const paid = this.#basis.cost[created]!
    to[at + spent]! += weight * sats
    to[at + spentOutputs]! += weight * count
    to[at + spentCost]! += weight * sats * paid
    if (paid < price) {
      to[at + spentInProfit]! += weight * sats
      to[at + spentProfit]! += weight * sats * (price - paid)
    } else if (paid > price) {
      to[at + spentInLoss]! += weight * sats
      to[at + spentLoss]! += weight * sats * (paid - price)
    }
    to[at + secondsHigh]! += weight * high
    to[at + secondsLow]! += weight * low
    to[at + spent1h]! += weight * sats1h
    to[at + spentCost1h]! += weight * sats1h * paid
  }

  #closeDay(): void {
    for (let created = 0; created <= this.#day; created++) {
      this.#addUnspent(this.#stretches, this.#stretchOf[created]! * sumCount, 1, created)
    }
    for (let age = smoothFrom; age <= Math.min(smoothTo, this.#day); age++) {
      const weight = longTermWeight(age)
      this.#addUnspent(this.#smoothLong, 0, weight, this.#day - age)
      this.#addUnspent(this.#smoothShort, 0, 1 - weight, this.#day - age)
    }
    for (const cohort of this.#cohorts) this.#publishCohort(cohort)
    this.#onDayClosed(this.#day, this.#unspentSats, this.#unspentOutputs)
  }

  #addUnspent(to: Float64Array, at: number, weight: number, created: number): void {
    const count = this.#unspentOutputs[created]!
    if (count === 0) return
    const price = this.#basis.price[this.#day]!
    const paid = this.#basis.cost[created]!
    const sats = weight * this.#unspentSats[created]!
    to[at + supply]! += sats
    to[at + outputs]! += weight * count
    to[at + cost]! += sats * paid
    if (paid < price) {
      to[at + inProfit]! += sats
      to[at + profit]! += sats * (price - paid)
    } else if (paid > price) {
      to[at + inLoss]! += sats
      to[at + loss]! += sats * (paid - price)
    }
  }

  #publishCohort(cohort: Cohort): void {
    const total = this.#total.fill(0)
    const [from, to] = this.#interval(cohort)
    if (from < to) {
      const end = (this.#stretchOf[to - 1]! + 1) * sumCount
      for (let at = this.#stretchOf[from]! * sumCount; at < end; at += sumCount) this.#addSums(this.#stretches, at)
    }
    if (cohort.kind === 'smooth') this.#addSums(cohort.holder === 'long' ? this.#smoothLong : this.#smoothShort, 0)
    const youngest = this.#day - (cohort.kind === 'created' ? 1 : 0)
    if (from <= youngest && youngest < to) this.#addSums(this.#youngYesterday, 0)

    const column = this.columns.get(cohort.id)!
    const day = this.#day
    // Without a price of the day nothing can be said in USD.
    const known = Number.isNaN(this.#basis.price[day]!) ? Number.NaN : 1
    column.supply_sats[day] = Math.round(total[supply]!)
    column.utxo_count[day] = Math.round(total[outputs]!)
    column.realized_cap[day] = (known * total[cost]!) / satsPerCoin
    column.supply_in_profit[day] = (known * total[inProfit]!) / satsPerCoin
    column.supply_in_loss[day] = (known * total[inLoss]!) / satsPerCoin
    column.unrealized_profit[day] = (known * total[profit]!) / satsPerCoin
    column.unrealized_loss[day] = (known * total[loss]!) / satsPerCoin
    column.spent_volume[day] = total[spent]! / satsPerCoin
    column.spent_outputs[day] = Math.round(total[spentOutputs]!)
    column.spent_volume_in_profit[day] = (known * total[spentInProfit]!) / satsPerCoin
    column.spent_volume_in_loss[day] = (known * total[spentInLoss]!) / satsPerCoin
    column.spent_cost[day] = (known * total[spentCost]!) / satsPerCoin
    column.realized_profit[day] = (known * total[spentProfit]!) / satsPerCoin
    column.realized_loss[day] = (known * total[spentLoss]!) / satsPerCoin
    column.coindays_destroyed[day] = (total[secondsHigh]! * secondsLimb + total[secondsLow]!) / satSecondsPerCoinDay
    column.spent_volume_1h[day] = total[spent1h]! / satsPerCoin
    column.spent_cost_1h[day] = (known * total[spentCost1h]!) / satsPerCoin
  }

  #addSums(from: Float64Array, at: number): void {
    for (let i = 0; i < sumCount; i++) this.#total[i]! += from[at + i]!
  }
}
