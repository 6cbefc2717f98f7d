import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { CohortPass } from '#compute/cohorts/cohort-pass.ts'
import { findHourPrices, type HourlyCloses, type HourPrices } from '#compute/cohorts/hour-prices.ts'
import { type HourValues, valueByHours } from '#compute/cohorts/hour-values.ts'
import { limbMacros } from '#compute/scan/limbs.ts'
import { filesRelation } from '#sql/relation.ts'
import { withSession } from '#sql/session.ts'
import { writeColumns } from '#sql/write-columns.ts'
import { membership } from '#test/compute/catalogue/replayed-measures.ts'
import { Random } from '#test/support/random.ts'
import {
  blockTimes,
  type Coin,
  createBasis,
  day,
  dayOfTime,
  expectByCoin,
  firstDay,
  firstNewYear,
  hour,
  hourOfTime,
  listCosts,
  type Prices,
  passOver,
  randomCoins,
  randomPrices,
  spentWithin,
  unixTimes,
  valuesByDefinition,
} from './random-coins.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-hour-values-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Closes by hours counted from the first midnight. */
const closesFrom = (hours: Iterable<readonly [number, number]>): HourlyCloses =>
  new Map(Array.from(hours, ([at, close]) => [24 * firstDay + at, close]))

/**
 * The values of these coins as the pipeline finds them: from block rows, and from spends by the
 * hour in several segments.
 */
function computeValues(coins: readonly Coin[], prices: Prices, hours: HourPrices): Promise<HourValues> {
  const days = prices.length
  const times = blockTimes(coins, days)
  const amountsByTime = new Map(times.map((time) => [time, { created: 0n, spent: 0n }]))
  for (const coin of coins) {
    amountsByTime.get(coin.created)!.created += BigInt(coin.sats)
    if (spentWithin(coin, days)) amountsByTime.get(coin.spent ?? 0)!.spent += BigInt(coin.sats)
  }
  const blocks = [...amountsByTime.values()]
  const young = coins.flatMap((coin) => {
    const { sats, created, spent = 0 } = coin
    if (!spentWithin(coin, days) || dayOfTime(spent) - dayOfTime(created) > 1) return []
    return [{ sats, hour: hourOfTime(spent), created: hourOfTime(created), age: spent - created }]
  })
  const younger = (than: number) => BigInt64Array.from(young, ({ sats, age }) => BigInt(age < than ? sats : 0))
  return withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, async (connection) => {
    await connection.run(limbMacros)
    const none = new BigInt64Array(blocks.length)
    const [blockFile, youngFile] = [path.join(folder, 'blocks.parquet'), path.join(folder, 'young.parquet')]
    writeColumns(blockFile, [
      { name: 'height', type: 'INTEGER', values: Int32Array.from(times, (_, height) => height) },
      { name: 'date', type: 'DATE', values: Int32Array.from(times, (time) => firstDay + dayOfTime(time)) },
      {
        name: 'coinbase_sats',
        type: 'BIGINT',
        values: BigInt64Array.from(blocks, ({ created, spent }) => created - spent),
      },
      { name: 'fees_sats', type: 'BIGINT', values: none },
      { name: 'spent_sats', type: 'BIGINT', values: BigInt64Array.from(blocks, ({ spent }) => spent) },
      { name: 'unspendable_sats', type: 'BIGINT', values: none },
    ])
    writeColumns(youngFile, [
      { name: 'hour', type: 'INTEGER', values: Int32Array.from(young, ({ hour }) => 24 * firstDay + hour) },
      {
        name: 'created_hour',
        type: 'INTEGER',
        values: Int32Array.from(young, ({ created }) => 24 * firstDay + created),
      },
      { name: 'spent_sats', type: 'BIGINT', values: younger(Number.POSITIVE_INFINITY) },
      { name: 'spent_sats_under_1h', type: 'BIGINT', values: younger(hour) },
      { name: 'spent_sats_under_24h', type: 'BIGINT', values: younger(day) },
    ])
    const from = [filesRelation('blocks', [blockFile]), filesRelation('segment_young_spends', [youngFile])]
    const inputs = { prices: hours, basis: createBasis(prices), times: unixTimes(times), firstDay, firstNew: 0 }
    return valueByHours(connection, from, inputs)
  })
}

