import { describe, expect, it } from 'vitest'
import { type BaseMeasure, baseMeasures } from '#compute/cohorts/base-measures.ts'
import { CohortPass } from '#compute/cohorts/cohort-pass.ts'
import { cohortsOf } from '#compute/cohorts/cohorts.ts'
import type { DailyCoins } from '#compute/cohorts/daily-coins.ts'
import { membership } from '#test/compute/catalogue/replayed-measures.ts'
import { Random } from '#test/support/random.ts'

/** An unspent output or a spent one; times in seconds since the first midnight. */
interface Coin {
  readonly sats: number
  readonly created: number
  /** Missing for coins that stay. */
  readonly spent?: number | undefined
  /** Left the supply without being spent, as a coinbase that another replaced. */
  readonly overwritten?: boolean
}

const day = 86_400
const hour = 3600
const limb = 2n ** 40n
const high = (number: bigint): number => Number(number / limb)
const low = (number: bigint): number => Number(number % limb)
const firstDay = 14_247
const firstNewYear = 363
const dayOfTime = (time: number): number => Math.floor(time / day)

/** Close by days counted from the first, NaN where there is none. */
type Prices = readonly number[]

/** What a coin of each day cost: the last price up to it, 0 before the first. */
function costsOf(prices: Prices): number[] {
  return prices.map((_, at) => prices.slice(0, at + 1).findLast((price) => !Number.isNaN(price)) ?? 0)
}

