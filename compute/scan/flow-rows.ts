import { secondsPerDay } from '#root/days.ts'
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

/** The same sums over the spends of outputs younger than an hour, and younger than 24 hours. */
export const youngColumns = [
  ...flowColumns.map((column) => `${column}_under_1h` as const),
  ...flowColumns.map((column) => `${column}_under_24h` as const),
] as const

const sumsPerAge = flowColumns.length
const [satsLow, spentOutputs, satSecondsLow, satSecondsHigh, outputSeconds] = [0, 2, 3, 4, 5]

/**
 * Doubles a row takes: the sums over spends at an age of 24 hours or more, of one to 24 hours, and of less than an hour,
 * each in a cache line of its own.
 */
const line = 8
const stride = 3 * line

const hour = 3600

/**
 * What the spends of one day took from each creation day. Rows are indexed by creation day, counted from genesis; one
 * object serves day after day, so that adding an input allocates nothing.
 */
export class FlowRows {
  readonly #rows: Float64Array
  /** Rows that were added to, once for each kind of age. */
  readonly #touched: Int32Array
  #touchedCount = 0

  /** `days` bounds the row index. */
  constructor(days: number) {
    this.#rows = new Float64Array(days * stride)
    this.#touched = new Int32Array(3 * days)
  }

  /** Adds one spent output: `createdDay` is its row, `age` the seconds since it was created, below 2^31. */
  addSpent(createdDay: number, sats: number, age: number): void {
    const rows = this.#rows
    // Spends fall to either side of an hour and of a day at random: sign bits are faster than branches.
    const youth = ((age - secondsPerDay) >>> 31) + ((age - hour) >>> 31)
    const at = createdDay * stride + youth * line
    if (rows[at + spentOutputs] === 0) this.#touched[this.#touchedCount++] = createdDay
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
   * Hands out the rows that were added to, by ascending creation day, and empties them. `young` is `undefined` where no
   * output was younger than 24 hours. Both arrays hold good until the next row.
   */
  drain(onRow: (createdDay: number, sums: Float64Array, young: Float64Array | undefined) => void): void {
    const rows = this.#rows
    const sums = new Float64Array(sumsPerAge)
    const young = new Float64Array(2 * sumsPerAge)
    const under1h = young.subarray(0, sumsPerAge)
    const under24h = young.subarray(sumsPerAge)
    let last = -1
    for (const createdDay of this.#touched.subarray(0, this.#touchedCount).sort()) {
      if (createdDay === last) continue
      last = createdDay
      const at = createdDay * stride
      under1h.set(rows.subarray(at + 2 * line, at + 2 * line + sumsPerAge))
      addSums(under24h, under1h, rows.subarray(at + line, at + line + sumsPerAge))
      addSums(sums, under24h, rows.subarray(at, at + sumsPerAge))
      onRow(createdDay, sums, under24h[spentOutputs]! > 0 ? young : undefined)
      rows.fill(0, at, at + stride)
    }
    this.#touchedCount = 0
  }
}

/** Writes the sums over two kinds of spends together. */
function addSums(both: Float64Array, one: Float64Array, other: Float64Array): void {
  for (let i = 0; i < sumsPerAge; i++) both[i] = one[i]! + other[i]!
  carry(both, satsLow)
  carry(both, satSecondsLow)
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
