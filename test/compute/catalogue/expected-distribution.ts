import type { Values } from '#test/sql/formula/naive.ts'
import type { Replay } from '#test/support/replay.ts'
import { firstDay } from './priced-chain.ts'

export interface DistributionInputs {
  readonly replayed: Replay
  readonly price: Values
  /** Cost of the coins of each day and halving days, by rows of the daily tables. */
  readonly costs: readonly number[]
  readonly halvings: readonly number[]
  readonly chain: { readonly height: readonly number[] }
}

interface Holding {
  readonly sats: number
  readonly outputs: number
  readonly age: number
  readonly cost: number
}

const share = (holdings: readonly Holding[], of: (holding: Holding) => number): number =>
  holdings.reduce((sum, holding) => sum + of(holding), 0)

/**
 * For holdings in ascending order of a value: the first with which so much of the coins is reached.
 */
function quantiles(sorted: readonly Holding[]): (part: number) => Holding | undefined {
  const supply = share(sorted, ({ sats }) => sats)
  let sum = 0
  const reached = sorted.map(({ sats }) => {
    sum += sats
    return sum
  })
  return (part) => {
    let [from, to] = [0, reached.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (reached[middle]! < part * supply) from = middle + 1
      else to = middle
    }
    return sorted[from]
  }
}

/** Metrics of the cost and the age of unspent coins, and of cycles, each by its definition. */
export function expectedDistribution({ replayed, price, costs, halvings, chain }: DistributionInputs) {
  const expected: Record<string, Values> = {}
  const add = (id: string, value: number | null): void => {
    expected[id] ??= []
    expected[id].push(value)
  }
  const cycles = cycleStarts(price, halvings)
  for (const [row, { unspent }] of replayed.closedDays.entries()) {
    const holdings = [...unspent].map(([created, left]): Holding => {
      return { ...left, age: row - (created - firstDay), cost: costs[created - firstDay]! }
    })
    const supply = share(holdings, ({ sats }) => sats)
    const now = price[row] ?? null
    const paid = share(holdings, ({ sats, cost }) => sats * cost)
    const outputs = share(holdings, (holding) => holding.outputs)
    const winners = holdings.filter(({ cost }) => now !== null && cost < now)
    const losers = holdings.filter(({ cost }) => now !== null && cost > now)
    for (const [prefix, has] of Object.entries(holders)) {
      const cost = (some: readonly Holding[]): number | null =>
        now === null ? null : share(some.filter(has), ({ sats, cost }) => (sats * cost) / 1e8)
      add(`${prefix}invested_capital_in_profit`, cost(winners))
      add(`${prefix}invested_capital_in_loss`, cost(losers))
    }
    const inProfit = share(winners, (holding) => holding.outputs)
    add('mean_coin_age', supply === 0 ? null : share(holdings, ({ sats, age }) => sats * age) / supply)
    add('median_coin_age', quantiles(holdings.toSorted((a, b) => a.age - b.age))(0.5)?.age ?? null)
    const byCost = quantiles(holdings.toSorted((a, b) => a.cost - b.cost))
    add(
      'mean_dollar_age',
      now === null || paid === 0 ? null : share(holdings, ({ sats, cost, age }) => sats * cost * age) / paid,
    )
    add('utxos_in_profit', now === null ? null : inProfit)
    add('utxos_in_loss', now === null ? null : share(losers, (holding) => holding.outputs))
    add('utxos_in_profit_percent', now === null || outputs === 0 ? null : (100 * inProfit) / outputs)
    for (let percent = 1; percent <= 99; percent++) {
      const value = now === null ? null : (byCost(percent / 100)?.cost ?? null)
      add(`cost_basis_p${String(percent).padStart(2, '0')}`, value)
    }
    const squares = share(holdings, ({ sats, cost }) => sats * cost * cost)
    const capitalized = now === null || paid === 0 ? null : squares / paid
    const peaks = highestFromEach(costs.slice(0, row + 1))
    const regret = now === null ? null : share(holdings, ({ sats, age }) => (sats * (peaks[row - age]! - now)) / 1e8)
    add('capitalized_price', capitalized)
    add('capitalized_cap', capitalized === null ? null : (capitalized * supply) / 1e8)
    add('peak_regret', regret)
    add('peak_regret_to_market_cap', regret === null ? null : (regret * 1e8) / (now! * supply))
    for (const percent of [10, 25, 50, 100, 200, 300, 500, 1000]) {
      const above = holdings.filter(({ cost }) => now !== null && now > cost + (cost * percent) / 100)
      add(`supply_in_profit_over_${percent}`, now === null ? null : share(above, ({ sats }) => sats) / 1e8)
    }
    for (const percent of [10, 25, 50, 75, 90]) {
      const below = holdings.filter(({ cost }) => now !== null && now < cost - (cost * percent) / 100)
      add(`supply_in_loss_over_${percent}`, now === null ? null : share(below, ({ sats }) => sats) / 1e8)
    }
    for (const percent of [1, 5, 10, 15, 20]) {
      const near = holdings.filter(({ cost }) => now !== null && Math.abs(cost / now - 1) <= percent / 100)
      add(`realized_supply_density_${percent}`, now === null ? null : share(near, ({ sats }) => sats) / supply)
    }
    for (const [family, { perf, since }] of Object.entries(names)) {
      const start = cycles[family]!.findLast((day) => day <= row)
      const begin = start === undefined ? null : (price[start] ?? null)
      add(perf, now === null || begin === null ? null : now / begin)
      add(since, start === undefined ? null : row - start)
    }
    const epoch = halvings.filter((day) => day <= row).length
    const left = epoch * 4200 - chain.height[row]!
    add('halving_epoch', epoch)
    add('blocks_to_halving', left)
    add('halving_progress_percent', (100 * (4200 - left)) / 4200)
  }
  return expected
}

/** For each value the highest of it and all later ones. */
function highestFromEach(values: readonly number[]): number[] {
  let highest = Number.NEGATIVE_INFINITY
  return values
    .toReversed()
    .map((value) => (highest = Math.max(highest, value)))
    .toReversed()
}

const holders: Readonly<Record<string, (holding: Holding) => boolean>> = {
  '': () => true,
  sth_: ({ age }) => age < 155,
  lth_: ({ age }) => age >= 155,
}

const names: Readonly<Record<string, { perf: string; since: string }>> = {
  halving: { perf: 'cycle_perf_halving', since: 'days_since_halving' },
  ath: { perf: 'cycle_perf_ath', since: 'days_since_cycle_ath' },
  low: { perf: 'cycle_perf_low', since: 'days_since_cycle_low' },
}

/** Tops and lows by their rule, looking at every day from every other. */
function cycleStarts(price: Values, halvings: readonly number[]): Record<string, readonly number[]> {
  const days = price.flatMap((value, day) => (value === null ? [] : [{ day, close: value }]))
  const ath: number[] = []
  const low: number[] = []
  for (const [i, { day, close }] of days.entries()) {
    if (days.slice(0, i).some((before) => before.close >= close)) continue
    const later = days.slice(i + 1)
    const surpassed = later.findIndex((after) => after.close > close)
    const below = surpassed < 0 ? later : later.slice(0, surpassed)
    if (!below.some((after) => after.close <= 0.25 * close)) continue
    ath.push(day)
    if (surpassed < 0) continue
    low.push(below.reduce((least, after) => (after.close < least.close ? after : least)).day)
  }
  return { halving: halvings, ath, low }
}
