import { hoursPerDay } from '#base/days.ts'
import { addEvidence, firstShares, type OutputsBelow, roundAmounts, toPosition } from './hour-evidence.ts'

/** Prices between 0.001 and 10,000,000 USD. */
const base = toPosition(0.001)
const positions = toPosition(1e7) - base
/** Length of a path's state. */
export const stateLength = positions + roundAmounts.length + 1
/** Positions on each side of the best one that are tried: prices up to 2.2 times as high or low. */
const reach = 350
/** Cost of a step of one position in an hour: twice the price of its likelihood in calm hours. */
const stepCost = 0.7
/** Other prices are those that differ by 5 %. */
const otherDistance = 20

/** Days after which a day is decided, from the evidence of these days too. */
export const decisionDays = 3
const rememberedHours = (decisionDays + 1) * hoursPerDay

/** An hour with what is needed to go back from it. */
interface PathHour {
  readonly hour: number
  readonly first: number
  readonly from: Int16Array
}

/**
 * Best path of prices through hours in order: each step costs in proportion to its size, each hour
 * adds its evidence. Keeps what the last days need.
 */
export class PricePath {
  readonly #scores: Float64Array
  /** Share of all outputs that pay each amount. */
  readonly shares: Float64Array
  #hours: PathHour[] = []
  #best: number
  #hour: number

  /**
   * @param anchorHour first hour; hours count from 1970
   * @param price USD at that hour
   * @param state of an earlier path before `anchorHour`, to continue it
   */
  constructor(anchorHour: number, price: number, state?: Float64Array) {
    this.#hour = state?.at(-1) ?? anchorHour - 1
    this.shares = state?.slice(positions, -1) ?? firstShares.slice()
    this.#scores = state?.slice(0, positions) ?? new Float64Array(positions).fill(Number.NEGATIVE_INFINITY)
    this.#best = Math.min(positions - 1, Math.max(0, Math.round(toPosition(price) - base)))
    if (state) this.#best = this.#findBest(0, positions - 1)
    else this.#scores[this.#best] = 0
  }

  /** Copy of the state from which a later run continues. */
  get state(): Float64Array {
    return Float64Array.of(...this.#scores, ...this.shares, this.#hour)
  }

  addHour(hour: number, below: OutputsBelow): void {
    const scores = this.#scores
    const first = Math.max(0, this.#best - reach)
    const last = Math.min(positions - 1, this.#best + reach)
    const cost = stepCost / Math.sqrt(Math.max(1, hour - this.#hour))
    const from = new Int16Array(last - first + 1)
    scores.fill(Number.NEGATIVE_INFINITY, 0, first)
    scores.fill(Number.NEGATIVE_INFINITY, last + 1)
    for (let at = first; at <= last; at++) from[at - first] = at
    for (let at = first + 1; at <= last; at++) {
      if (scores[at - 1]! - cost <= scores[at]!) continue
      scores[at] = scores[at - 1]! - cost
      from[at - first] = from[at - first - 1]!
    }
    for (let at = last - 1; at >= first; at--) {
      if (scores[at + 1]! - cost <= scores[at]!) continue
      scores[at] = scores[at + 1]! - cost
      from[at - first] = from[at - first + 1]!
    }
    addEvidence(scores.subarray(first, last + 1), base + first, below, this.shares)
    this.#best = this.#findBest(first, last)
    const highest = scores[this.#best]!
    for (let at = first; at <= last; at++) scores[at] = scores[at]! - highest
    this.#hour = hour
    this.#hours.push({ hour, first, from })
    if (this.#hours.length > 2 * rememberedHours) this.#hours = this.#hours.slice(-rememberedHours)
  }

  /** Positions of the hours from `hour` on, by hour, on the best path so far. */
  back(hour: number): Map<number, number> {
    const prices = new Map<number, number>()
    let at = this.#best
    for (let i = this.#hours.length - 1; i >= 0 && this.#hours[i]!.hour >= hour; i--) {
      const { hour: then, first, from } = this.#hours[i]!
      prices.set(then, base + at)
      at = from[at - first]!
    }
    return prices
  }

  /** How much better the best price is than all others (log likelihood). */
  get margin(): number {
    let other = Number.NEGATIVE_INFINITY
    for (let at = 0; at < positions; at++) {
      if (Math.abs(at - this.#best) >= otherDistance) other = Math.max(other, this.#scores[at]!)
    }
    return this.#scores[this.#best]! - other
  }

  #findBest(first: number, last: number): number {
    let best = first
    for (let at = first + 1; at <= last; at++) if (this.#scores[at]! > this.#scores[best]!) best = at
    return best
  }
}