describe('coins and spends valued by the hour', () => {
  it('are what they are coin by coin, for every cohort on every day', async () => {
    const random = new Random(1)
    const days = 400
    const halvings = [0, 150, 300]
    const prices = randomPrices(random, days)
    const coins = randomCoins(random, days, 600, [150, 300, firstNewYear])
    // Hours are known from day 80 on; of some days none, and of others some, are missing.
    const closes = closesFrom(
      Array.from({ length: 24 * (days - 80) }, (_, i) => 24 * 80 + i).flatMap((at) => {
        const close = listCosts(prices)[Math.floor(at / 24)] ?? 0
        const isKnown = at % 3000 > 100 && random.next() < 0.7
        return isKnown ? [[at, close * Math.exp(0.1 * (random.next() - 0.5))] as const] : []
      }),
    )
    const hours = findHourPrices(closes, createBasis(prices), unixTimes(blockTimes(coins, days)), firstDay)
    if (!hours) throw new Error('no day is valued by the hour')
    const byHour = hours.byHour.reduce((sum, one) => sum + one, 0)
    expect(byHour).toBeGreaterThan(150)
    const { costs, valued } = valuesByDefinition(coins, prices, hours)
    const columns = passOver(coins, prices, halvings, [], await computeValues(coins, prices, hours))
    expectByCoin(columns, coins, prices, halvings, costs, valued, 1e-9)
    // Valuing by closes gives other results.
    expect(() => expectByCoin(columns, coins, prices, halvings)).toThrow(/ is .*, should be /)
  })
})

describe('the price of an hour', () => {
  const prices = [100, 110, Number.NaN, 120]
  /** A block in the middle of each of these hours. */
  const findPrices = (blocks: readonly number[], closes: Readonly<Record<number, number>>) =>
    findHourPrices(
      closesFrom(Object.entries(closes).map(([at, close]) => [Number(at), close])),
      createBasis(prices),
      unixTimes(blocks.map((at) => at * hour + 1800)),
      firstDay,
    )
  const every = (from: number, to: number, close: (at: number) => number) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, i) => [from + i, close(from + i)]))

  it('is its close, or the last one for twelve hours', () => {
    const found = findPrices([1, 2, 14], { 1: 90, 2: 91 })
    expect([1, 2, 14].map((at) => found?.price[at])).toEqual([90, 91, 91])
    expect([...(found?.byHour ?? [])]).toEqual([1, 0, 0, 0])
  })

  it('is the close of the day for all its hours where one of its blocks has none', () => {
    const found = findPrices([1, 2, 15, 25], { 1: 90, 2: 91, 24: 105 })
    expect([1, 2, 15, 25].map((at) => found?.price[at])).toEqual([100, 100, 100, 105])
    expect([...(found?.byHour ?? [])]).toEqual([0, 1, 0, 0])
  })

  it('takes that of the evening before, also where that day is valued by its close', () => {
    const found = findPrices([0, 23, 30], { 22: 95 })
    expect([0, 23, 30].map((at) => found?.price[at])).toEqual([100, 100, 95])
  })

  it('is the close before where the day has none of its own, whatever is known of its hours', () => {
    const found = findPrices([20, 50, 80], { ...every(0, 96, (at) => 200 + at) })
    expect([20, 50, 80].map((at) => found?.price[at])).toEqual([220, 110, 280])
    expect([...(found?.byHour ?? [])]).toEqual([1, 0, 0, 1])
  })

  it('is none where no day has any', () => {
    expect(findPrices([1, 50], {})).toBeUndefined()
    expect(findPrices([1, 50], { 60: 90 })).toBeUndefined()
  })
})

describe('as worked out by hand', () => {
  // One coin at 10, three at 30: 25 on average. Spent: one of each on the day, the rest of the
  // first two days later.
  const coins = [
    { sats: 1e8, created: hour, spent: 20 * hour + 60 },
    { sats: 3e8, created: 20 * hour, spent: 2 * day + 5 * hour },
    { sats: 2e8, created: day + 2 * hour, spent: 2 * day + 3 * hour },
    { sats: 6e8, created: 2 * day + 6 * hour },
  ]
  const closes = closesFrom([
    ...([
      [1, 10],
      [20, 30],
      [26, 40],
      [51, 50],
      [53, 20],
      [54, 80],
    ] as const),
  ])
  const prices = [32, 41, 64]
  const times = unixTimes(blockTimes(coins, prices.length))

  it('give costs, worth, profit and loss', async () => {
    const hours = findHourPrices(closes, createBasis(prices), times, firstDay)
    const values = await computeValues(coins, prices, hours!)
    expect([...values.cost]).toEqual([25, 40, 80])
    const all = passOver(coins, prices, [0], [], values).get('all')
    // Day 0: bought at 10, spent at 30. Day 2: bought at 25 as all of its day, spent at 20; bought
    // at 40, spent at 50.
    expect([...(all?.spent_volume_usd ?? [])]).toEqual([30, 0, 3 * 20 + 2 * 50])
    expect([...(all?.spent_cost ?? [])]).toEqual([10, 0, 3 * 25 + 2 * 40])
    expect([...(all?.realized_profit ?? [])]).toEqual([20, 0, 2 * 10])
    expect([...(all?.realized_loss ?? [])]).toEqual([0, 0, 3 * 5])
    expect([...(all?.realized_cap ?? [])]).toEqual([3 * 25, 3 * 25 + 2 * 40, 6 * 80])
    // Unrealized by the close of the day: three coins at 32 and 41 that cost 25, two at 41 that
    // cost 40, six at 64 that cost 80.
    expect([...(all?.unrealized_profit ?? [])]).toEqual([3 * 7, 3 * 16 + 2 * 1, 0])
    expect([...(all?.unrealized_loss ?? [])]).toEqual([0, 0, 6 * 16])
  })
})

