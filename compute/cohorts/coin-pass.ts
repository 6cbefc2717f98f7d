import { satsPerCoin } from '#base/bitcoin.ts'
import { type CoinCohort, coinAges, groupCount, groupsOf } from '#contract/coin-cohorts.ts'
import { kinds } from '#contract/kinds.ts'
import type { ReadColumn } from '#sql/columns.ts'
import { addendLimb } from '../scan/limbs.ts'
import { baseMeasures, createdMeasures } from './base-measures.ts'
import type { CohortColumns } from './cohort-pass.ts'
import type { Cohort } from './cohorts.ts'
import type { CostBasis } from './cost-basis.ts'
import { type DayListener, DayPass } from './day-pass.ts'
import { DaySums, lowestBit } from './day-sums.ts'
import type { HourValues, Valuation } from './hour-values.ts'
import { createColumns } from './number-columns.ts'

/** Measures that need no age finer than a day. */
const measures = baseMeasures.filter((measure) => !measure.includes('_1h'))

/**
 * Coins of a kind by day and creation day, sorted by both, as columns `date`, `created_date`,
 * `kind`, `sats_high`, `sats_low` (`limbs.ts`) and `outputs`.
 */
export type KindColumns = Readonly<Record<string, ReadColumn>>

/** Groups of each kind, as bits. */
const groupBits = kinds.map((kind) => groupsOf(kind).reduce((bits, group) => bits | (1 << group), 0))

/**
 * One pass over all days for cohorts by size, script type and origin. Element `created * groupCount
 * + group` of its arrays has the unspent coins of a creation day and group. Spent coins have the
 * mean age of all that were created and spent on the same two days, so that groups add up to all.
 */
