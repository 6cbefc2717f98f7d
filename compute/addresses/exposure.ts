import { satsPerCoin } from '#base/bitcoin.ts'
import { hidingTypes } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { minLargeSats, type Sample } from '../address-sample.ts'
import { type AddressTable, hasSpent, hasSpentLarge } from './address-table.ts'
import { type Estimate, estimateCount, estimateSum, width } from './estimates.ts'

const isHiding = scriptTypes.map((type) => hidingTypes.includes(type))

/** Large coins by powers of ten; the largest have too few addresses for one more. */
const groups = [1, 10, 100].map((factor) => factor * minLargeSats)
const toGroup = (sats: number): number => groups.findLastIndex((bound) => sats >= bound)

/**
 * The addresses whose key or script was shown by a spend, their own or that of the key's other
 * address, and their coins. Spends of large outputs are known for every address. Of large coins
 * that none of these shows, the sample has the share that other spends show, by size; and of small
 * coins, that of small coins.
 *
 * Columns hold changes from day to day, then sums.
 */
export class ExposureSums {
  readonly columns: readonly Float64Array[]
  readonly #known: Float64Array
  readonly #difference: Float64Array
  readonly #largeSats: Float64Array
  readonly #smallSats: Float64Array
  readonly #smallSquares: Float64Array
  /**
   * Large coins that no large spend shows: addresses in the sample, shown ones among them, BTC of
   * the others, and its squares.
   */
  readonly #hidden: readonly (readonly [Float64Array, Float64Array, Float64Array, Float64Array])[]

  constructor(days: number) {
    const column = (): Float64Array => new Float64Array(days)
    this.#known = column()
    this.#difference = column()
    this.#largeSats = column()
    this.#smallSats = column()
    this.#smallSquares = column()
    this.#hidden = groups.map(() => [column(), column(), column(), column()] as const)
    const own = [this.#known, this.#difference, this.#largeSats, this.#smallSats, this.#smallSquares]
    this.columns = [...own, ...this.#hidden.flat()]
  }

  /** Adds an address, or removes it with a `sign` of −1. */
  add(table: AddressTable, slot: number, isSampled: boolean, sign: number, column: number): void {
    const sats = table.sats[slot]!
    if (sats === 0 || !isHiding[table.types[slot]!]) return
    const partner = table.partner(slot)
    const habits = table.habits[slot]! | (partner < 0 ? 0 : table.habits[partner]!)
    const large = table.largeSats[slot]!
    const isShown = (habits & hasSpent) !== 0
    const isKnown = large > 0 && (habits & hasSpentLarge) !== 0
    if (isKnown) this.#known[column]! += sign
    if (large > 0 && !isKnown) {
      const [count, shown, others, squares] = this.#hidden[toGroup(large)]!
      if (isSampled) {
        count[column]! += sign
        if (isShown) shown[column]! += sign
      } else {
        others[column]! += (sign * large) / satsPerCoin
        squares[column]! += sign * (large / satsPerCoin) ** 2
      }
    }
    if (isKnown || (isSampled && isShown)) this.#largeSats[column]! += sign * large
    if (!isSampled || !isShown) return
    if (!isKnown) this.#difference[column]! += sign
    this.#smallSats[column]! += sign * (sats - large)
    this.#smallSquares[column]! += sign * ((sats - large) / satsPerCoin) ** 2
  }

  count(day: number, sample: Sample): Estimate {
    return estimateCount(sample, this.#known[day]!, this.#difference[day]!)
  }

  /**
   * Their coins in BTC. `squares` is the sum over the sample of the squares of small coins, and
   * `missing` what the sample misses of all small coins; both are 0 if too few addresses are in it.
   */
  supply(day: number, sample: Sample, squares: number, missing: number): Estimate {
    let [large, below, above, share] = [this.#largeSats[day]! / satsPerCoin, 0, 0, 0]
    for (const [counts, shownCounts, others, othersSquares] of this.#hidden) {
      const [count, shown, coins] = [counts[day]!, shownCounts[day]!, Math.max(0, others[day]!)]
      if (count > 0) share = shown / count
      large += share * coins
      // Wilson's interval of the share, and chance in which of the other addresses are shown.
      const trials = count + width ** 2
      const middle = (shown + width ** 2 / 2) / trials
      const half = (width / trials) * Math.sqrt(share * (1 - share) * count + width ** 2 / 4)
      const chance = width ** 2 * middle * (1 - middle) * Math.max(0, othersSquares[day]!)
      below += ((share - middle + half) * coins) ** 2 + chance
      above += ((middle + half - share) * coins) ** 2 + chance
    }
    const shown = this.#smallSquares[day]!
    const slope = squares > 0 ? shown / squares : 0
    return estimateSum(sample, {
      ...{ known: large, difference: this.#smallSats[day]! / satsPerCoin, squares: (1 - slope) * shown },
      ...{ unseen: minLargeSats / satsPerCoin, correction: slope * missing, below, above },
    })
  }
}
