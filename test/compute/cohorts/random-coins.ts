import { type BaseMeasure, baseMeasures } from '#compute/cohorts/base-measures.ts'
import { CohortPass } from '#compute/cohorts/cohort-pass.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import type { DailyCoins } from '#compute/cohorts/daily-coins.ts'
import type { HourPrices } from '#compute/cohorts/hour-prices.ts'
import type { HourValues } from '#compute/cohorts/hour-values.ts'
import { coinCohorts } from '#contract/coin-cohorts.ts'
import type { Random } from '../../support/random.ts'
import { membership } from '../catalogue/replayed-measures.ts'

/** Coins made by chance, what the pass makes of them, and what adding them up one by one does. */

/** An unspent output or a spent one; times in seconds since the first midnight. */
export interface Coin {
  readonly sats: number
  readonly created: number
  /** Missing for coins that stay. */
  readonly spent?: number | undefined
  /** Left the supply without being spent, as a coinbase that another replaced. */
  readonly overwritten?: boolean
}

export const day = 86_400
export const hour = 3600
const limb = 2n ** 40n
const high = (number: bigint): number => Number(number / limb)
const low = (number: bigint): number => Number(number % limb)
export const firstDay = 14_247
export const firstNewYear = 363
export const dayOfTime = (time: number): number => Math.floor(time / day)

/** Close by days counted from the first, NaN where there is none. */
export type Prices = readonly number[]

/** Cost of a coin by day: the last price up to it, 0 before the first. */
export function listCosts(prices: Prices): number[] {
  let cost = 0
  return prices.map((price) => (cost = Number.isNaN(price) ? cost : price))
}

/** The columns of the pass over these coins, fed in the pieces in which the pipeline feeds it. */
export function passOver(
  coins: readonly Coin[],
  prices: Prices,
  halvings: readonly number[],
  unpriced: readonly number[] = [],
  hourly?: HourValues,
): CohortPass['columns'] {
  const days = prices.length
  const column = (): Float64Array => new Float64Array(days)
  const daily = {
    createdSatsHigh: column(),
    createdSatsLow: column(),
    createdOutputs: column(),
    youngSats: column(),
    youngOutputs: column(),
    youngSecondsHigh: column(),
    youngSecondsLow: column(),
    underHourTodayHigh: column(),
    underHourTodayLow: column(),
    underHourYesterday: column(),
  }
  const createdSats = new Array<bigint>(days).fill(0n)
  const underHourToday = new Array<bigint>(days).fill(0n)
  const overwritten: Array<DailyCoins['overwritten'][number]> = []
  const flows = new Map<number, { sats: bigint; outputs: number; seconds: bigint }>()
  const youngSeconds = new Array<bigint>(days).fill(0n)
  for (const { sats, created, spent, overwritten: lost } of coins) {
    const from = dayOfTime(created)
    createdSats[from] = (createdSats[from] ?? 0n) + BigInt(sats)
    add(daily.createdOutputs, from, 1)
    if (spent === undefined || dayOfTime(spent) >= days) continue
    const at = dayOfTime(spent)
    if (lost) {
      overwritten.push({ day: at, createdDay: from, sats, outputs: 1 })
      continue
    }
    const age = spent - created
    const row = flows.get(at * days + from) ?? { sats: 0n, outputs: 0, seconds: 0n }
    row.sats += BigInt(sats)
    row.outputs++
    row.seconds += BigInt(sats) * BigInt(age)
    flows.set(at * days + from, row)
    if (age < hour && from === at) underHourToday[at] = (underHourToday[at] ?? 0n) + BigInt(sats)
    else if (age < hour) add(daily.underHourYesterday, at, sats)
    if (age < day && from < at) {
      add(daily.youngSats, at, sats)
      add(daily.youngOutputs, at, 1)
      youngSeconds[at] = (youngSeconds[at] ?? 0n) + BigInt(sats) * BigInt(age)
    }
  }
  daily.createdSatsHigh.set(createdSats.map(high))
  daily.createdSatsLow.set(createdSats.map(low))
  daily.youngSecondsHigh.set(youngSeconds.map(high))
  daily.youngSecondsLow.set(youngSeconds.map(low))
  daily.underHourTodayHigh.set(underHourToday.map(high))
  daily.underHourTodayLow.set(underHourToday.map(low))
  const blocks = Int32Array.from({ length: days }, (_, at) => firstDay + at)
  const interval = (halvings[1] ?? days) - (halvings[0] ?? 0)
  const cohorts = listCohorts({ days: blocks }, interval, firstDay + days - 1)
  const basis = {
    price: Float64Array.from(prices),
    cost: hourly?.cost ?? Float64Array.from(listCosts(prices)),
    unpriced: Uint8Array.from(prices, (_, at) => (unpriced.includes(at) ? 1 : 0)),
  }
  const pass = new CohortPass(firstDay, cohorts, basis, { ...daily, overwritten }, hourly, () => {})
  // Rows come in chunks, here of a few.
  const rows = [...flows].sort(([a], [b]) => a - b)
  for (let at = 0; at < rows.length; at += 7) {
    const chunk = rows.slice(at, at + 7)
    pass.addFlows({
      date: Int32Array.from(chunk, ([key]) => firstDay + Math.floor(key / days)),
      created_date: Int32Array.from(chunk, ([key]) => firstDay + (key % days)),
      sats_high: Float64Array.from(chunk, ([, { sats }]) => high(sats)),
      sats_low: Float64Array.from(chunk, ([, { sats }]) => low(sats)),
      outputs: Float64Array.from(chunk, ([, { outputs }]) => outputs),
      seconds_high: Float64Array.from(chunk, ([, { seconds }]) => high(seconds)),
      seconds_low: Float64Array.from(chunk, ([, { seconds }]) => low(seconds)),
    })
  }
  pass.finish()
  return pass.columns
}

