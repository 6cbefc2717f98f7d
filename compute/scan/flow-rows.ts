import { hoursPerDay, secondsPerDay, secondsPerHour } from '#base/days.ts'
import { carry, limb } from './limbs.ts'

/** Sums over a day's spends per creation day. Satoshis and sat-seconds have two limbs each. */
export const flowColumns = [
  'spent_sats_low',
  'spent_sats_high',
  'spent_outputs',
  'sat_seconds_low',
  'sat_seconds_high',
  'output_seconds',
] as const

/**
 * Sums over one hour's spends of coins from another hour: the value of all, and all sums of those
 * aged under 1 and under 24 hours.
 */
export const youngColumns = [
  'spent_sats_low',
  'spent_sats_high',
  ...flowColumns.map((column) => `${column}_under_1h` as const),
  ...flowColumns.map((column) => `${column}_under_24h` as const),
] as const

const sumsPerAge = flowColumns.length
const [satsLow, satsHigh, spentOutputs, satSecondsLow, satSecondsHigh, outputSeconds] = [0, 1, 2, 3, 4, 5]

/** Doubles per row: one cache line per age class (24 hours or more, 1 to 24, under 1). */
const cacheLine = 8
const stride = 3 * cacheLine

/** Creation hours with own rows: the day of spending and the day before. */
export const youngHours = 2 * hoursPerDay

/**
 * Sums of a day's spends by creation day from genesis. `youngHours` more rows, by creation hour,
 * have coins of the day before and of the day itself; they are drained after each hour. Reused each
 * day: adding an input allocates nothing.
 */
export class FlowRows {
  readonly #days: number
  readonly #rows: Float64Array
  /** Rows with sums, once per age class; hourly rows, once per hour. */
  readonly #touched: Int32Array
  #touchedCount = 0
  /** Passed to the callback of `drainHour`, in the order of `youngColumns`. */
  readonly #young = new Float64Array(youngColumns.length)
  readonly #under1h = this.#young.subarray(2, 2 + sumsPerAge)
  readonly #under24h = this.#young.subarray(2 + sumsPerAge)
  readonly #sums = new Float64Array(sumsPerAge)

  constructor(days: number) {
    this.#days = days
    this.#rows = new Float64Array((days + youngHours) * stride)
    this.#touched = new Int32Array(3 * (days + hoursPerDay * youngHours))
  }

  /**
   * Adds a spent output.
   * @param row creation day, or `days` plus the hours from the start of the day before to its
   *   creation
   * @param age in seconds, below 2^31
   */
  addSpent(row: number, sats: number, age: number): void {
    const rows = this.#rows
    // Ages are above or below an hour and a day at random: sign bits are faster than branches.
    const ageClass = ((age - secondsPerDay) >>> 31) + ((age - secondsPerHour) >>> 31)
    const at = row * stride + ageClass * cacheLine
    if (rows[at + spentOutputs] === 0) this.#touched[this.#touchedCount++] = row
    const satsSum = rows[at + satsLow]! + sats
    rows[at + satsLow] = satsSum
    if (satsSum >= limb) carry(rows, at + satsLow)
    rows[at + spentOutputs]! += 1
    rows[at + outputSeconds]! += age
    const product = sats * age
    // The product of two integers is exact below one limb.
    if (product < limb) {
      const low = rows[at + satSecondsLow]! + product
      if (low < limb) rows[at + satSecondsLow] = low
      else {
        rows[at + satSecondsLow] = low - limb
        rows[at + satSecondsHigh]! += 1
      }
    } else addLongProduct(rows, at + satSecondsLow, sats, age)
  }

  /**
   * Passes each hourly row with sums to `onRow`, in the order of `youngColumns`, and adds it to its
   * creation day.
   * @param day day of spending
   * @param onRow its `young` is valid until the next row
   */
  drainHour(day: number, onRow: (createdHour: number, young: Float64Array) => void): void {
    const rows = this.#rows
    const young = this.#young
    const sums = this.#sums
    for (let createdHour = 0; createdHour < youngHours; createdHour++) {
      const at = (this.#days + createdHour) * stride
      if (this.#sumAges(at) === 0) continue
      young[0] = sums[satsLow]!
      young[1] = sums[satsHigh]!
      onRow(createdHour, young)
      const createdDay = createdHour < hoursPerDay ? day - 1 : day
      const whole = createdDay * stride
      if (rows[whole + spentOutputs] === 0) this.#touched[this.#touchedCount++] = createdDay
      for (let i = 0; i < sumsPerAge; i++) rows[whole + i]! += sums[i]!
      carrySums(rows, whole)
      rows.fill(0, at, at + stride)
    }
  }

  /**
   * Passes the sums of each creation day, ascending, to `onRow`, and clears them. `sums` is valid
   * until the next row.
   */
  drain(onRow: (createdDay: number, sums: Float64Array) => void): void {
    let last = -1
    for (const createdDay of this.#touched.subarray(0, this.#touchedCount).sort()) {
      if (createdDay === last) continue
      if (createdDay >= this.#days) break
      last = createdDay
      const at = createdDay * stride
      this.#sumAges(at)
      onRow(createdDay, this.#sums)
      this.#rows.fill(0, at, at + stride)
    }
    this.#touchedCount = 0
  }

  /** Adds up the age classes of the row at `at`. Returns its number of outputs. */
  #sumAges(at: number): number {
    const rows = this.#rows
    for (let i = 0; i < sumsPerAge; i++) {
      const under1h = rows[at + 2 * cacheLine + i]!
      const under24h = under1h + rows[at + cacheLine + i]!
      this.#under1h[i] = under1h
      this.#under24h[i] = under24h
      this.#sums[i] = under24h + rows[at + i]!
    }
    carrySums(this.#under24h, 0)
    carrySums(this.#sums, 0)
    return this.#sums[spentOutputs]!
  }
}

function carrySums(sums: Float64Array, at: number): void {
  carry(sums, at + satsLow)
  carry(sums, at + satSecondsLow)
}

/** Adds a product beyond 2^53 exactly, in parts. */
function addLongProduct(rows: Float64Array, low: number, sats: number, age: number): void {
  const upper = Math.floor(sats / 2 ** 21)
  const top = (upper >>> 15) * age
  const middle = (upper & 0x7fff) * age
  const bottom = (sats - upper * 2 ** 21) * age
  const topCarry = Math.floor(top / 2 ** 14)
  const middleCarry = Math.floor(middle / 2 ** 29)
  rows[low + 1]! += topCarry + middleCarry
  rows[low]! += (top - topCarry * 2 ** 14) * 2 ** 36 + (middle - middleCarry * 2 ** 29) * 2 ** 21 + bottom
  carry(rows, low)
}