describe('against the price at each block', () => {
  const days = 120
  const random = new Random(3)
  /** By the hour, a walk of about 3 % a day. */
  let logarithm = Math.log(20_000)
  const closes = Array.from({ length: 24 * days }, () => {
    logarithm += 0.03 * Math.sqrt(3 / 24) * (2 * random.next() - 1)
    return Math.exp(logarithm)
  })
  const prices = Array.from({ length: days }, (_, at) => closes[24 * at + 23] ?? Number.NaN)

  /**
   * Three coins in a block every ten minutes: some move on within six hours, others within a day, a
   * week, or later.
   */
  const coins = Array.from({ length: 144 * days }, (_, height) => 600 * height).flatMap((created) =>
    Array.from({ length: 3 }, (): Coin => {
      const longest = random.pick([6 * hour, day, 7 * day, days * day])
      const spent = created + 600 * Math.ceil((longest / 600) * random.next() ** 2)
      return { sats: Math.round(1e8 * (1 - random.next()) ** -0.8), created, spent }
    }),
  )

  type Compared = Record<'sopr' | 'realized_profit' | 'realized_loss' | 'realized_cap', number[]>

  /** Each output at the price of its hours, without any sum in between. */
  function expectedShares(cohort: string): Compared {
    const belongs = membership(cohort, [])
    const priceAt = (time: number): number => closes[hourOfTime(time)] ?? Number.NaN
    const none = (): number[] => new Array<number>(days).fill(0)
    const [worth, cost, profit, loss, cap] = [none(), none(), none(), none(), none()]
    const add = (to: number[], at: number, value: number): void => {
      to[at] = (to[at] ?? 0) + value
    }
    for (const { sats, created, spent = 0 } of coins) {
      const [from, to] = [dayOfTime(created), dayOfTime(spent)]
      const btc = sats / 1e8
      for (let at = from; at < Math.min(to, days); at++) add(cap, at, btc * belongs(0, at - from) * priceAt(created))
      const share = belongs(0, spent - created < day ? 0 : to - from)
      if (to >= days || share === 0) continue
      const gain = priceAt(spent) - priceAt(created)
      add(worth, to, btc * priceAt(spent))
      add(cost, to, btc * priceAt(created))
      add(gain > 0 ? profit : loss, to, btc * Math.abs(gain))
    }
    const sopr = worth.map((value, at) => value / (cost[at] ?? 0))
    return { sopr, realized_profit: profit, realized_loss: loss, realized_cap: cap }
  }

  function actualShares(columns: CohortPass['columns'], cohort: string): Compared {
    const { spent_volume_usd, spent_cost, realized_profit, realized_loss, realized_cap } = columns.get(cohort)!
    const sopr = [...spent_volume_usd].map((worth, at) => worth / (spent_cost[at] ?? 0))
    return {
      sopr,
      realized_profit: [...realized_profit],
      realized_loss: [...realized_loss],
      realized_cap: [...realized_cap],
    }
  }

  /** The differences of the days after a month, in percent of the true values. */
  const distance = (values: readonly number[], truth: readonly number[]): string => {
    const sum = (of: readonly number[]): number => of.slice(30).reduce((total, one) => total + one, 0)
    const off = sum(values.map((value, at) => Math.abs(value - (truth[at] ?? 0)))) / sum(truth)
    return off < 1e-9 ? '0' : (100 * off).toPrecision(2)
  }

  it('both pricings are as far off as docs/pricing.md says', async () => {
    const times = unixTimes(blockTimes(coins, days))
    const hours = findHourPrices(closesFrom(closes.entries()), createBasis(prices), times, firstDay)
    const byHour = passOver(coins, prices, [0], [], await computeValues(coins, prices, hours!))
    const byDay = passOver(coins, prices, [0])
    const rows = ['all', '24h', '1d_1w', '1w_1m'].flatMap((cohort) => {
      const truth = expectedShares(cohort)
      const [hourly, daily] = [byHour, byDay].map((columns) => actualShares(columns, cohort))
      return (['realized_cap', 'sopr', 'realized_profit', 'realized_loss'] as const).map((measure) => {
        const [near, far] = [hourly, daily].map((values) => distance(values![measure], truth[measure]))
        expect(Number(near), `${measure} of ${cohort}`).toBeLessThan(Number(far))
        return `| \`${measure}\` of \`${cohort}\` | ${far} % | ${near} % |`
      })
    })
    const page = readFileSync(new URL('../../../docs/pricing.md', import.meta.url), 'utf8')
    expect(page).toContain(rows.join('\n'))
  })
})
