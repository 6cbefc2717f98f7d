import { hoursPerDay, secondsPerDay, secondsPerHour } from '#base/days.ts'
import { carry, limb } from './limbs.ts'

/** What is added up for the spends of a day, per creation day. Satoshis and sat-seconds stand in two limbs. */
export const flowColumns = [
  'spent_sats_low',
  'spent_sats_high',
  'spent_outputs',
  'sat_seconds_low',
  'sat_seconds_high',
  'output_seconds',
] as const

/** Of the spends of one hour from another: their value, and the sums over those younger than an hour, and than 24 hours. */
export const youngColumns = [
  'spent_sats_low',
  'spent_sats_high',
  ...flowColumns.map((column) => `${column}_under_1h` as const),
  ...flowColumns.map((column) => `${column}_under_24h` as const),
] as const

const sumsPerAge = flowColumns.length
const [satsLow, satsHigh, spentOutputs, satSecondsLow, satSecondsHigh, outputSeconds] = [0, 1, 2, 3, 4, 5]

/**
 * Doubles a row takes: the sums over spends at an age of 24 hours or more, of one to 24 hours, and of less than an hour,
 * each in a cache line of its own.
 */
const line = 8
const stride = 3 * line

/** Hours of creation that are told apart: those of the day of spending and of the day before. */
export const youngHours = 2 * hoursPerDay

/**
 * What the spends of one day took from each creation day. Rows are indexed by creation day, counted from genesis; behind
 * them come `youngHours` rows for the coins of the day before and of the day itself, by their hour, which are drained after
 * each hour. One object serves day after day, so that adding an input allocates nothing.
 */
export class FlowRows {
  readonly #days: number
  readonly #rows: Float64Array
  /** Rows that were added to, once for each kind of age; those by the hour, once in every hour. */
  readonly #touched: Int32Array
  #touchedCount = 0
  /** What is handed out: the value of all spends of an hour, then the sums over the younger ones. */
  readonly #young = new Float64Array(youngColumns.length)
  readonly #under1h = this.#young.subarray(2, 2 + sumsPerAge)
  readonly #under24h = this.#young.subarray(2 + sumsPerAge)
  readonly #sums = new Float64Array(sumsPerAge)

  /** `days` bounds the creation days. */
  constructor(days: number) {
    this.#days = days
    this.#rows = new Float64Array((days + youngHours) * stride)
    this.#touched = new Int32Array(3 * (days + hoursPerDay * youngHours))
  }

  /**
   * Adds one spent output: `row` is its creation day, or `days` and the hours from the beginning of the day before to its
   * creation; `age` the seconds since then, below 2^31.
   */
  addSpent(row: number, sats: number, age: number): void {
    const rows = this.#rows
    // Spends fall to either side of an hour and of a day at random: sign bits are faster than branches.
    const youth = ((age - secondsPerDay) >>> 31) + ((age - secondsPerHour) >>> 31)
    const at = row * stride + youth * line
    if (rows[at + spentOutputs] === 0) this.#touched[this.#touchedCount++] = row
    const satsSum = rows[at + satsLow]! + sats
    rows[at + satsLow] = satsSum
    if (satsSum >= limb) carry(rows, at + satsLow)
    rows[at + spentOutputs]! += 1
    rows[at + outputSeconds]! += age
    const product = sats * age
    // Below one limb the product of two integers is exact.
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
   * Hands out the rows by the hour that were added to, in the order of `youngColumns`, and adds them to those of their
   * creation days, of which `day` is the day itself. `young` holds good until the next row.
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
   * Hands out what was taken from each creation day, ascending, in the order of `flowColumns`, and empties the rows; those by
   * the hour are drained already. `sums` holds good until the next row.
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

  /** Adds up the ages of the row that begins at `at`, and returns how many outputs it has. */
  #sumAges(at: number): number {
    const rows = this.#rows
    for (let i = 0; i < sumsPerAge; i++) {
      const under1h = rows[at + 2 * line + i]!
      const under24h = under1h + rows[at + line + i]!
      this.#under1h[i] = under1h
      this.#under24h[i] = under24h
      this.#sums[i] = under24h + rows[at + i]!
    }
    carrySums(this.#under24h, 0)
    carrySums(this.#sums, 0)
    return this.#sums[spentOutputs]!
  }
}

/** Carries in both sums of two limbs, of a row that begins at `at`. */
function carrySums(sums: Float64Array, at: number): void {
  carry(sums, at + satsLow)
  carry(sums, at + satSecondsLow)
}

/** Adds a product that only its parts hold exactly. */
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
