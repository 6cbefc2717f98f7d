import type { Values } from '#test/sql/formula/naive.ts'
import type { Replay, ReplayedDay, ReplayedFlow } from '#test/support/replay.ts'

/**
 * Every measure of every cohort by its definition, from a replay of all coins; shares no code with
 * what it judges.
 */

export interface Prices {
  /** Close by unix day; a day without one has none. */
  readonly closes: ReadonlyMap<number, number>
  /** Cost of coins by unix day of creation. */
  readonly costOn: (day: number) => number
}

/**
 * Share of coins of a creation day, aged so many days, that belongs to a cohort: 0 or 1 but for the
 * smooth ones.
 */
export type Membership = (created: number, age: number) => number

const logistic = (age: number): number => (age < 100 ? 0 : age > 210 ? 1 : 1 / (1 + Math.exp(-0.1 * (age - 155))))
const span: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30, y: 365 }
const bandEdges: Readonly<Record<string, readonly [number, number]>> = {
  '24h': [0, 1],
  '1d_1w': [1, 7],
  '1w_1m': [7, 30],
  '1m_3m': [30, 90],
  '3m_6m': [90, 180],
  '6m_12m': [180, 365],
  '1y_2y': [365, 730],
  '2y_3y': [730, 1095],
  '3y_5y': [1095, 1825],
  '5y_7y': [1825, 2555],
  '7y_10y': [2555, 3650],
  '10y_plus': [3650, Number.POSITIVE_INFINITY],
}

function within(age: number, lower: number, upper: number): number {
  return age >= lower && age < upper ? 1 : 0
}

/**
 * `halvings` are the unix days of the blocks 0, 1 × and 2 × the interval, as far as there are any.
 */
export function membership(cohort: string, halvings: readonly number[]): Membership {
  const forever = Number.POSITIVE_INFINITY
  const threshold = /^(over|under)_(\d+)([dwmy])$/.exec(cohort)
  const band = bandEdges[cohort]
  if (cohort === 'all') return () => 1
  if (cohort === 'lth') return (_, age) => within(age, 155, forever)
  if (cohort === 'sth') return (_, age) => within(age, 0, 155)
  if (cohort === 'lth_smooth') return (_, age) => logistic(age)
  if (cohort === 'sth_smooth') return (_, age) => 1 - logistic(age)
  if (band) {
    const [lower, upper] = band
    return (_, age) => within(age, lower, upper)
  }
  if (threshold) {
    const [, side, count, unit] = threshold
    const days = Number(count) * (span[unit ?? ''] ?? 0)
    return side === 'over' ? (_, age) => within(age, days, forever) : (_, age) => within(age, 0, days)
  }
  if (cohort.startsWith('y')) {
    const [from, to] = [0, 1].map((next) => Date.UTC(Number(cohort.slice(1)) + next, 0, 1) / 86_400_000)
    return (created) => within(created, from!, to!)
  }
  const epoch = Number(cohort.slice('epoch_'.length))
  return (created) => Number(created >= halvings[epoch - 1]! && created < (halvings[epoch] ?? forever))
}

const noCoins = { sats: 0, outputs: 0, cost: 0, inProfit: 0, inLoss: 0, gain: 0, loss: 0 }

function addCoins(to: typeof noCoins, sats: number, outputs: number, cost: number, price: number): void {
  to.sats += sats
  to.outputs += outputs
  to.cost += sats * cost
  to.inProfit += cost < price ? sats : 0
  to.inLoss += cost > price ? sats : 0
  to.gain += sats * Math.max(price - cost, 0)
  to.loss += sats * Math.max(cost - price, 0)
}

const noSpends = { ...noCoins, coinDays: 0, sats1h: 0, cost1h: 0 }

/**
 * Spends of a creation day in two parts: coins younger than 24 hours count as age 0 whatever their
 * day.
 */
function parts({ spent, under1h, under24h }: ReplayedFlow, days: number) {
  return [
    {
      age: 0,
      sats: under24h.sats,
      outputs: under24h.outputs,
      satSeconds: under24h.satSeconds,
      old: under24h.sats - under1h.sats,
    },
    {
      age: days,
      sats: spent.sats - under24h.sats,
      outputs: spent.outputs - under24h.outputs,
      satSeconds: spent.satSeconds - under24h.satSeconds,
      old: spent.sats - under24h.sats,
    },
  ].filter(({ outputs }) => outputs > 0)
}

