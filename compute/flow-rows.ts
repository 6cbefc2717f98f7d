import { maxMoneySats } from '#ingest/chain/block.ts'

/** Columns of a flow row while it is being added up; see `FlowRows`. */
export const flowColumns = [
  'spent_sats',
  'spent_outputs',
  'sat_seconds_low',
  'sat_seconds_high',
  'output_seconds',
  'created_sats',
  'created_outputs',
  'spent_sats_under_1h',
  'spent_outputs_under_1h',
  'sat_seconds_under_1h_low',
  'sat_seconds_under_1h_high',
  'output_seconds_under_1h',
  'spent_sats_under_24h',
  'spent_outputs_under_24h',
  'sat_seconds_under_24h_low',
  'sat_seconds_under_24h_high',
  'output_seconds_under_24h',
] as const

export type FlowColumn = (typeof flowColumns)[number]

/** Doubles a row takes: the columns, rounded up so that a row's first and most used ones share a cache line. */
const stride = 24
const [spentOutputs, satSecondsLow, outputSeconds, createdSats, createdOutputs] = [1, 2, 4, 5, 6]
const under1h = 7
const under24h = 12

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
    if (rows[row + spentOutputs] === 0 && rows[row + createdOutputs] === 0) {
      this.#touched[this.#touchedCount++] = createdDay
    }
    rows[row]! += sats
    rows[row + spentOutputs]! += 1
    rows[row + outputSeconds]! += age
    this.#addSatSeconds(row + satSecondsLow, sats, age)
    if (age < day) {
      this.#addYoung(row + under24h, sats, age)
      if (age < hour) this.#addYoung(row + under1h, sats, age)
    }
  }

  /** Adds the spendable outputs that a block of the day creates. */
  addCreated(createdDay: number, sats: number, outputs: number): void {
    if (outputs === 0) return
    const row = createdDay * stride
    if (this.#rows[row + spentOutputs] === 0 && this.#rows[row + createdOutputs] === 0) {
      this.#touched[this.#touchedCount++] = createdDay
    }
    this.#rows[row + createdSats]! += sats
    this.#rows[row + createdOutputs]! += outputs
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
    // Below one limb the product of two integers is exact; above it is put together from parts that are.
    if (product < limb) rows[low]! += product
    else {
      const high = Math.floor(sats / 2 ** 21)
      const highest = Math.floor(high / 2 ** 15) * age
      const middle = (high % 2 ** 15) * age
      const lowest = (sats % 2 ** 21) * age
      rows[low + 1]! += Math.floor(highest / 2 ** 14) + Math.floor(middle / 2 ** 29)
      rows[low]! += (highest % 2 ** 14) * 2 ** 36 + (middle % 2 ** 29) * 2 ** 21
      rows[low]! += lowest
    }
    while (rows[low]! >= limb) {
      rows[low]! -= limb
      rows[low + 1]! += 1
    }
  }

  /** Hands out the rows that were added to, by ascending creation day, and empties them. */
  drain(onRow: (createdDay: number, values: Float64Array) => void): void {
    const touched = this.#touched.subarray(0, this.#touchedCount).sort()
    for (const createdDay of touched) {
      const values = this.#rows.subarray(createdDay * stride, createdDay * stride + flowColumns.length)
      if (values[0]! > maxExactSum || values[createdSats]! > maxExactSum) {
        throw new RangeError(`more than ${maxExactSum} satoshis moved in one day`)
      }
      onRow(createdDay, values)
      values.fill(0)
    }
    this.#touchedCount = 0
  }
}

/** Sums of satoshis up to here are exact; a day of Bitcoin never moved more than half of all coins. */
const maxExactSum = 4 * maxMoneySats