function add(column: Float64Array, at: number, value: number): void {
  column[at] = (column[at] ?? 0) + value
}

/**
 * The measures of a cohort on a day, coin by coin. Cohorts by age take spends younger than 24 hours
 * as of age 0. `costs` are those of the coins of each day; `valued` says what a spent coin had cost
 * and was worth, by default by the day.
 */
function expectedMeasures(
  coins: readonly Coin[],
  at: number,
  belongs: (created: number, age: number) => number,
  prices: Prices,
  costs: ArrayLike<number>,
  valued: (coin: Coin, at: number) => Valued,
): Record<BaseMeasure, number> {
  const price = prices[at] ?? Number.NaN
  const sums = { ...nothing }
  const count = (measure: BaseMeasure, value: number): void => {
    sums[measure] += value
  }
  for (const coin of coins) {
    const { sats, created, spent = Number.POSITIVE_INFINITY, overwritten } = coin
    const from = dayOfTime(created)
    if (from > at || dayOfTime(spent) < at) continue
    const cost = costs[from] ?? Number.NaN
    if (dayOfTime(spent) > at) {
      const share = belongs(firstDay + from, at - from)
      const btc = (share * sats) / 1e8
      count('supply_sats', share * sats)
      count('utxo_count', share)
      count('realized_cap', btc * cost)
      count('supply_in_profit', cost < price ? btc : 0)
      count('supply_in_loss', cost > price ? btc : 0)
      count('unrealized_profit', cost < price ? btc * (price - cost) : 0)
      count('unrealized_loss', cost > price ? btc * (cost - price) : 0)
      continue
    }
    if (overwritten) continue
    const age = spent - created
    const share = belongs(firstDay + from, age < day ? 0 : at - from)
    const btc = (share * sats) / 1e8
    const { paid, worth } = valued(coin, at)
    count('spent_volume', btc)
    count('spent_volume_usd', btc * worth)
    count('spent_outputs', share)
    count('spent_volume_in_profit', paid < worth ? btc : 0)
    count('spent_volume_in_loss', paid > worth ? btc : 0)
    count('spent_cost', btc * paid)
    count('realized_profit', paid < worth ? btc * (worth - paid) : 0)
    count('realized_loss', paid > worth ? btc * (paid - worth) : 0)
    count('coindays_destroyed', (btc * age) / day)
    count('spent_volume_1h', age < hour ? 0 : btc)
    count('spent_volume_1h_usd', age < hour ? 0 : btc * worth)
    count('spent_cost_1h', age < hour ? 0 : btc * paid)
  }
  for (const measure of baseMeasures) {
    if (Number.isNaN(price) && !needNoPrice.includes(measure)) sums[measure] = Number.NaN
  }
  return sums
}