/** The columns of the pass over these coins, fed in the pieces in which the pipeline feeds it. */
function passOver(
  coins: readonly Coin[],
  prices: Prices,
  halvings: readonly number[],
  unpriced: readonly number[] = [],
) {
  const days = prices.length
  const column = (): Float64Array => new Float64Array(days)
  const daily = {
    ...{ createdSatsHigh: column(), createdSatsLow: column(), createdOutputs: column() },
    ...{ youngSats: column(), youngOutputs: column(), youngSecondsHigh: column(), youngSecondsLow: column() },
    ...{ underHourTodayHigh: column(), underHourTodayLow: column(), underHourYesterday: column() },
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
  const cohorts = cohortsOf({ days: blocks }, interval, firstDay + days - 1)
  const basis = {
    price: Float64Array.from(prices),
    cost: Float64Array.from(costsOf(prices)),
    unpriced: Uint8Array.from(prices, (_, at) => (unpriced.includes(at) ? 1 : 0)),
  }
  const pass = new CohortPass(firstDay, cohorts, basis, { ...daily, overwritten }, () => {})
  // Rows come in chunks, here of a few.
  const rows = [...flows].sort(([a], [b]) => a - b)
  for (let at = 0; at < rows.length; at += 7) {
    const chunk = rows.slice(at, at + 7)
    pass.addFlows(chunk.length, {
      date: Int32Array.from(chunk, ([key]) => firstDay + Math.floor(key / days)),
      created_date: Int32Array.from(chunk, ([key]) => firstDay + (key % days)),
      sats_high: Float64Array.from(chunk, ([, { sats }]) => high(sats)),
      sats_low: Float64Array.from(chunk, ([, { sats }]) => low(sats)),
      spent_outputs: Float64Array.from(chunk, ([, { outputs }]) => outputs),
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

/** The measures of a cohort on a day, coin by coin. Cohorts by age take spends younger than 24 hours as of age 0. */
function measuresOf(
  coins: readonly Coin[],
  at: number,
  belongs: (created: number, age: number) => number,
  prices: Prices,
  costs: readonly number[],
): Record<BaseMeasure, number> {
  const price = prices[at] ?? Number.NaN
  const sums = { ...nothing }
  const count = (measure: BaseMeasure, value: number): void => {
    sums[measure] += value
  }
  for (const { sats, created, spent = Number.POSITIVE_INFINITY, overwritten } of coins) {
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
    count('spent_volume', btc)
    count('spent_outputs', share)
    count('spent_volume_in_profit', cost < price ? btc : 0)
    count('spent_volume_in_loss', cost > price ? btc : 0)
    count('spent_cost', btc * cost)
    count('realized_profit', cost < price ? btc * (price - cost) : 0)
    count('realized_loss', cost > price ? btc * (cost - price) : 0)
    count('coindays_destroyed', (btc * age) / day)
    count('spent_volume_1h', age < hour ? 0 : btc)
    count('spent_cost_1h', age < hour ? 0 : btc * cost)
  }
  for (const measure of baseMeasures) {
    if (Number.isNaN(price) && !needNoPrice.includes(measure)) sums[measure] = Number.NaN
  }
  return sums
}

/** What coins are, and not what they cost or are worth. */
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
  spent_outputs: 0,
  spent_volume_in_profit: 0,
  spent_volume_in_loss: 0,
  spent_cost: 0,
  realized_profit: 0,
  realized_loss: 0,
  coindays_destroyed: 0,
  spent_volume_1h: 0,
  spent_cost_1h: 0,
}

/** Seconds between creation and spending, many of them around the edges that matter; undefined for ever. */
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
function randomCoins(random: Random, days: number, count: number, boundaries: readonly [number, ...number[]]): Coin[] {
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
function randomPrices(random: Random, days: number): number[] {
  let price = 0.05
  return Array.from({ length: days }, (_, at) => {
    price *= Math.exp(0.3 * (random.next() - 0.45))
    return at < 30 || random.next() < 0.03 ? Number.NaN : price
  })
}

describe('the cohort pass', () => {
  it.each([1, 2, 3])('gives what adding up coin by coin gives, for every cohort on every day (chain %d)', (seed) => {
    const random = new Random(seed)
    const days = 400
    const halvings = [0, 150, 300]
    const prices = randomPrices(random, days)
    const costs = costsOf(prices)
    const coins = randomCoins(random, days, 500, [150, 300, firstNewYear])
    const columns = passOver(coins, prices, halvings)
    expect(columns.size).toBeGreaterThan(40)
    const halvingDays = halvings.map((at) => firstDay + at)
    for (const [id, found] of columns) {
      const belongs = membership(id, halvingDays)
      for (let at = 0; at < days; at++) {
        const expected = measuresOf(coins, at, belongs, prices, costs)
        for (const measure of baseMeasures) {
          const value = found[measure][at] ?? Number.NaN
          if (!isClose(value, expected[measure], measure, id)) {
            throw new Error(`${measure} of ${id} on day ${at} is ${value}, should be ${expected[measure]}`)
          }
        }
      }
    }
  })

  it('has SOPR as worked out by hand: 10 coins bought at 10, 1 at 500, 2 at 20,000, all spent at 7,500', () => {
    const bought = [
      { sats: 10e8, created: 0 },
      { sats: 1e8, created: day },
      { sats: 2e8, created: 2 * day },
    ].map((coin) => ({ ...coin, spent: 3 * day + 5 * hour }))
    const all = passOver(bought, [10, 500, 20_000, 7500], [0])?.get('all')
    const on = (measure: BaseMeasure): number[] => Array.from(all?.[measure] ?? [])
    expect(on('spent_volume')).toEqual([0, 0, 0, 13])
    expect(on('spent_cost')).toEqual([0, 0, 0, 40_600])
    expect((13 * 7500) / 40_600).toBeCloseTo(2.4015, 4)
    // 10 × 7,490 and 1 × 7,000 gained, 2 × 12,500 lost.
    expect(on('realized_profit')).toEqual([0, 0, 0, 81_900])
    expect(on('realized_loss')).toEqual([0, 0, 0, 25_000])
    expect(on('realized_cap')).toEqual([100, 600, 40_600, 0])
    expect(on('unrealized_profit')).toEqual([0, 4900, 10 * 19_990 + 19_500, 0])
    expect(on('supply_in_profit')).toEqual([0, 10, 11, 0])
    // 10 × 3, 1 × 2 and 2 × 1 days, and 5 hours each.
    expect(on('coindays_destroyed')).toEqual([0, 0, 0, 34 + (13 * 5) / 24])
  })

  it('divides what is spent at 24 real hours, and what is left by whole days', () => {
    const evening = 23 * hour
    const coins = [
      { sats: 1e8, created: evening, spent: evening + day - 1 },
      { sats: 2e8, created: evening, spent: evening + day },
      { sats: 4e8, created: evening },
    ]
    const columns = passOver(coins, [1, 1, 1], [0])
    const on = (cohort: string, measure: BaseMeasure): number[] => Array.from(columns.get(cohort)?.[measure] ?? [])
    expect(on('24h', 'spent_volume')).toEqual([0, 1, 0])
    expect(on('1d_1w', 'spent_volume')).toEqual([0, 2, 0])
    expect(on('24h', 'supply_sats')).toEqual([7e8, 0, 0])
    expect(on('1d_1w', 'supply_sats')).toEqual([0, 4e8, 4e8])
  })
})

describe('the cohort pass on days that move more than doubles hold', () => {
  /** All coins there are, in one. */
  const whale = 2_099_999_997_690_001

  it.each([1, 2, 3])('keeps what is left exact to the satoshi (chain %d)', (seed) => {
    const random = new Random(seed)
    const days = 12
    // One coin moves on and on, often within the hour, and now and then a payment of some satoshis leaves it.
    const coins: Coin[] = []
    let [sats, time] = [whale, 0]
    while (time < days * day) {
      const paid = random.between(0, 3)
      const next = time + random.pick([0, 0, 60, 600, hour - 1, hour, 5 * hour])
      coins.push({ sats, created: time, spent: next })
      if (paid > 0) coins.push({ sats: paid, created: next, spent: random.pick([undefined, next, next + day]) })
      sats -= paid
      time = next
    }
    const { spent } = coins.at(-1) ?? {}
    coins.push({ sats, created: spent ?? 0 })

    const within = coins.filter(({ created }) => dayOfTime(created) < days)
    const columns = passOver(within, new Array(days).fill(7), [0])
    let most = 0n
    for (let at = 0; at < days; at++) {
      const left = within.filter(
        ({ created, spent = Number.POSITIVE_INFINITY }) => dayOfTime(created) <= at && dayOfTime(spent) > at,
      )
      const gone = within.filter(({ spent }) => spent !== undefined && dayOfTime(spent) === at)
      const young = ({ created, spent = 0 }: Coin): boolean => spent - created < hour
      const total = (of: readonly Coin[]): bigint => of.reduce((sum, coin) => sum + BigInt(coin.sats), 0n)
      const all = columns.get('all')
      expect(BigInt(all?.supply_sats[at] ?? -1)).toBe(total(left))
      const youngest = left.filter(({ created }) => dayOfTime(created) === at)
      expect(BigInt(columns.get('24h')?.supply_sats[at] ?? -1)).toBe(total(youngest))
      expect(all?.spent_volume[at]).toBeCloseTo(Number(total(gone)) / 1e8, 6)
      expect(all?.spent_volume_1h[at]).toBeCloseTo(Number(total(gone.filter((coin) => !young(coin)))) / 1e8, 6)
      most = total(gone) > most ? total(gone) : most
    }
    expect(most).toBeGreaterThan(500_000_000n * 100_000_000n)
  })
})

/** Sums of doubles differ with their order; a smooth share is rounded to whole satoshis and outputs. */
function isClose(value: number, expected: number, measure: BaseMeasure, cohort: string): boolean {
  if (Number.isNaN(expected)) return Number.isNaN(value)
  const whole = measure === 'supply_sats' || measure === 'utxo_count' || measure === 'spent_outputs'
  if (whole) return cohort.endsWith('_smooth') ? Math.abs(value - expected) <= 0.500001 : value === expected
  return Math.abs(value - expected) <= 1e-12 * Math.abs(expected)
}

describe('coins whose price is not known', () => {
  // Traded from day 1 on, while the stored prices begin on day 3.
  const coins = [
    { sats: 1_000_000, created: 0 },
    { sats: 900, created: day },
    { sats: 5_000, created: 2 * day, spent: 4 * day + hour },
    { sats: 100_000, created: 3 * day },
  ]
  const columns = passOver(coins, [Number.NaN, Number.NaN, Number.NaN, 10, 20, 30], [0], [1, 2])
  const all = columns.get('all')!

  it('empty what follows from cost until they are a thousandth of the supply', () => {
    // 5,900 of 1,105,900 satoshis on day 3; on day 4 those spent still count; 900 of 1,100,900 on day 5.
    expect([...all.realized_cap]).toEqual([...new Array<number>(5).fill(Number.NaN), 0.01])
    expect([...all.supply_in_profit]).toEqual([...new Array<number>(5).fill(Number.NaN), 0.011009])
    expect([...all.spent_cost]).toEqual([...new Array<number>(5).fill(Number.NaN), 0])
  })

  it('leave amounts as they are, and cohorts that hold none of them', () => {
    expect([...all.supply_sats]).toEqual([1_000_000, 1_000_900, 1_005_900, 1_105_900, 1_100_900, 1_100_900])
    expect(all.spent_volume[4]).toBe(0.00005)
    expect(columns.get('24h')!.realized_cap[3]).toBe(0.01)
  })
})
