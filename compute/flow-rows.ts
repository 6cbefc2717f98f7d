import { maxMoneySats } from '#ingest/chain/block.ts'

/** What is added up for the spends of a day, per creation day. Sat-seconds stand in two limbs; see `limb`. */
export const flowColumns = [
  'spent_sats',
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

/** Doubles a row takes: its sums, rounded up to two cache lines, of which old spends touch the first alone. */
const stride = 16
const [spentOutputs, satSecondsLow, outputSeconds] = [1, 2, 4]
const under1h = flowColumns.length
const under24h = 2 * flowColumns.length

const hour = 3600
const day = 86_400

/**
 * Sat-seconds pass 2^53, so they are kept in two limbs, low + high × 2^50, and stay exact integers.
 */
export const limb = 2 ** 50

/**
 * What the spends of one day took from each creation day. Rows are indexed by creation day, counted from genesis; one
 * object serves day after day, so that adding an input allocates nothing.
 */
export class FlowRows {
  #rows: Float64Array
  #touched: Int32Array
  #touchedCount = 0

  /** `days` bounds the row index. */
  constructor(days: number) {
    this.#rows = new Float64Array(days * stride)
    this.#touched = new Int32Array(days)
  }

  /** Adds one spent output: `createdDay` is its row, `age` the seconds since it was created. */
  addSpent(createdDay: number, sats: number, age: number): void {
    const rows = this.#rows
    const row = createdDay * stride
    if (rows[row + spentOutputs] === 0) this.#touched[this.#touchedCount++] = createdDay
    rows[row]! += sats
    rows[row + spentOutputs]! += 1
    rows[row + outputSeconds]! += age
    this.#addSatSeconds(row + satSecondsLow, sats, age)
    if (age < day) {
      this.#addYoung(row + under24h, sats, age)
      if (age < hour) this.#addYoung(row + under1h, sats, age)
    }
  }

  #addYoung(at: number, sats: number, age: number): void {
    const rows = this.#rows
    rows[at]! += sats
    rows[at + 1]! += 1
    this.#addSatSeconds(at + 2, sats, age)
    rows[at + 4]! += age
  }

  #addSatSeconds(low: number, sats: number, age: number): void {
    const rows = this.#rows
    const product = sats * age
    // Below one limb the product of two integers is exact; above it is put together from three parts that are.
    if (product < limb) rows[low]! += product
    else {
      const upper = Math.floor(sats / 2 ** 21)
      const top = (upper >>> 15) * age
      const middle = (upper & 0x7fff) * age
      const bottom = (sats - upper * 2 ** 21) * age
      const topCarry = Math.floor(top / 2 ** 14)
      const middleCarry = Math.floor(middle / 2 ** 29)
      rows[low + 1]! += topCarry + middleCarry
      rows[low]! += (top - topCarry * 2 ** 14) * 2 ** 36 + (middle - middleCarry * 2 ** 29) * 2 ** 21 + bottom
    }
    while (rows[low]! >= limb) {
      rows[low]! -= limb
      rows[low + 1]! += 1
    }
  }

  /**
   * Hands out the rows that were added to, by ascending creation day, and empties them. `young` is `undefined` where no
   * output was younger than 24 hours.
   */
  drain(onRow: (createdDay: number, sums: Float64Array, young: Float64Array | undefined) => void): void {
    const touched = this.#touched.subarray(0, this.#touchedCount).sort()
    for (const createdDay of touched) {
      const values = this.#rows.subarray(createdDay * stride, (createdDay + 1) * stride)
      const sums = values.subarray(0, flowColumns.length)
      if (sums[0]! > maxExactSum) throw new RangeError(`more than ${maxExactSum} satoshis were spent in one day`)
      const young = values.subarray(under1h, under1h + youngColumns.length)
      onRow(createdDay, sums, values[under24h + spentOutputs]! > 0 ? young : undefined)
      values.fill(0)
    }
    this.#touchedCount = 0
  }
}

/** Sums of satoshis up to here are exact; a day of Bitcoin never moved more than half of all coins. */
const maxExactSum = 4 * maxMoneySats
