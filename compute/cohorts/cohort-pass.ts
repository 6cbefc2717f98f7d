import type { ReadColumn } from '#sql/columns.ts'
import { addendLimb } from '../scan/limbs.ts'
import { type BaseMeasure, baseMeasures } from './base-measures.ts'
import { type Cohort, longTermWeight, type RangeCohort, smoothFrom, smoothTo } from './cohorts.ts'
import type { CostBasis } from './cost-basis.ts'
import type { DailyCoins } from './daily-coins.ts'
import { type DayListener, DayPass } from './day-pass.ts'
import { DaySums, type Spend } from './day-sums.ts'
import type { HourValues } from './hour-values.ts'
import { createColumns } from './number-columns.ts'

/**
 * Called for each creation day of a day's spends, before the day closes: high × 2^40 + low
 * satoshis.
 */
export type SpendListener = (createdDay: number, satsHigh: number, satsLow: number) => void

/** Measures by cohort id: one value a day. */
export type CohortColumns = ReadonlyMap<string, Readonly<Record<string, Float64Array>>>

/** Returns columns by `measure cohort`. */
export const listCohortColumns = (columns: CohortColumns): [name: string, column: Float64Array][] =>
  [...columns].flatMap(([cohort, measures]) =>
    Object.entries(measures).map(([measure, column]): [string, Float64Array] => [`${measure} ${cohort}`, column]),
  )

/**
 * Slots of coins at ages with a smooth weight between 0 and 1: weighted by it, and by 1 minus it.
 */
const smoothLong = 0
const smoothShort = 1
/**
 * Spends of yesterday's coins under 24 hours old, which cohorts by age count as younger than a day.
 */
const youngYesterday = 2
const firstStretchSlot = 3

/**
 * One pass over all days with the unspent coins of each creation day. On any day a cohort is an
 * interval of creation days, so each stretch between two neighbouring cohort edges is summed once,
 * for all cohorts. Sums never subtract, so that amounts of very different size lose no digits. Days
 * count from the first.
 */
export class CohortPass extends DayPass {
  readonly columns: ReadonlyMap<string, Readonly<Record<BaseMeasure, Float64Array>>>
  readonly #firstDay: number
  readonly #cohorts: readonly RangeCohort[]
  readonly #coins: DailyCoins
  readonly #hourly: HourValues | undefined
  readonly #onSpend: SpendListener | undefined
  readonly #isEdge: Uint8Array
  readonly #slotByDay: Int32Array
  readonly #sums: DaySums
  /** High limb of the day's own coins while they are spent; `unspentSats` has the low limb. */
  #ownSatsHigh = 0

