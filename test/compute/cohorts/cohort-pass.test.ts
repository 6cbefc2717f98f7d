import { describe, expect, it } from 'vitest'
import type { BaseMeasure } from '#compute/cohorts/base-measures.ts'
import { Random } from '#test/support/random.ts'
import {
  type Coin,
  day,
  dayOfTime,
  expectByCoin,
  firstNewYear,
  hour,
  passOver,
  randomCoins,
  randomPrices,
} from './random-coins.ts'

describe('the cohort pass', () => {
  it.each([1, 2, 3])('gives what adding up coin by coin gives, for every cohort on every day (chain %d)', (seed) => {
    const random = new Random(seed)
    const days = 400
    const halvings = [0, 150, 300]
    const prices = randomPrices(random, days)
    const coins = randomCoins(random, days, 500, [150, 300, firstNewYear])
    const columns = passOver(coins, prices, halvings)
    expect(columns.size).toBeGreaterThan(40)
    expectByCoin(columns, coins, prices, halvings)
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
    // One coin moves on and on, often within the hour, and now and then a payment of some satoshis
    // leaves it.
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
    // 5,900 of 1,105,900 satoshis on day 3; on day 4 those spent still count; 900 of 1,100,900 on
    // day 5.
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