/** Unspent coins after a day and the day's spends, by creation day and age, with their cost. */
function pricedCoins({ day, flows, unspent }: ReplayedDay, { closes, costOn }: Prices) {
  return {
    price: closes.get(day) ?? null,
    held: Array.from(unspent, ([created, { sats, outputs }]) => {
      return { created, age: day - created, sats, outputs, cost: costOn(created) }
    }),
    spent: Array.from(flows, ([created, flow]) =>
      parts(flow, day - created).map(({ satSeconds, ...part }) => {
        return { ...part, created, coinDays: Number(satSeconds) / 86_400, cost: costOn(created) }
      }),
    ).flat(),
  }
}

type PricedCoins = ReturnType<typeof pricedCoins>

const createSums = () => ({ held: { ...noCoins }, spent: { ...noSpends } })

type Sums = ReturnType<typeof createSums>

function sumCoins(coins: PricedCoins, belongs: Membership): Sums {
  const { held, spent } = createSums()
  const price = coins.price ?? Number.NaN
  for (const { created, age, sats, outputs, cost } of coins.held) {
    const share = belongs(created, age)
    if (share === 0) continue
    addCoins(held, share * sats, share * outputs, cost, price)
  }
  for (const { created, age, sats, outputs, coinDays, old, cost } of coins.spent) {
    const share = belongs(created, age)
    if (share === 0) continue
    addCoins(spent, share * sats, share * outputs, cost, price)
    spent.coinDays += share * coinDays
    spent.sats1h += share * old
    spent.cost1h += share * old * cost
  }
  return { held, spent }
}

type Measured = Readonly<Record<string, number | null>>

/**
 * All measures of a cohort on a day; without a price, those in USD are null. `all` are the sums of
 * all unspent coins.
 */
function computeMeasures({ held, spent }: Sums, price: number | null, all: { sats: number; cost: number }): Measured {
  const btc = (sats: number): number => sats / 1e8
  const usd = (value: number): number | null => (price === null ? null : value / 1e8)
  const over = (value: number | null, by: number): number | null =>
    price === null || value === null || by === 0 ? null : value / by
  const worth = (price ?? Number.NaN) * held.sats
  return {
    supply_sats: Math.round(held.sats),
    supply: btc(Math.round(held.sats)),
    supply_percent: all.sats === 0 ? null : (100 * held.sats) / all.sats,
    utxo_count: Math.round(held.outputs),
    realized_cap: usd(held.cost),
    realized_cap_percent: over(100 * held.cost, all.cost),
    realized_price: over(held.cost, held.sats),
    mvrv: over(worth, held.cost),
    unrealized_profit: usd(held.gain),
    unrealized_loss: usd(held.loss),
    unrealized_pl: usd(held.gain - held.loss),
    relative_unrealized_profit: over(held.gain, worth),
    relative_unrealized_loss: over(held.loss, worth),
    nupl: over(held.gain - held.loss, worth),
    supply_in_profit: usd(held.inProfit),
    supply_in_loss: usd(held.inLoss),
    supply_in_profit_percent: over(100 * held.inProfit, held.sats),
    supply_in_loss_percent: over(100 * held.inLoss, held.sats),
    spent_volume: btc(spent.sats),
    spent_volume_usd: price === null ? null : btc(spent.sats) * price,
    spent_outputs: Math.round(spent.outputs),
    spent_volume_in_profit: usd(spent.inProfit),
    spent_volume_in_loss: usd(spent.inLoss),
    spent_cost: usd(spent.cost),
    realized_profit: usd(spent.gain),
    realized_loss: usd(spent.loss),
    realized_pl: usd(spent.gain - spent.loss),
    realized_pl_ratio: over(spent.gain, spent.loss),
    sell_side_risk_ratio: over(spent.gain + spent.loss, held.cost),
    sopr: over(spent.sats * (price ?? 0), spent.cost),
    asopr: over(spent.sats1h * (price ?? 0), spent.cost1h),
    spent_volume_1h: btc(spent.sats1h),
    spent_volume_1h_usd: price === null ? null : btc(spent.sats1h) * price,
    spent_cost_1h: usd(spent.cost1h),
    coindays_destroyed: spent.coinDays / 1e8,
    dormancy: spent.sats === 0 ? null : spent.coinDays / spent.sats,
  }
}

