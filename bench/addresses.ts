import { minLargeSats, type Sample } from '#compute/address-sample.ts'
import { AddressEvents, eventSats, eventWords } from '#compute/addresses/address-events.ts'
import { addressFiles } from '#compute/addresses/address-files.ts'
import { replayPartition } from '#compute/addresses/address-replay.ts'
import { BalanceSums } from '#compute/addresses/balance-sums.ts'
import { type Estimate, isShown } from '#compute/addresses/estimates.ts'
import { measureBalances } from '#compute/addresses/measure-balances.ts'
import { balanceBounds, balanceMeasures } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { hasPartner, partnerHigh } from '#ingest/chain/address-identity.ts'
import { Random } from '#test/support/random.ts'
import { measure, print } from './report.ts'

const mixes = Number(process.env.MIXES ?? 32)
/** Millions of addresses in a population; mainnet has 55. */
const millions = Number(process.env.MILLIONS ?? 55)
/** Addresses of mainnet in 2026, about, with at least each of `balanceBounds`: as shares of all. */
const shares = [1, 24 / 55, 12.5 / 55, 4.6 / 55, 1 / 55, 0.155 / 55, 0.016 / 55, 0.002 / 55, 90 / 55e6]
const classes = 64
const day = 20_000
const priceDays = 4_000
const minSampled = 30
/** Few enough that their table fits into the caches. */
const addressesPerPart = 250_000

/** Distributions of balances, coins, prices and script types. */
interface Mix {
  readonly shares: readonly number[]
  /** Share of addresses with one coin, and mean number of further coins of others. */
  readonly single: number
  readonly moreCoins: number
  /** Share of the rest that a coin takes: near 1, one coin has almost all. */
  readonly concentration: number
  readonly cost: Float64Array
  readonly price: number
  readonly typeShares: readonly number[]
}

/**
 * Minimum balances, shares of their addresses that have spent, and of these that spent large
 * outputs.
 */
const spendings = [
  [100 * minLargeSats, 0.4, 0.85],
  [10 * minLargeSats, 0.25, 0.8],
  [minLargeSats, 0.2, 0.6],
  [1, 0.15, 0.01],
] as const
type Spending = readonly [minSats: number, all: number, large: number]

const types = (['p2pkh', 'p2wpkh', 'p2tr', 'p2sh', 'p2wsh'] as const).map((type) => scriptTypes.indexOf(type))

function makeMix(random: Random): Mix {
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  const cost = new Float64Array(priceDays)
  const volatility = 0.02 + 0.04 * random.next()
  cost[0] = 100
  for (let day = 1; day < priceDays; day++) cost[day] = cost[day - 1]! * Math.exp(0.0015 + volatility * normal())
  let above = 1
  return {
    shares: shares.map((share, i) => {
      above = i === 0 ? 1 : Math.min(0.9 * above, share * Math.exp(0.4 * normal()))
      return above
    }),
    single: 0.4 + 0.5 * random.next(),
    moreCoins: 1 + 9 * random.next() ** 2,
    concentration: 0.2 + 0.7 * random.next(),
    cost,
    price: cost.at(-1)! * Math.exp(0.5 * normal()),
    typeShares: types.map(() => random.next()),
  }
}

/** Uniform in the logarithm between the bounds of a band. */
function drawBalance(random: Random, { shares }: Mix): number {
  const place = random.next()
  let band = 0
  while (band + 1 < shares.length && place < shares[band + 1]!) band++
  const [low, high] = [balanceBounds[band]!, balanceBounds[band + 1] ?? 20 * balanceBounds[band]!]
  return Math.floor(low * (high / low) ** random.next())
}

/**
 * Counts addresses that are in a band, or over its lower bound, by all coins but not by large
 * coins, or the reverse.
 */
class Differing {
  readonly #bands = balanceBounds.map(() => 0)
  readonly #over = balanceBounds.map(() => 0)

  add(sats: number, largeSats: number): void {
    const [own, large] = [sats, largeSats].map((balance) => balanceBounds.findLastIndex((bound) => balance >= bound))
    if (own === large) return
    this.#bands[own!]!++
    if (large! >= 0) this.#bands[large!]!++
    for (let band = large! + 1; band <= own!; band++) this.#over[band]!++
  }

  /** Count for a measure's value or price. */
  of(name: string): number {
    const balances = name.replace(/^(supply|realized_price)_/, '')
    return this.#over[families.over.indexOf(balances)] ?? this.#bands[families.band.indexOf(balances)]!
  }
}

/** Coins of a part of the addresses, older than the only day of the pass. */
function makePart(
  random: Random,
  mix: Mix,
  spends: Random,
  spendings: readonly Spending[],
  differing: Differing,
): Uint32Array {
  const count = addressesPerPart
  const size = Math.ceil(count * (1 + mix.moreCoins) * 1.2 + 2 * count)
  const events = new AddressEvents()
  const totalShare = mix.typeShares.reduce((sum, share) => sum + share, 0)
  let at = 0
  for (let i = 0; i < count; i++) {
    const high = random.between(0, 2 ** 32 - 1)
    const low = random.between(0, 2 ** 32 - 1)
    let place = random.next() * totalShare
    let type = 0
    while (type + 1 < types.length && place > mix.typeShares[type]!) place -= mix.typeShares[type++]!
    const firstDay = random.between(0, priceDays - 1)
    const balance = drawBalance(random, mix)
    let [left, large] = [balance, 0]
    let coins = random.next() < mix.single ? 1 : 2
    while (coins > 1 && coins < 60 && random.next() < 1 - 1 / mix.moreCoins) coins++
    for (; left > 0 && at < size; coins--) {
      const taken = coins <= 1 ? left : Math.max(1, Math.floor(left * mix.concentration * random.next()))
      const createdDay = Math.min(priceDays - 1, firstDay + Math.floor(400 * random.next()))
      events.add(day, day + createdDay, types[type]!, high, low, taken)
      if (taken >= minLargeSats) large += taken
      left -= taken
      at++
    }
    differing.add(balance, large)
    const [, spent, spentLarge] = spendings.find(([minSats]) => balance >= minSats)!
    if (spends.next() >= spent) continue
    const spentSats = spends.next() < spentLarge ? minLargeSats : 1
    // Of some keys, the other address has spent.
    const isOther = hasPartner(types[type]!) && spends.next() < 0.05
    const own = isOther ? ([types[1 - type]!, partnerHigh(high)] as const) : ([types[type]!, high] as const)
    for (const sign of [1, -1]) events.add(day, day, ...own, low, sign * spentSats)
    at += 2
  }
  return events.words
}

