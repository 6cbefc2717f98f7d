import type { DuckDBConnection } from '@duckdb/node-api'
import { hoursPerDay, secondsPerHour } from '#base/days.ts'
import { streamColumns } from '#sql/columns.ts'
import { bindInputs, type Relation } from '#sql/relation.ts'
import { addendLimb } from '../scan/limbs.ts'
import { recencies, toRecency } from '../scan/recency.ts'
import type { CostBasis } from './cost-basis.ts'
import type { HourPrices } from './hour-prices.ts'
import { addMargin, createMargins, type Margins } from './margins.ts'
import { createColumns } from './number-columns.ts'

/**
 * Value, cost and margins of spends by day, in USD per coin × satoshis; `…1h` for ages of an hour
 * or more.
 */
export interface Valuation extends Readonly<Record<(typeof valuationColumns)[number], Float64Array>> {
  readonly margins: Margins
}
const valuationColumns = ['value', 'cost', 'value1h', 'cost1h'] as const

export const createValuation = (length: number): Valuation => ({
  ...createColumns(valuationColumns, length),
  margins: createMargins(length),
})

/** Coins and spends by day from the first, valued by the hour on days with hourly prices. */
export interface HourValues {
  /** Cost of the day's coins: mean price of its blocks, weighted by created value. */
  readonly cost: Float64Array
  /**
   * Price of spends of coins created before yesterday: mean price of the blocks, weighted by these
   * spends.
   */
  readonly spentPrice: Float64Array
  /** Spends by creation day; yesterday's coins are split at 24 hours. */
  readonly today: Valuation
  readonly yesterdayUnder24h: Valuation
  readonly yesterdayOver24h: Valuation
  readonly cells: YoungCells
}

/**
 * Young spends of new days and their values. Index: (hour − `firstHour`) × `recencies` + recency
 * (`toRecency`).
 */
export interface YoungCells {
  /** Since 1970. */
  readonly firstHour: number
  readonly satsHigh: Float64Array
  readonly satsLow: Float64Array
  readonly values: Valuation
}

/** Few enough to group and sort young spends in memory. */
const hoursPerStep = 1_000 * hoursPerDay

export interface HourInputs {
  readonly prices: HourPrices
  /** By daily closes. */
  readonly basis: CostBasis
  /** Monotone times of all blocks. */
  readonly times: Uint32Array
  /** Unix day. */
  readonly firstDay: number
  /** First day whose spends are valued, from the first. */
  readonly firstNew: number
  /** Cost of each day's coins before `firstNew`; without it, these blocks are read too. */
  readonly knownCost?: Float64Array | undefined
}

/**
 * Values the coins of all days and the spends of new ones.
 * @param from `blocks`, and with new days `segment_young_spends`
 */
export async function valueByHours(
  connection: DuckDBConnection,
  from: readonly Relation[],
  inputs: HourInputs,
): Promise<HourValues> {
  const { prices, basis, firstDay, firstNew, knownCost } = inputs
  const { price, byHour } = prices
  const blocks = await readBlockHours(connection, from, inputs)
  const days = basis.price.length
  const today = createValuation(days)
  const yesterdayUnder24h = createValuation(days)
  const yesterdayOver24h = createValuation(days)
  const firstHour = firstDay * hoursPerDay
  const newHours = (days - firstNew) * hoursPerDay
  const cells = {
    firstHour: firstHour + firstNew * hoursPerDay,
    ...createColumns(['satsHigh', 'satsLow'], newHours * recencies),
    values: createValuation(newHours * recencies),
  }
  const select = (where: string) =>
    `SELECT hour, created_hour, addend_high(sats) AS high, addend_low(sats) AS low,
       addend_high(under_1h) AS high_1h, addend_low(under_1h) AS low_1h, under_24h::DOUBLE AS under_24h
     FROM (
       SELECT hour, created_hour, sum(spent_sats)::BIGINT AS sats,
         sum(spent_sats_under_1h)::BIGINT AS under_1h, sum(spent_sats_under_24h)::BIGINT AS under_24h
       FROM segment_young_spends WHERE ${where} GROUP BY hour, created_hour
     ) ORDER BY hour, created_hour`
  for await (const { rows, columns } of streamHours(connection, from, cells, select)) {
    const { hour, created_hour, high, low, high_1h, low_1h, under_24h } = columns
    for (let row = 0; row < rows; row++) {
      const at = hour![row]! - firstHour
      const createdAt = created_hour![row]! - firstHour
      const day = Math.floor(at / hoursPerDay)
      const sats = high![row]! * addendLimb + low![row]!
      const sats1h = (high![row]! - high_1h![row]!) * addendLimb + (low![row]! - low_1h![row]!)
      const [worth, paid] = [price[at]!, price[createdAt]!]
      const cell = (hour![row]! - cells.firstHour) * recencies + toRecency(hour![row]!, created_hour![row]!)
      cells.satsHigh[cell]! += high![row]!
      cells.satsLow[cell]! += low![row]!
      addSpends(cells.values, cell, sats, sats1h, worth, paid)
      if (createdAt >= day * hoursPerDay) addSpends(today, day, sats, sats1h, worth, paid)
      else {
        const under24h = under_24h![row]!
        addSpends(yesterdayUnder24h, day, under24h, under24h - (sats - sats1h), worth, paid)
        addSpends(yesterdayOver24h, day, sats - under24h, sats - under24h, worth, paid)
      }
    }
  }
  const weigh = (base: Float64Array, satsIn: (hour: number) => number): Float64Array =>
    base.map((close, day) => (byHour[day] === 1 ? meanPrice(price, day, close, satsIn) : close))
  const cost = weigh(basis.cost, (hour) => blocks.createdHigh[hour]! * addendLimb + blocks.createdLow[hour]!)
  if (knownCost) cost.set(knownCost)
  return {
    cost,
    spentPrice: weigh(basis.price, (hour) => {
      let [high, low] = [blocks.spentHigh[hour]!, blocks.spentLow[hour]!]
      const first = (hour + firstHour - cells.firstHour) * recencies
      for (let cell = Math.max(first, 0); cell < first + recencies; cell++) {
        high -= cells.satsHigh[cell]!
        low -= cells.satsLow[cell]!
      }
      return high * addendLimb + low
    }),
    today,
    yesterdayUnder24h,
    yesterdayOver24h,
    cells,
  }
}

