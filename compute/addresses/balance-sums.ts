import { maxMoneySats, satsPerCoin } from '#base/bitcoin.ts'
import { balanceBounds, usdBounds } from '#contract/balance-measures.ts'
import type { Sample } from '../address-sample.ts'
import { type AddressColumns, type AddressTable, hasSpent, receivedBits, severalReceived } from './address-table.ts'
import { addExposure } from './exposure.ts'
import { RankedCounts } from './ranked-counts.ts'
import { type BandPlaces, balanceBins, difference, known, places, squares, toBin, typePlaces } from './sum-places.ts'

/** More lists of counts by cost, after those of `known` and `difference`. */
const [disagreeing, single] = [2, 3]

/** An average cost this close to the price, relative to it, is equal: costs are rounded. */
const tolerance = 1e-9

/**
 * Sums over all addresses for each new day, in rows of `places`. Sums of satoshis are whole numbers
 * below 2^53, so exact.
 */
export class BalanceSums {
  /** All rows, concatenated. */
  readonly rows: Float64Array
  readonly #sample: Sample
  readonly #width: number
  /** Close of each new day; NaN if unknown. */
  readonly #prices: Float64Array
  /** Balance worth each of `usdBounds`, by day. */
  readonly #minSats: Float64Array
  /** Addresses of the partition by average cost of their coins, and by balance. */
  readonly #costs: RankedCounts
  readonly #balances: RankedCounts
  #day: Float64Array

  constructor(sample: Sample, prices: Float64Array) {
    this.#sample = sample
    this.#prices = prices
    this.#width = places.bins + (sample.modulus === 1 ? 2 * balanceBins : 0)
    this.rows = new Float64Array(this.#width * prices.length)
    this.#day = this.day(0)
    this.#minSats = Float64Array.from({ length: usdBounds.length * prices.length }, (_, i) =>
      toMinSats(usdBounds[i % usdBounds.length]!, prices[Math.floor(i / usdBounds.length)]!),
    )
    const bounds = [1 - tolerance, 1 + tolerance].flatMap((factor) => Array.from(prices, (price) => factor * price))
    this.#costs = new RankedCounts(Float64Array.from(bounds), 4)
    this.#balances = new RankedCounts(this.#minSats, 2)
  }