function choose(events: Uint32Array, places: readonly number[]): Uint32Array {
  const chosen = new Uint32Array(eventWords * places.length)
  for (const [i, place] of places.entries()) chosen.set(events.subarray(place, place + eventWords), eventWords * i)
  return chosen
}

/** Replays and measures a population in parts. */
function openReplay(sample: Sample, { cost, price }: Mix) {
  const prices = Float64Array.of(price)
  const sums = new BalanceSums(sample, prices)
  const inputs = { sample, firstDay: day, after: -1, days: 1, price: prices, cost, cut: undefined }
  return {
    add: (part: number, events: Uint32Array) =>
      void replayPartition(sums, part, events, undefined, addressFiles('', ''), inputs),
    measure: (supply: Float64Array) => {
      sums.accumulate(undefined)
      return measureBalances(sums, { sample, firstDay: day, prices, supply })
    },
  }
}

const { shape: _shape, events: _events, habits: _habits, ever: _ever, ...families } = balanceMeasures

interface Coverage {
  all: number
  inside: number
  shown: number
  shownInside: number
}

/**
 * Draws populations like mainnet's, estimates each from all 64 classes, and counts intervals that
 * contain the exact value, for measures decided by at least thirty addresses of the sample. MIXES
 * and MILLIONS make it shorter.
 */
export async function benchAddresses(): Promise<void> {
  console.log(`\naddresses: ${mixes} populations of ${millions} million addresses, each in ${classes} samples`)
  const coverage = new Map(
    Object.keys(families).map((name) => [name, { all: 0, inside: 0, shown: 0, shownInside: 0 } satisfies Coverage]),
  )
  const { cpuSeconds } = await measure(async () => {
    for (let number = 0; number < mixes; number++)
      addPopulation(new Random(7_000 + number), new Random(8_000 + number), coverage)
  })
  for (const [name, { all, inside, shown, shownInside }] of coverage) {
    const percent = (part: number, of: number): string => `${((100 * part) / of).toFixed(2)} %`
    print(`intervals of ${name} that contain the value`, percent(inside, all), {
      beside: `${all} intervals; of the ${shown} that are published ${percent(shownInside, shown)}`,
      aim: '93.5 to 96.5 %',
    })
  }
  console.log(`${cpuSeconds.toFixed(0)} CPU-seconds`)
}

function addPopulation(random: Random, spends: Random, coverage: ReadonlyMap<string, Coverage>): void {
  const mix = makeMix(random)
  const varied = spendings.map(
    ([minSats, all, large]): Spending => [
      minSats,
      all * (0.5 + spends.next()),
      1 - (1 - large) * (0.5 + spends.next()),
    ],
  )
  const exactReplay = openReplay({ modulus: 1, residue: 0 }, mix)
  const replays = Array.from({ length: classes }, (_, residue) => openReplay({ modulus: classes, residue }, mix))
  const supply = new Float64Array(1)
  const differing = new Differing()
  const parts = Math.ceil((millions * 1e6) / addressesPerPart)
  for (let part = 0; part < parts; part++) {
    const all = makePart(random, mix, spends, varied, differing)
    exactReplay.add(part, all)
    const own = Array.from({ length: classes }, () => [] as number[])
    const large: number[] = []
    for (let at = 0; at < all.length; at += eventWords) {
      const sats = eventSats(all, at)
      supply[0]! += sats
      own[all[at + 1]! % classes]!.push(at)
      if (Math.abs(sats) >= minLargeSats) large.push(at)
    }
    for (const [residue, replay] of replays.entries()) {
      const others = large.filter((at) => all[at + 1]! % classes !== residue)
      replay.add(part, choose(all, [...own[residue]!, ...others]))
    }
  }
  const exact = exactReplay.measure(supply)
  const sampled = replays.map((replay) => replay.measure(supply))
  for (const [family, names] of Object.entries(families)) {
    const counts = coverage.get(family)!
    for (const name of names) {
      const exactly = (measure: string): number => exact.get(measure)?.[0]?.value ?? 0
      // Large coins are known, so few addresses decide the value of large balances.
      const isValue = /^(supply|realized_price)_(over|band)/.test(name)
      const addresses = isValue ? differing.of(name) : exactly(name.replace('supply_', ''))
      if (addresses < minSampled * classes || name === 'supply_over_0') continue
      for (const estimates of sampled) addInterval(counts, estimates.get(name)![0]!, exactly(name))
    }
  }
}

function addInterval(counts: Coverage, estimate: Estimate, value: number): void {
  const { low, high } = estimate
  // Sums of satoshis in BTC are rounded.
  const isInside = low <= value * (1 + 1e-12) && value * (1 - 1e-12) <= high
  counts.all++
  counts.inside += Number(isInside)
  if (!isShown(estimate, false)) return
  counts.shown++
  counts.shownInside += Number(isInside)
}