export class CoinPass extends DayPass {
  readonly columns: CohortColumns
  readonly #firstDay: number
  readonly #cohorts: readonly (Pick<CoinCohort, 'groups'> & {
    /** By the oldest part by age that has begun. */
    readonly slots: readonly (readonly number[])[]
    readonly columns: ReturnType<typeof makeColumns>
  })[]
  readonly #sums: DaySums
  /** By creation day, a bit for each group with unspent outputs. */
  readonly #heldGroups: Uint32Array
  readonly #createdSats = new Float64Array(groupCount)
  readonly #createdOutputs = new Float64Array(groupCount)
  /** High limbs of the day's own coins by group; `unspentSats` has the low limbs. */
  readonly #ownSatsHigh = new Float64Array(groupCount)
  readonly #changes: KindColumns
  readonly #young: Valuation | undefined
  /** First row not yet applied. */
  #change = 0

  /**
   * Covers the days of `basis` and the cohorts of coins in `cohorts`.
   * @param firstDay unix day of the first block
   * @param young values of spends of coins of the day and the day before (`valueYoungGroups`)
   * @param changes coins that enter the supply, and with negative amounts those that leave it unspent
   */
  constructor(
    firstDay: number,
    cohorts: readonly Cohort[],
    basis: CostBasis,
    hourly: HourValues | undefined,
    young: Valuation | undefined,
    changes: KindColumns,
    onDayClosed: DayListener,
  ) {
    const days = basis.price.length
    super(days, groupCount, onDayClosed)
    this.#firstDay = firstDay
    this.#heldGroups = new Uint32Array(days)
    this.#changes = changes
    this.#young = young
    this.#sums = new DaySums(groupCount * coinAges.length, basis, hourly)
    const own = cohorts.flatMap((cohort) =>
      cohort.kind === 'coins' ? [{ ...cohort, columns: makeColumns(days) }] : [],
    )
    this.#cohorts = own.map(({ groups, minAge, columns }) => ({
      groups,
      columns,
      slots: coinAges.map((oldest) =>
        groups.flatMap((group) =>
          coinAges.flatMap((age, i) => (age < minAge || age > oldest ? [] : [slotOf(group, i)])),
        ),
      ),
    }))
    const published = [...measures, ...createdMeasures]
    this.columns = new Map(
      own.map(({ id, columns }) => [id, Object.fromEntries(published.map((name) => [name, columns[name]]))]),
    )
  }

  override startAfter(...state: Parameters<DayPass['startAfter']>): void {
    super.startAfter(...state)
    for (const at of this.unspentOutputs.keys()) this.#noteHeld(Math.floor(at / groupCount), at % groupCount)
  }

  #noteHeld(created: number, group: number): void {
    if (this.unspentOutputs[created * groupCount + group] === 0) this.#heldGroups[created]! &= ~(1 << group)
    else this.#heldGroups[created]! |= 1 << group
  }

  /** Adds the next spends, merged from `kind_flows`, and the same of all kinds. */
  addFlows(kindFlows: KindColumns, flows: KindColumns): void {
    const { date, created_date, kind, sats_high, sats_low, outputs: spent_outputs } = kindFlows
    let flow = -1
    let meanAge = 0
    for (let row = 0; row < date!.length; row++) {
      while (flows.date![flow] !== date![row] || flows.created_date![flow] !== created_date![row]) {
        flow++
        const allSats = flows.sats_high![flow]! * addendLimb + flows.sats_low![flow]!
        const seconds = flows.seconds_high![flow]! * addendLimb + flows.seconds_low![flow]!
        meanAge = allSats > 0 ? seconds / allSats : 0
      }
      const day = date![row]! - this.#firstDay
      while (this.day < day) this.nextDay()
      const created = created_date![row]! - this.#firstDay
      const [high, low] = [sats_high![row]!, sats_low![row]!]
      const outputs = spent_outputs![row]!
      const sats = high * addendLimb + low
      const age = day - created
      const bits = groupBits[kind![row]!]!
      const isYoung = this.#young !== undefined && age <= 1
      this.#sums.addSpendRow(slotOf(0, stepOf(age)), bits, created, sats, outputs, sats * meanAge, isYoung)
      this.#addUnspent(created, bits, -high, -low, -outputs)
    }
  }

  #applyChanges(): void {
    const { date, created_date, kind, sats_high, sats_low, outputs } = this.#changes
    const today = this.#firstDay + this.day
    for (; this.#change < date!.length && date![this.#change] === today; this.#change++) {
      const row = this.#change
      const [high, low, count] = [sats_high![row]!, sats_low![row]!, outputs![row]!]
      const bits = groupBits[kind![row]!]!
      this.#addUnspent(created_date![row]! - this.#firstDay, bits, high, low, count)
      if (count < 0) continue
      for (let rest = bits; rest !== 0; rest &= rest - 1) {
        const group = lowestBit(rest)
        this.#createdSats[group]! += high * addendLimb + low
        this.#createdOutputs[group]! += count
      }
    }
  }

  /**
   * Coins of earlier days are spent once, so a double is exact. The day's own coins can be spent any
   * number of times.
   */
  #addUnspent(created: number, bits: number, satsHigh: number, satsLow: number, outputs: number): void {
    const isOwn = created === this.day
    const sats = isOwn ? satsLow : satsHigh * addendLimb + satsLow
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const group = lowestBit(rest)
      const at = created * groupCount + group
      this.unspentOutputs[at]! += outputs
      this.unspentSats[at]! += sats
      if (isOwn) this.#ownSatsHigh[group]! += satsHigh
      this.#noteHeld(created, group)
    }
  }

  protected openDay(): void {
    this.#sums.begin(this.day)
    this.#createdSats.fill(0)
    this.#createdOutputs.fill(0)
    this.#ownSatsHigh.fill(0)
    this.#applyChanges()
  }

  protected closeDay(): void {
    const { day } = this
    for (let group = 0; group < groupCount; group++) {
      if (this.#young) this.#sums.addValues(slotOf(group, 0), this.#young, day * groupCount + group)
      this.unspentSats[day * groupCount + group]! += this.#ownSatsHigh[group]! * addendLimb
    }
    for (let created = 0; created <= day; created++) {
      const held = this.#heldGroups[created]!
      if (held === 0) continue
      const [slot, at] = [slotOf(0, stepOf(day - created)), created * groupCount]
      this.#sums.addUnspentRow(slot, held, created, at, this.unspentSats, this.unspentOutputs)
    }
    const oldest = stepOf(day)
    for (const { slots, groups, columns } of this.#cohorts) {
      this.#sums.writeMeasures(slots[oldest]!, columns)
      for (const group of groups) {
        columns.created_volume[day]! += this.#createdSats[group]! / satsPerCoin
        columns.created_outputs[day]! += this.#createdOutputs[group]!
      }
    }
  }
}

const makeColumns = (days: number) => createColumns([...baseMeasures, ...createdMeasures], days)

/** Groups of an age are neighbours. */
const slotOf = (group: number, step: number): number => step * groupCount + group

/** Index of the part by age (`coinAges`). */
function stepOf(age: number): number {
  let step = 0
  while (step + 1 < coinAges.length && age >= coinAges[step + 1]!) step++
  return step
}