  /** Returns the row of a new day, counted from the first new one. */
  day(i: number): Float64Array {
    return this.rows.subarray(i * this.#width, (i + 1) * this.#width)
  }

  /** Starts the counts by cost and balance with the addresses before the first new day. */
  startPartition(...groups: readonly (AddressColumns | undefined)[]): void {
    this.#costs.clear()
    this.#balances.clear()
    for (const group of groups) for (let i = 0; i < (group?.length ?? 0); i++) this.#addRanks(group!, i, 1)
  }

  startDay(i: number): void {
    this.#day = this.day(i)
  }

  /** Adds an address to the sums of the day; a `sign` of −1 removes it. */
  add(table: AddressTable, slot: number, sign: number): void {
    const day = this.#day
    const isSampled = this.#isSampled(table.lows[slot]!)
    this.#addRanks(table, slot, sign)
    addExposure(day, table, slot, isSampled, sign)
    const [sats, large] = [table.sats[slot]!, table.largeSats[slot]!]
    const [cost, largeCost] = [table.costs[slot]!, table.largeCosts[slot]!]
    const [coins, largeCoins] = [sats / satsPerCoin, large / satsPerCoin]
    const type = typePlaces[table.types[slot]!]!
    const other = findBand(large)
    if (other) addAccount(day, other, type, known, large, largeCost, sign)
    day[places.balanceSquares + known]! += sign * largeCoins ** 2
    if (!isSampled || sats === 0) return
    const own = findBand(sats)!
    addAccount(day, own, type, difference, sats, cost, sign)
    if (other) addAccount(day, other, type, difference, large, largeCost, -sign)
    day[places.balanceSquares + difference]! += sign * (coins ** 2 - largeCoins ** 2)
    const habits = table.habits[slot]!
    if ((habits & hasSpent) === 0 && (habits & receivedBits) >= severalReceived) {
      day[places.accumulating]! += sign
      day[places.accumulatingSats]! += sign * sats
    }
    if (this.#sample.modulus === 1) {
      const bin = places.bins + toBin(sats)
      day[bin]! += sign
      day[bin + balanceBins]! += sign * sats
      return
    }
    const rest = coins - largeCoins
    day[places.restSquares]! += sign * rest ** 2
    day[places.balanceSquares + squares]! += sign * (coins ** 2 - largeCoins ** 2) ** 2
    day[own.overSquares]! += sign * coins ** 2
    day[own.overProducts]! += sign * coins * rest
    if (other) {
      day[other.overSquares]! += sign * (rest ** 2 - coins ** 2)
      day[other.overProducts]! += sign * (rest ** 2 - coins * rest)
    }
    if (own === other) addSquares(day, own, 0, rest, cost - largeCost, rest, sign)
    else {
      addSquares(day, own, 1, coins, cost, rest, sign)
      if (other) addSquares(day, other, -1, -largeCoins, -largeCost, rest, sign)
    }
  }

  /** Adds an address to the counts by cost and balance, which persist from day to day. */
  #addRanks(table: AddressColumns, slot: number, sign: number): void {
    const [costs, balances] = [this.#costs, this.#balances]
    const [sats, large] = [table.sats[slot]!, table.hasLarge ? table.largeSats[slot]! : 0]
    const largeCost = large > 0 ? costs.rank(table.largeCosts[slot]! / (large / satsPerCoin)) : 0
    const largeBalance = large > 0 ? balances.rank(large) : 0
    if (large > 0) {
      costs.add(known, largeCost, sign)
      balances.add(known, largeBalance, sign)
    }
    if (sats === 0 || !this.#isSampled(table.lows[slot]!)) return
    const cost = costs.rank(table.costs[slot]! / (sats / satsPerCoin))
    costs.add(difference, cost, sign)
    balances.add(difference, balances.rank(sats), sign)
    if (large === 0) costs.add(single, cost, sign)
    else {
      costs.add(difference, largeCost, -sign)
      balances.add(difference, largeBalance, -sign)
      // The two accounts disagree only while the price lies between their mean costs.
      costs.add(disagreeing, Math.min(cost, largeCost), sign)
      costs.add(disagreeing, Math.max(cost, largeCost), -sign)
    }
  }

  #isSampled(low: number): boolean {
    return (low & (this.#sample.modulus - 1)) === this.#sample.residue
  }

  /**
   * Counts the day's events of a sampled address.
   * @param idleDays days since its last event; undefined for a new address
   */
  addEvents(low: number, idleDays: number | undefined, wasFunded: boolean, isFunded: boolean): void {
    if (!this.#isSampled(low)) return
    const day = this.#day
    const { events } = places
    if (idleDays === undefined) day[events.new]!++
    if (idleDays === undefined) day[places.ever]!++
    else if (idleDays >= 365) day[events.reactivated_1y]!++
    if ((idleDays ?? 0) >= 5 * 365) day[events.reactivated_5y]!++
    if (isFunded && !wasFunded) day[events.newly_funded]!++
    if (wasFunded && !isFunded) day[events.emptied]!++
  }

  /** Adds the partition's counts by cost and balance at the close of a day. */
  endDay(i: number): void {
    const price = this.#prices[i]!
    if (Number.isNaN(price)) return
    const [costs, below, above] = [this.#costs, (1 - tolerance) * price, (1 + tolerance) * price]
    for (const part of [known, difference]) {
      this.#day[places.profit + part]! += costs.below(part, below)
      this.#day[places.loss + part]! += costs.atLeast(part, above)
    }
    this.#day[places.profit + squares]! += costs.below(disagreeing, below) + costs.below(single, below)
    this.#day[places.loss + squares]! += costs.below(disagreeing, above) + costs.atLeast(single, above)
    for (const [bound, place] of places.usd.entries()) {
      const minSats = this.#minSats[usdBounds.length * i + bound]!
      for (const part of [known, difference]) this.#day[place + part]! += this.#balances.atLeast(part, minSats)
    }
  }

  /** Adds the rows of another partition. Call it before `accumulate`. */
  addRows(rows: Float64Array): void {
    for (let i = 0; i < rows.length; i++) this.rows[i]! += rows[i]!
  }

  /**
   * Turns changes into sums.
   * @param before running sums before the first new day
   */
  accumulate(before: Float64Array | undefined): void {
    const { rows } = this
    for (let i = 0; i < (before?.length ?? 0); i++) rows[places.running + i]! += before![i]!
    for (let at = this.#width; at < rows.length; at++) {
      if (at % this.#width >= places.running) rows[at]! += rows[at - this.#width]!
    }
  }

  /** Returns the running sums after a day, to continue from. */
  runningSums(i: number): Float64Array {
    return this.day(i).slice(places.running)
  }
}

/** Adds an account to one part of the sums. */
function addAccount(
  day: Float64Array,
  band: BandPlaces,
  type: number,
  part: number,
  sats: number,
  cost: number,
  sign: number,
): void {
  day[band.count + part]! += sign
  day[band.sats + part]! += sign * sats
  day[band.cost + part]! += sign * cost
  day[type + part]! += sign
}

/** Adds squares and products of the differences between both accounts. */
function addSquares(
  day: Float64Array,
  band: BandPlaces,
  count: number,
  coins: number,
  cost: number,
  rest: number,
  sign: number,
): void {
  day[band.count + squares]! += sign * count ** 2
  day[band.sats + squares]! += sign * coins ** 2
  day[band.cost + squares]! += sign * cost ** 2
  day[band.satsProducts]! += sign * coins * rest
  day[band.costProducts]! += sign * cost * coins
}

function findBand(sats: number): BandPlaces | undefined {
  let band: BandPlaces | undefined
  for (let i = 0; i < balanceBounds.length && sats >= balanceBounds[i]!; i++) band = places.bands[i]
  return band
}

/** Returns the lowest balance that is worth `usd`. */
function toMinSats(usd: number, price: number): number {
  let sats = Math.ceil((usd / price) * satsPerCoin)
  // More than can exist, and possibly above 2^53.
  if (!(sats <= maxMoneySats)) return sats
  // Corrects rounding: a coin at 100,000 USD is worth 100,000 USD.
  while (((sats - 1) / satsPerCoin) * price >= usd) sats--
  while ((sats / satsPerCoin) * price < usd) sats++
  return sats
}
