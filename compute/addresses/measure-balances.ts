import { satsPerCoin } from '#base/bitcoin.ts'
import { isoDate } from '#base/days.ts'
import { balanceBounds, balanceMeasureNames, balanceMeasures } from '#contract/balance-measures.ts'
import { minLargeSats, type Sample } from '../address-sample.ts'
import type { BalanceSums } from './balance-sums.ts'
import { type Estimate, estimateCount, estimateSum } from './estimates.ts'
import { estimateExposedSupply } from './exposure.ts'
import { type BandPlaces, balanceBins, difference, known, places, squares } from './sum-places.ts'

/** Maximum deviations from the supply, checked from `minAddresses` sampled addresses on. */
const maxDeviations = 8
const minAddresses = 1000
/** Minimum sampled addresses for a regression. */
const minRegression = 100

/**
 * Assumed balance of an address that the sample may miss: the geometric mean of the band's bounds.
 */
const unseenSats = (band: number): number =>
  band === 0 ? balanceBounds[1]! / Math.sqrt(10) : balanceBounds[band]! * Math.sqrt(10)

/**
 * Assumed difference of squares (of BTC) for such an address, for the Herfindahl index: 10 BTC of
 * small coins beside the largest known account.
 */
const unseenSquares = (knownSquares: number): number => 10_000 + 10 * Math.sqrt(knownSquares)

/** USD. Lower prices are rounding errors of coins that cost nothing. */
const minPrice = 1e-6

const exactly = (value: number): Estimate => ({ value, low: value, high: value })

const unknown = exactly(Number.NaN)

const divide = ({ value, low, high }: Estimate, divisor: number): Estimate => ({
  value: value / divisor,
  low: low / divisor,
  high: high / divisor,
})

export interface MeasureInputs {
  readonly sample: Sample
  /** First new unix day. */
  readonly firstDay: number
  /** Close of each new day. */
  readonly prices: Float64Array
  /** Satoshis of all addresses after each new day. Default: those of the sums. */
  readonly supply?: Float64Array
  /** Satoshis in outputs that show a key, after each new day. */
  readonly structural?: Float64Array
}

/**
 * Estimates the measures of each new day, by name, from accumulated sums. Throws `RangeError` if
 * balances differ from the supply.
 */
export function measureBalances(sums: BalanceSums, inputs: MeasureInputs): Map<string, Estimate[]> {
  const { sample, firstDay, prices, supply, structural } = inputs
  const measures = new Map(balanceMeasureNames.map((name): [string, Estimate[]] => [name, []]))
  for (const [i, price] of prices.entries()) {
    const day = new DayMeasures(sample, sums.day(i), supply?.[i], (name, estimate) =>
      measures.get(name)!.push(estimate),
    )
    day.checkSupply(isoDate(firstDay + i))
    day.addCounts(price)
    day.addBands()
    day.addExposure(structural?.[i] ?? 0)
    day.addShape()
  }
  return measures
}

type AddMeasure = (name: string, estimate: Estimate) => void

class DayMeasures {
  readonly #sample: Sample
  readonly #day: Float64Array
  readonly #add: AddMeasure
  /** Satoshis of all addresses: estimated, counted from the outputs, and their difference. */
  readonly #held: number
  readonly #supply: number
  readonly #missing: number
  /** Sampled addresses without large coins. */
  readonly #differing: number
  /** Whether to correct values by the missing supply. */
  readonly #canRegress: boolean

  constructor(sample: Sample, day: Float64Array, supply: number | undefined, add: AddMeasure) {
    this.#sample = sample
    this.#day = day
    this.#add = add
    this.#held = this.#total((band) => band.sats)
    this.#supply = supply ?? this.#held
    this.#missing = this.#supply - this.#held
    this.#differing = places.bands.reduce((sum, { count }) => sum + day[count + difference]!, 0)
    this.#canRegress = this.#differing >= minRegression && day[places.restSquares]! > 0
  }

