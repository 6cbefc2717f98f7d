import { satsPerCoin } from '#base/bitcoin.ts'
import { secondsPerDay } from '#base/days.ts'
import { type CoinCohort, coinAges, groupCount, groupsOf } from '#contract/coin-cohorts.ts'
import { kinds } from '#contract/kinds.ts'
import type { ReadColumn } from '#sql/columns.ts'
import { baseMeasures, createdMeasures } from './base-measures.ts'
import type { CohortColumns } from './cohort-pass.ts'
import type { Cohort } from './cohorts.ts'
import type { CostBasis } from './cost-basis.ts'
import { type DayListener, DayPass } from './day-pass.ts'
import { DaySums } from './day-sums.ts'
import type { HourValues } from './hour-values.ts'
import { createColumns } from './number-columns.ts'

/** Measures that need no age finer than a day. */
const measures = baseMeasures.filter((measure) => !measure.includes('_1h'))

type Changes = Readonly<Record<string, ReadColumn>>

/** Groups of each kind, three in a row. */
const groups = Uint8Array.from(kinds.flatMap((kind) => groupsOf(kind)))

/**
 * One pass over all days for cohorts by size, script type and origin. Element `created * groupCount
 * + group` of its arrays has the unspent coins of a creation day and group. It knows whole days
 * only: spends are valued by the day's price (with `hourly`, the mean of its hours), and coin days
 * count from creation day to spending day.
 */
export class CoinPass extends DayPass {
  readonly columns: CohortColumns
  readonly #cohorts: readonly (Pick<CoinCohort, 'groups'> & {
    /** By the oldest part by age that has begun. */
    readonly slots: readonly (readonly number[])[]
    readonly columns: ReturnType<typeof makeColumns>
  })[]
  readonly #sums: DaySums
  readonly #createdSats = new Float64Array(groupCount)
  readonly #createdOutputs = new Float64Array(groupCount)
  readonly #spend = { sats: 0, outputs: 0, secondsHigh: 0, secondsLow: 0, sats1h: 0 }
  #changes: Changes = {}
  /** First row not yet applied. */
  #change = 0

  constructor(cohorts: readonly Cohort[], basis: CostBasis, hourly: HourValues | undefined, onDayClosed: DayListener) {
    const days = basis.price.length
    super(days, groupCount, onDayClosed)
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

  /**
   * Adds the creations of the next days, before their spends: outputs of a kind created on `day`
   * (`made_…`), and the increase of those of the day `created` (`sats`, `outputs`), less the day's
   * spends of its own.
   */
  addChanges(columns: Changes): void {
    while (this.#change < (this.#changes.day?.length ?? 0)) this.nextDay()
    this.#changes = columns
    this.#change = 0
  }

  /**
   * Adds rows of `kind_flows`, sorted by day: spends on `day` of a kind created on the day
   * `created`.
   */
  addFlows(rows: number, columns: Readonly<Record<string, ReadColumn>>): void {
    const { day, created, kind, sats, outputs } = columns
    const spend = this.#spend
    for (let row = 0; row < rows; row++) {
      while (this.day < day![row]!) this.nextDay()
      const from = created![row]!
      const age = this.day - from
      const step = stepOf(age)
      spend.sats = sats![row]!
      spend.outputs = outputs![row]!
      spend.secondsLow = spend.sats * age * secondsPerDay
      for (let i = 3 * kind![row]!; i < 3 * kind![row]! + 3; i++) {
        const group = groups[i]!
        this.#sums.addSpend(slotOf(group, step), 1, from, spend)
        if (age === 0) continue
        const at = from * groupCount + group
        this.unspentSats[at]! -= spend.sats
        this.unspentOutputs[at]! -= spend.outputs
      }
    }
  }

  #applyChanges(): void {
    const { day, created, kind, made_sats, made_outputs, sats, outputs } = this.#changes
    for (; this.#change < (day?.length ?? 0) && day![this.#change] === this.day; this.#change++) {
      const row = this.#change
      for (let i = 3 * kind![row]!; i < 3 * kind![row]! + 3; i++) {
        const group = groups[i]!
        const at = created![row]! * groupCount + group
        this.unspentSats[at]! += sats![row]!
        this.unspentOutputs[at]! += outputs![row]!
        this.#createdSats[group]! += made_sats![row]!
        this.#createdOutputs[group]! += made_outputs![row]!
      }
    }
  }

  protected openDay(): void {
    this.#sums.begin(this.day)
    this.#createdSats.fill(0)
    this.#createdOutputs.fill(0)
    this.#applyChanges()
  }

  protected closeDay(): void {
    const { day } = this
    for (let created = 0; created <= day; created++) {
      const slot = slotOf(0, stepOf(day - created))
      const at = created * groupCount
      this.#sums.addUnspentRow(slot, groupCount, created, at, this.unspentSats, this.unspentOutputs)
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