/** Measures that do not depend on prices. */
const needNoPrice: readonly BaseMeasure[] = [
  'supply_sats',
  'utxo_count',
  'spent_volume',
  'spent_outputs',
  'coindays_destroyed',
  'spent_volume_1h',
]

const nothing: Readonly<Record<BaseMeasure, number>> = {
  supply_sats: 0,
  utxo_count: 0,
  realized_cap: 0,
  supply_in_profit: 0,
  supply_in_loss: 0,
  unrealized_profit: 0,
  unrealized_loss: 0,
  spent_volume: 0,
  spent_volume_usd: 0,
  spent_outputs: 0,
  spent_volume_in_profit: 0,
  spent_volume_in_loss: 0,
  spent_cost: 0,
  realized_profit: 0,
  realized_loss: 0,
  coindays_destroyed: 0,
  spent_volume_1h: 0,
  spent_volume_1h_usd: 0,
  spent_cost_1h: 0,
}

/**
 * Seconds between creation and spending, many of them around the edges that matter; undefined for
 * ever.
 */
function randomAge(random: Random, days: number): number | undefined {
  switch (random.between(0, 6)) {
    case 0:
      return random.between(0, hour)
    case 1:
      return random.between(hour - 1, day + 1)
    case 2:
      return random.between(day - hour, 3 * day)
    case 3:
      return random.between(0, 100 * day)
    case 4:
      return random.pick([99, 100, 101, 154, 155, 156, 209, 210, 211, 212]) * day
    case 5:
      return random.between(0, days * day)
    default:
      return undefined
  }
}

/** Coins of all sizes and ages over some days, of which some see no coin at all. */
export function randomCoins(
  random: Random,
  days: number,
  count: number,
  boundaries: readonly [number, ...number[]],
): Coin[] {
  return Array.from({ length: count }, () => {
    // Every tenth in the evening before a year or an epoch begins.
    const evening = random.pick(boundaries) * day - random.between(1, 6 * hour)
    const created = random.next() < 0.1 ? evening : random.between(0, days * day - 1)
    const sats = Math.floor(10 ** (12 * random.next())) - 1
    const age = randomAge(random, days)
    const spent = age === undefined ? undefined : created + age
    return { sats, created, spent, overwritten: age !== undefined && age > 40 * day && random.next() < 0.05 }
  })
}

/** A price that multiplies and collapses, begins late and has holes. */
export function randomPrices(random: Random, days: number): number[] {
  let price = 0.05
  return Array.from({ length: days }, (_, at) => {
    price *= Math.exp(0.3 * (random.next() - 0.45))
    return at < 30 || random.next() < 0.03 ? Number.NaN : price
  })
}

/**
 * Sums of doubles differ with their order; a smooth share is rounded to whole satoshis and outputs.
 */
function isClose(value: number, expected: number, measure: BaseMeasure, cohort: string, precision: number): boolean {
  if (Number.isNaN(expected)) return Number.isNaN(value)
  const whole = measure === 'supply_sats' || measure === 'utxo_count' || measure === 'spent_outputs'
  if (whole) return cohort.endsWith('_smooth') ? Math.abs(value - expected) <= 0.500001 : value === expected
  return Math.abs(value - expected) <= precision * Math.abs(expected)
}

/** Cost and value of a spent coin in USD. */
export interface Valued {
  readonly paid: number
  readonly worth: number
}

/**
 * Throws where the pass says of any cohort, on any day, something else than its coins do one by
 * one.
 */