/**
 * Streams the rows of the hours of `cells`, some at a time.
 * @param select returns a statement with a WHERE condition for a column `hour`
 */
export async function* streamHours(
  connection: DuckDBConnection,
  from: readonly Relation[],
  { firstHour, satsLow }: YoungCells,
  select: (where: string) => string,
) {
  const endHour = firstHour + satsLow.length / recencies
  for (let first = firstHour; first < endHour; first += hoursPerStep) {
    const where = `hour >= ${first} AND hour < ${Math.min(first + hoursPerStep, endHour)}`
    yield* streamColumns(connection, bindInputs(select(where), { from }))
  }
}

/** Satoshis created and spent in each hour from the first day, high × 2^40 + low. */
async function readBlockHours(
  connection: DuckDBConnection,
  from: readonly Relation[],
  { basis, times, firstDay, firstNew, knownCost }: HourInputs,
) {
  const names = ['createdHigh', 'createdLow', 'spentHigh', 'spentLow'] as const
  const hours = createColumns(names, basis.price.length * hoursPerDay)
  const created = 'coinbase_sats - fees_sats + spent_sats - unspendable_sats'
  const blocks = streamColumns(
    connection,
    bindInputs(
      `SELECT height, addend_high(${created}) AS created_high, addend_low(${created}) AS created_low,
         addend_high(spent_sats) AS spent_high, addend_low(spent_sats) AS spent_low
       FROM blocks
       WHERE date BETWEEN DATE '1970-01-01' + ${knownCost ? firstDay + firstNew : firstDay}
         AND DATE '1970-01-01' + ${firstDay + basis.price.length - 1}`,
      { from },
    ),
  )
  for await (const { rows, columns } of blocks) {
    const { height, created_high, created_low, spent_high, spent_low } = columns
    for (let row = 0; row < rows; row++) {
      const hour = Math.floor(times[height![row]!]! / secondsPerHour) - firstDay * hoursPerDay
      hours.createdHigh[hour]! += created_high![row]!
      hours.createdLow[hour]! += created_low![row]!
      hours.spentHigh[hour]! += spent_high![row]!
      hours.spentLow[hour]! += spent_low![row]!
    }
  }
  return hours
}

function addSpends(to: Valuation, day: number, sats: number, sats1h: number, worth: number, paid: number): void {
  to.value[day]! += sats * worth
  to.cost[day]! += sats * paid
  to.value1h[day]! += sats1h * worth
  to.cost1h[day]! += sats1h * paid
  addMargin(to.margins, day, sats, paid, worth)
}

function meanPrice(price: Float64Array, day: number, close: number, satsIn: (hour: number) => number): number {
  let total = 0
  // Sums differences from the close, so that a constant price gives exactly the close.
  let more = 0
  for (let hour = day * hoursPerDay; hour < (day + 1) * hoursPerDay; hour++) {
    const sats = satsIn(hour)
    total += sats
    more += sats * (price[hour]! - close)
  }
  return total > 0 ? close + more / total : close
}