  checkSupply(date: string): void {
    const { modulus } = this.#sample
    const deviation = Math.sqrt(modulus * (modulus - 1) * Math.max(0, this.#day[places.restSquares]!)) * satsPerCoin
    const isChecked = modulus === 1 || this.#differing >= minAddresses
    if (!isChecked || Math.abs(this.#missing) <= maxDeviations * deviation) return
    const error = modulus === 1 ? '' : `, give or take ${Math.round(deviation)}`
    throw new RangeError(`on ${date} addresses hold ${this.#held} satoshis${error}; outputs have ${this.#supply}`)
  }

  addCounts(price: number): void {
    const day = this.#day
    const { modulus } = this.#sample
    const sampled = (place: number): Estimate => estimateCount(this.#sample, 0, day[place]!)
    for (const [i, place] of places.types.entries()) this.#add(balanceMeasures.type[i]!, this.#count(place))
    for (const name of balanceMeasures.events) this.#add(name, sampled(places.events[name]))
    this.#add('ever', sampled(places.ever))
    for (const [i, place] of places.usd.entries()) {
      this.#add(balanceMeasures.overUsd[i]!, Number.isNaN(price) ? unknown : this.#count(place))
    }
    this.#add('in_profit', this.#count(places.profit, day[places.profit + squares]!))
    this.#add('in_loss', this.#count(places.loss, day[places.loss + squares]!))
    this.#add('accumulating', sampled(places.accumulating))
    this.#add('supply_accumulating', modulus === 1 ? exactly(day[places.accumulatingSats]! / satsPerCoin) : unknown)
  }

  /** Adds addresses and coins from each bound on, and between neighbouring bounds. */
  addBands(): void {
    const day = this.#day
    const meanCost = this.#held > 0 ? this.#total((band) => band.cost) / (this.#held / satsPerCoin) : 0
    let [count, differing, sats, satsDifference, squaresOver, products] = [0, 0, 0, 0, 0, 0]
    for (let i = places.bands.length - 1; i >= 0; i--) {
      const band = places.bands[i]!
      count += day[band.count + known]!
      differing += day[band.count + difference]!
      sats += day[band.sats]!
      satsDifference += day[band.sats + difference]!
      squaresOver += day[band.overSquares]!
      products += day[band.overProducts]!
      this.#add(balanceMeasures.over[i]!, estimateCount(this.#sample, count, differing))
      // Without a regression, all BTC that the sums miss is added to the bounds below `minLargeSats`.
      const slope = Number(balanceBounds[i]! < minLargeSats)
      const over = this.#coins(i, sats, satsDifference, squaresOver, products, slope)
      this.#add(balanceMeasures.supplyOver[i]!, i === 0 ? exactly(this.#supply / satsPerCoin) : over)
      this.#add(balanceMeasures.band[i]!, this.#count(band.count, day[band.count + squares]!))
      const [own, ownDifference, ownSquares] = day.subarray(band.sats)
      const coins = this.#coins(i, own!, ownDifference!, ownSquares!, day[band.satsProducts]!, 0)
      this.#add(balanceMeasures.supplyBand[i]!, coins)
      this.#add(balanceMeasures.priceBand[i]!, this.#realizedPrice(i, band, meanCost))
    }
  }

  /** @param structural satoshis in outputs that show a key */
  addExposure(structural: number): void {
    const [countName, supplyName, totalName] = balanceMeasures.exposure
    const [squares, missing] = this.#canRegress ? [this.#day[places.restSquares]!, this.#missing / satsPerCoin] : [0, 0]
    const { value, low, high } = estimateExposedSupply(this.#day, this.#sample, squares, missing)
    const others = structural / satsPerCoin
    this.#add(countName, this.#count(places.exposed))
    this.#add(supplyName, { value, low, high })
    this.#add(totalName, { value: value + others, low: low + others, high: high + others })
  }

  /** Adds measures of the distribution; from a sample, only the Herfindahl index. */
  addShape(): void {
    const day = this.#day
    const isExact = this.#sample.modulus === 1
    const distribution = isExact ? measureDistribution(day.subarray(places.bins)) : undefined
    for (const name of ['gini', 'top_1_percent', 'top_100', 'median'] as const) {
      this.#add(name, exactly(distribution?.[name] ?? Number.NaN))
    }
    const [sum, differing, squared] = day.subarray(places.balanceSquares)
    const parts = { known: sum!, difference: differing!, squares: squared!, unseen: unseenSquares(sum!) }
    this.#add('herfindahl', divide(estimateSum(this.#sample, parts), (this.#supply / satsPerCoin) ** 2))
  }

  #count(place: number, squares?: number): Estimate {
    return estimateCount(this.#sample, this.#day[place]!, this.#day[place + difference]!, squares)
  }

  /** Estimates a sum over all bands. */
  #total(place: (band: BandPlaces) => number): number {
    const total = (part: number): number => places.bands.reduce((sum, band) => sum + this.#day[place(band) + part]!, 0)
    return total(known) + this.#sample.modulus * total(difference)
  }

  /**
   * Estimates the BTC of a band, or from its bound on, by regression on the known supply.
   * @param squares of the differences between both accounts of these addresses
   * @param products of these differences and the BTC that large accounts lack
   */
  #coins(band: number, known: number, difference: number, squares: number, products: number, defaultSlope: number) {
    const all = this.#day[places.restSquares]!
    const slope = this.#canRegress ? products / all : defaultSlope
    const rest = Math.max(0, squares - 2 * slope * products + slope ** 2 * all) * satsPerCoin ** 2
    const parts = { known, difference, squares: rest, unseen: unseenSats(band), correction: slope * this.#missing }
    return divide(estimateSum(this.#sample, parts), satsPerCoin)
  }

  /** Cost per coin, with the error of a quotient of two sums. */
  #realizedPrice(i: number, band: BandPlaces, meanCost: number): Estimate {
    const day = this.#day
    const { modulus } = this.#sample
    const costs = day[band.cost]! + modulus * day[band.cost + difference]!
    const coins = (day[band.sats]! + modulus * day[band.sats + difference]!) / satsPerCoin
    if (coins <= 0) return unknown
    const quotient = costs / coins
    const value = quotient < minPrice ? 0 : quotient
    const [costSquares, satsSquares] = [day[band.cost + squares]!, day[band.sats + squares]!]
    const error = costSquares - 2 * value * day[band.costProducts]! + value ** 2 * satsSquares
    // The few addresses of a band can all have paid nothing, or much more than others.
    const unseen = 2 * Math.max(value, meanCost) * (unseenSats(i) / satsPerCoin)
    const { low, high } = estimateSum(this.#sample, { known: costs, difference: 0, squares: error, unseen })
    return { value, low: low / coins, high: high / coins }
  }
}

/** Measures the distribution from addresses and satoshis by bin of balance. */
function measureDistribution(bins: Float64Array) {
  const [counts, sums] = [bins.subarray(0, balanceBins), bins.subarray(balanceBins)]
  const addresses = counts.reduce((sum, count) => sum + count, 0)
  const held = sums.reduce((sum, sats) => sum + sats, 0)
  const heldByTop = (count: number): number => {
    let [left, sats] = [count, 0]
    for (let bin = balanceBins - 1; bin >= 0 && left > 0; bin--) {
      if (counts[bin] === 0) continue
      const taken = Math.min(left, counts[bin]!)
      sats += (taken / counts[bin]!) * sums[bin]!
      left -= taken
    }
    return sats
  }
  let [below, twice, ranked, median] = [0, 0, 0, Number.NaN]
  for (let bin = 0; bin < balanceBins; bin++) {
    const count = counts[bin]!
    if (count === 0) continue
    twice += count * (2 * below + sums[bin]!)
    below += sums[bin]!
    if (ranked < addresses / 2 && ranked + count >= addresses / 2) median = sums[bin]! / count / satsPerCoin
    ranked += count
  }
  return {
    gini: addresses > 0 ? 1 - twice / addresses / held : Number.NaN,
    top_1_percent: (100 * heldByTop(addresses / 100)) / held,
    top_100: (100 * heldByTop(100)) / held,
    median,
  }
}