/** Least value of a size, as ids write it. */
function satsOf(value: string, unit: string): number {
  const count = Number.parseInt(value, 10) * (/k$/.test(value) ? 1e3 : /m$/.test(value) ? 1e6 : 1)
  return unit === 'btc' ? count * 1e8 : count
}

const exposed = ['p2pk', 'multisig', 'p2tr']
const maxSats = 21e14

/**
 * Whether a kind (see `kindName`) belongs to a cohort by size, type or origin, and its least age in
 * days.
 */
export function kindMembership(cohort: string): { has: (kind: string) => boolean; minAge: number } {
  const [, name = cohort, years = '0'] = /^(exposed|mined)_over_(\d+)y$/.exec(cohort) ?? []
  const minAge = 365 * Number(years)
  const bySats = (from: number, to: number) => ({
    has: (kind: string) => Number(kind.split(',')[2]) >= from && Number(kind.split(',')[2]) < to,
    minAge,
  })
  const threshold = /^(over|under)_(\d+[km]?)_(sats|btc)$/.exec(name)
  const band = /^(\d+[km]?)_(\d+[km]?|plus)_(sats|btc)$/.exec(name)
  if (name === '0_sats') return bySats(0, 1)
  if (threshold) {
    const bound = satsOf(threshold[2]!, threshold[3]!)
    return threshold[1] === 'over' ? bySats(bound, maxSats) : bySats(0, bound)
  }
  if (band) {
    const [, from = '', to = '', unit = ''] = band
    return bySats(satsOf(from, unit), to === 'plus' ? maxSats : satsOf(to, unit))
  }
  const has = (kind: string): boolean => {
    const [mined, type = ''] = kind.split(',')
    if (name === 'mined' || name === 'moved') return mined === String(name === 'mined')
    return name === 'exposed' ? exposed.includes(type) : type === name.replace('other_scripts', 'other')
  }
  return { has, minAge }
}

interface KindCoins {
  readonly created: number
  sats: number
  outputs: number
}

/**
 * For each day the coins that are unspent after it, by kind and creation day, and those that it
 * created and spent.
 */
function* coinsByKind({ closedDays }: Replay) {
  const held = new Map<string, Map<number, KindCoins>>()
  const change = (created: number, kind: string, sats: number, outputs: number): void => {
    const ofKind = held.get(kind) ?? new Map<number, KindCoins>()
    held.set(kind, ofKind)
    const coins = ofKind.get(created) ?? { created, sats: 0, outputs: 0 }
    coins.sats += sats
    coins.outputs += outputs
    if (coins.outputs === 0) ofKind.delete(created)
    else ofKind.set(created, coins)
  }
  for (const { day, created, flows } of closedDays) {
    const made = [...created].filter(([kind]) => !/op_return|unspendable/.test(kind))
    for (const [kind, { sats, outputs }] of made) change(day, kind, sats, outputs)
    const spent = [...flows].flatMap(([from, { byKind, spent: all }]) =>
      [...byKind].map(([kind, { sats, outputs }]) => {
        const meanAge = all.sats === 0 ? 0 : Number(all.satSeconds) / 86_400 / all.sats
        return { created: from, kind, sats, outputs, coinDays: sats * meanAge }
      }),
    )
    for (const { created: from, kind, sats, outputs } of spent) change(from, kind, -sats, -outputs)
    yield { day, made, spent, held }
  }
}

function addParts(to: typeof noCoins, from: typeof noCoins): void {
  to.sats += from.sats
  to.outputs += from.outputs
  to.cost += from.cost
  to.inProfit += from.inProfit
  to.inLoss += from.inLoss
  to.gain += from.gain
  to.loss += from.loss
}

function addSums(to: Sums, from: Sums): void {
  addParts(to.held, from.held)
  addParts(to.spent, from.spent)
  to.spent.coinDays += from.spent.coinDays
}