export function expectByCoin(
  columns: CohortPass['columns'],
  coins: readonly Coin[],
  prices: Prices,
  halvings: readonly number[],
  costs: ArrayLike<number> = listCosts(prices),
  valued = ({ created }: Coin, at: number): Valued => ({
    paid: costs[dayOfTime(created)] ?? Number.NaN,
    worth: prices[at] ?? Number.NaN,
  }),
  precision = 1e-12,
): void {
  const halvingDays = halvings.map((at) => firstDay + at)
  for (const [id, found] of columns) {
    // Those by size, type and origin are not made of single coins here.
    if (coinCohorts.some((cohort) => cohort.id === id)) continue
    const belongs = membership(id, halvingDays)
    for (let at = 0; at < prices.length; at++) {
      const expected = expectedMeasures(coins, at, belongs, prices, costs, valued)
      for (const measure of baseMeasures) {
        const value = found[measure][at] ?? Number.NaN
        if (!isClose(value, expected[measure], measure, id, precision)) {
          throw new Error(`${measure} of ${id} on day ${at} is ${value}, should be ${expected[measure]}`)
        }
      }
    }
  }
}

export const hourOfTime = (time: number): number => Math.floor(time / hour)
/** True if the coin is spent within the first `days` days. */
export const spentWithin = ({ spent, overwritten }: Coin, days: number): boolean =>
  spent !== undefined && !overwritten && dayOfTime(spent) < days

/**
 * A block at every second at which a coin is made or spent, in order; seconds since the first
 * midnight.
 */
export function blockTimes(coins: readonly Coin[], days: number): number[] {
  const times = coins.flatMap((coin) => [coin.created, ...(spentWithin(coin, days) ? [coin.spent ?? 0] : [])])
  return [...new Set(times)].sort((a, b) => a - b)
}

export const unixTimes = (times: readonly number[]): Uint32Array =>
  Uint32Array.from(times, (time) => firstDay * day + time)

/** By the closes of days. */
export const createBasis = (prices: Prices) => ({
  price: Float64Array.from(prices),
  cost: Float64Array.from(listCosts(prices)),
  unpriced: new Uint8Array(prices.length),
})

/**
 * Values by the hour by their definition, coin by coin: what a coin of each day cost, and what each
 * spent one had cost and was worth.
 */
export function valuesByDefinition(coins: readonly Coin[], prices: Prices, { price, byHour }: HourPrices) {
  const days = prices.length
  const daily = listCosts(prices)
  const priceAt = (time: number): number => price[hourOfTime(time)] ?? Number.NaN
  const mean = (weights: readonly (readonly [time: number, sats: number])[], close = Number.NaN): number => {
    const total = weights.reduce((sum, [, sats]) => sum + sats, 0)
    return total === 0 ? close : weights.reduce((sum, [time, sats]) => sum + sats * priceAt(time), 0) / total
  }
  const isOld = ({ created, spent = 0 }: Coin): boolean => dayOfTime(spent) - dayOfTime(created) > 1
  const created = Map.groupBy(coins, (coin) => dayOfTime(coin.created))
  const spent = Map.groupBy(
    coins.filter((coin) => spentWithin(coin, days) && isOld(coin)),
    (coin) => dayOfTime(coin.spent ?? 0),
  )
  const costs = prices.map((_, at) =>
    byHour[at]
      ? mean(
          (created.get(at) ?? []).map(({ created, sats }) => [created, sats]),
          daily[at],
        )
      : daily[at],
  )
  const worths = prices.map((close, at) =>
    byHour[at]
      ? mean(
          (spent.get(at) ?? []).map(({ spent = 0, sats }) => [spent, sats]),
          close,
        )
      : close,
  )
  const valued = (coin: Coin, at: number): Valued =>
    isOld(coin)
      ? { paid: costs[dayOfTime(coin.created)] ?? Number.NaN, worth: worths[at] ?? Number.NaN }
      : {
          paid: priceAt(coin.created),
          worth: Number.isNaN(prices[at]) ? Number.NaN : priceAt(coin.spent ?? 0),
        }
  return { costs: costs.map((cost) => cost ?? Number.NaN), valued }
}