  /**
   * Covers the days of `coins` and `basis`, and the cohorts by age in `cohorts`. Spends are valued
   * by daily prices without `hourly`; the cost of coins is always that of `basis`.
   * @param firstDay unix day of the first block
   */
  constructor(
    firstDay: number,
    cohorts: readonly Cohort[],
    basis: CostBasis,
    coins: DailyCoins,
    hourly: HourValues | undefined,
    onDayClosed: DayListener,
    onSpend?: SpendListener,
  ) {
    const days = basis.price.length
    super(days, 1, onDayClosed)
    this.#firstDay = firstDay
    this.#cohorts = cohorts.filter((cohort) => cohort.kind !== 'coins')
    this.#coins = coins
    this.#hourly = hourly
    this.#onSpend = onSpend
    this.#isEdge = new Uint8Array(days + 1)
    this.#slotByDay = new Int32Array(days)
    this.#sums = new DaySums(firstStretchSlot + 2 * this.#cohorts.length + 1, basis, hourly)
    this.columns = new Map(this.#cohorts.map(({ id }) => [id, createColumns(baseMeasures, days)]))
  }

  /** Adds the next rows of `mergeFlows`, sorted by day and creation day. */
  addFlows(columns: Readonly<Record<string, ReadColumn>>): void {
    const { date, created_date, sats_high, sats_low, outputs, seconds_high, seconds_low } = columns
    for (let row = 0; row < date!.length; row++) {
      const day = date![row]! - this.#firstDay
      while (this.day < day) this.nextDay()
      const created = created_date![row]! - this.#firstDay
      const [high, low] = [sats_high![row]!, sats_low![row]!]
      const sats = high * addendLimb + low
      this.#onSpend?.(created, high, low)
      // Coins of earlier days are spent once, so a double is exact. The day's own coins can be
      // spent any number of times.
      const ownDay = created === day
      if (ownDay) {
        this.#ownSatsHigh -= high
        this.unspentSats[created]! -= low
      } else this.unspentSats[created]! -= sats
      this.unspentOutputs[created]! -= outputs![row]!
      this.#addSpends(created, {
        sats,
        outputs: outputs![row]!,
        secondsHigh: seconds_high![row]!,
        secondsLow: seconds_low![row]!,
        sats1h: ownDay ? this.#ownSpentAfterHour(high, low) : sats,
      })
    }
  }

  /** Returns the creation days of a cohort, without the last. */
  #interval(cohort: RangeCohort): [from: number, to: number] {
    const end = this.day + 1
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

  protected openDay(): void {
    this.#isEdge.fill(0)
    // Else days before the first edge would have the slot of young coins.
    this.#isEdge[0] = 1
    for (const cohort of this.#cohorts) {
      const [from, to] = this.#interval(cohort)
      this.#isEdge[from] = 1
      this.#isEdge[to] = 1
    }
    let slot = firstStretchSlot - 1
    for (let created = 0; created <= this.day; created++) {
      slot += this.#isEdge[created]!
      this.#slotByDay[created] = slot
    }
    this.#ownSatsHigh = this.#coins.createdSatsHigh[this.day]!
    this.unspentSats[this.day]! += this.#coins.createdSatsLow[this.day]!
    this.unspentOutputs[this.day]! += this.#coins.createdOutputs[this.day]!
    for (const { day, createdDay, sats, outputs: lost } of this.#coins.overwritten) {
      if (day !== this.day) continue
      this.unspentSats[createdDay]! -= sats
      this.unspentOutputs[createdDay]! -= lost
    }
    this.#sums.begin(this.day)
  }

  #addSpends(created: number, spend: Spend): void {
    const age = this.day - created
    const slot = this.#slotByDay[created]!
    if (age === 0) {
      this.#sums.addYoungSpend(slot, created, spend, this.#hourly?.today)
      return
    }
    if (age === 1) {
      const young = this.#youngSpend()
      this.#sums.addYoungSpend(youngYesterday, created, young, this.#hourly?.yesterdayUnder24h)
      this.#sums.addYoungSpend(slot, created, olderPart(spend, young), this.#hourly?.yesterdayOver24h)
      return
    }
    this.#sums.addSpend(slot, 1, created, spend)
    if (age < smoothFrom || age > smoothTo) return
    const weight = longTermWeight(age)
    this.#sums.addSpend(smoothLong, weight, created, spend)
    this.#sums.addSpend(smoothShort, 1 - weight, created, spend)
  }

  #youngSpend(): Spend {
    const day = this.day
    const coins = this.#coins
    return {
      sats: coins.youngSats[day]!,
      outputs: coins.youngOutputs[day]!,
      secondsHigh: coins.youngSecondsHigh[day]!,
      secondsLow: coins.youngSecondsLow[day]!,
      sats1h: coins.youngSats[day]! - coins.underHourYesterday[day]!,
    }
  }

  /** The part of the day's own coins spent at an age of an hour or more, high × 2^40 + low. */
  #ownSpentAfterHour(high: number, low: number): number {
    const { underHourTodayHigh, underHourTodayLow } = this.#coins
    return (high - underHourTodayHigh[this.day]!) * addendLimb + (low - underHourTodayLow[this.day]!)
  }

  protected closeDay(): void {
    this.unspentSats[this.day]! += this.#ownSatsHigh * addendLimb
    for (let created = 0; created <= this.day; created++) this.#addUnspent(this.#slotByDay[created]!, 1, created)
    for (let age = smoothFrom; age <= Math.min(smoothTo, this.day); age++) {
      const weight = longTermWeight(age)
      this.#addUnspent(smoothLong, weight, this.day - age)
      this.#addUnspent(smoothShort, 1 - weight, this.day - age)
    }
    for (const cohort of this.#cohorts) {
      this.#sums.writeMeasures(this.#findSlots(cohort), this.columns.get(cohort.id)!)
    }
  }

  #addUnspent(slot: number, weight: number, created: number): void {
    const outputs = this.unspentOutputs[created]!
    if (outputs !== 0) this.#sums.addUnspent(slot, weight, created, this.unspentSats[created]!, outputs)
  }

  #findSlots(cohort: RangeCohort): number[] {
    const slots: number[] = []
    const [from, to] = this.#interval(cohort)
    if (from < to) {
      for (let slot = this.#slotByDay[from]!; slot <= this.#slotByDay[to - 1]!; slot++) slots.push(slot)
    }
    if (cohort.kind === 'smooth') slots.push(cohort.holder === 'long' ? smoothLong : smoothShort)
    const youngest = this.day - (cohort.kind === 'created' ? 1 : 0)
    if (from <= youngest && youngest < to) slots.push(youngYesterday)
    return slots
  }
}

const olderPart = (spend: Spend, young: Spend): Spend => ({
  sats: spend.sats - young.sats,
  outputs: spend.outputs - young.outputs,
  secondsHigh: spend.secondsHigh - young.secondsHigh,
  secondsLow: spend.secondsLow - young.secondsLow,
  sats1h: spend.sats - young.sats,
})