/**
 * All measures of cohorts by size, type and origin, as `measureSeries`. A spent coin has the mean
 * age of all that were created and spent on the same days. Coins of a kind and of an age between those where cohorts begin are added up once, for all
 * cohorts that have them.
 */
export function kindSeries(replay: Replay, cohorts: readonly string[], { closes, costOn }: Prices) {
  const memberships = cohorts.map((cohort) => ({ cohort, ...kindMembership(cohort) }))
  const minAges = [...new Set(memberships.map(({ minAge }) => minAge))].sort((a, b) => a - b)
  const members = new Map<string, typeof memberships>()
  const membersOf = (kind: string): typeof memberships => {
    const known = members.get(kind) ?? memberships.filter(({ has }) => has(kind))
    members.set(kind, known)
    return known
  }
  const rows: Map<string, Measured>[] = []
  for (const { day, made, spent, held } of coinsByKind(replay)) {
    const price = closes.get(day) ?? null
    const now = price ?? Number.NaN
    const spentByKind = Map.groupBy(spent, ({ kind }) => kind)
    const all = createSums()
    const sums = new Map(cohorts.map((cohort) => [cohort, createSums()]))
    for (const kind of new Set([...held.keys(), ...spentByKind.keys()])) {
      const parts = minAges.map(createSums)
      const partOf = (created: number): Sums => parts[minAges.findLastIndex((minAge) => day - created >= minAge)]!
      for (const { created, sats, outputs } of held.get(kind)?.values() ?? []) {
        addCoins(partOf(created).held, sats, outputs, costOn(created), now)
      }
      for (const { created, sats, outputs, coinDays } of spentByKind.get(kind) ?? []) {
        const part = partOf(created).spent
        addCoins(part, sats, outputs, costOn(created), now)
        part.coinDays += coinDays
      }
      for (const [i, part] of parts.entries()) {
        if (part.held.outputs === 0 && part.spent.outputs === 0) continue
        addSums(all, part)
        for (const { cohort, minAge } of membersOf(kind)) if (minAges[i]! >= minAge) addSums(sums.get(cohort)!, part)
      }
    }
    const ownMade = new Map(cohorts.map((cohort) => [cohort, { sats: 0, outputs: 0 }]))
    for (const [kind, { sats, outputs }] of made) {
      for (const { cohort } of membersOf(kind)) {
        const own = ownMade.get(cohort)!
        own.sats += sats
        own.outputs += outputs
      }
    }
    rows.push(
      new Map(
        cohorts.map((cohort) => {
          const { sats, outputs } = ownMade.get(cohort)!
          const measured = computeMeasures(sums.get(cohort)!, price, all.held)
          return [cohort, { ...measured, created_volume: sats / 1e8, created_outputs: outputs }]
        }),
      ),
    )
  }
  return seriesOf(rows)
}

/** Looks a cohort up once for all its measures: of these there are thousands on as many days. */
function seriesOf(rows: readonly ReadonlyMap<string, Measured>[]) {
  const byCohort = new Map<string, readonly Measured[]>()
  return (measure: string, cohort: string): Values => {
    const own = byCohort.get(cohort) ?? rows.map((row) => row.get(cohort)!)
    byCohort.set(cohort, own)
    return own.map((row) => row[measure] ?? null)
  }
}

/** All measures of cohorts by age on every closed day, by cohort and measure. */
export function measureSeries(replay: Replay, cohorts: readonly string[], halvings: readonly number[], prices: Prices) {
  const memberships = cohorts.map((cohort) => ({ cohort, belongs: membership(cohort, halvings) }))
  const rows = replay.closedDays.map((day) => {
    const coins = pricedCoins(day, prices)
    const all = sumCoins(coins, () => 1).held
    return new Map(
      memberships.map(({ cohort, belongs }) => [cohort, computeMeasures(sumCoins(coins, belongs), coins.price, all)]),
    )
  })
  return seriesOf(rows)
}

/** Unix days on which the blocks 0, interval, 2 × interval … fall. */
export const halvingDays = ({ blocks }: Replay, interval: number): number[] =>
  blocks.filter(({ height }) => height % interval === 0).map(({ day }) => day)
