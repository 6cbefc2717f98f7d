import { median, sum } from 'd3-array'
import { hoursPerDay, parseDay } from '#base/days.ts'
import type { PriceAnchor } from '#contract/pricing.ts'
import { countBelow, measurePeaks, type OutputsBelow, outputsOf, roundAmounts, toPrice } from './hour-evidence.ts'
import { decisionDays, PricePath } from './price-path.ts'

/** Raise it when the same outputs give other prices. */
export const methodVersion = 1

/** A day from which payments of round amounts are many enough, and its price. */
export const defaultAnchor: PriceAnchor = { day: parseDay('2016-01-01'), price: 434 }

/** A day's prices in USD; NaN if the outputs do not tell them. */
export interface OnchainDay {
  readonly day: number
  /** In the last hour with a block. */
  readonly price: number
  readonly low: number
  readonly high: number
  /** Difference of the filters' prices, as a fraction; NaN without hours. */
  readonly disagreement: number
  /** Outputs of round amounts above the number that other outputs explain. */
  readonly payments: number
}

/** A day has no price if its filters differ by more. */
export const maxDisagreement = 0.005
/** Standard deviations by which the payments of a day must exceed chance. */
const minSignificance = 8
/** Part of the old shares of amounts that a decided day replaces. */
const dailyLearning = 0.05
/** Smallest expected share of an amount. */
const minShare = 0.00005

/** Log likelihood by which the price must be better than all that differ by 5 %. */
const minMargin = 10

interface HourOutputs {
  readonly hour: number
  readonly below: readonly [OutputsBelow, OutputsBelow]
}

/** Prices of days from the outputs of hours, which two filters count. Add hours in order. */
export class OnchainPrices {
  readonly #paths: readonly [PricePath, PricePath]
  readonly #firstDay: number
  #hours: HourOutputs[] = []
  readonly #days: OnchainDay[] = []
  #nextDay: number

  /**
   * @param states those of both paths after the day before `firstDay`, to continue them
   */
  constructor({ day, price }: PriceAnchor, firstDay = day, states?: readonly [Float64Array, Float64Array]) {
    const hour = firstDay * hoursPerDay
    this.#firstDay = firstDay
    this.#nextDay = firstDay
    this.#paths = [new PricePath(hour, price, states?.[0]), new PricePath(hour, price, states?.[1])]
  }

  /** @param counts outputs by bin, under each filter */
  addHour(hour: number, counts: readonly [Uint32Array, Uint32Array]): void {
    this.endDays(Math.floor(hour / hoursPerDay))
    const below = [countBelow(counts[0]), countBelow(counts[1])] as const
    for (const [i, path] of this.#paths.entries()) path.addHour(hour, below[i]!)
    this.#hours.push({ hour, below })
  }

  /** Decides days that can be decided once all hours before the unix day `day` are added. */
  endDays(day: number): void {
    for (; this.#nextDay < day; this.#nextDay++) {
      for (const side of [0, 1] as const) learn(this.#paths[side].shares, this.#measure(this.#nextDay, side))
      const decided = this.#nextDay - decisionDays
      if (decided >= this.#firstDay) this.#days.push(this.#decide(decided))
      this.#hours = this.#hours.filter(({ hour }) => hour > (decided + 1) * hoursPerDay - 1)
    }
  }

  /** States of both paths, for a later run that continues them. */
  get states(): readonly [Float64Array, Float64Array] {
    return [this.#paths[0].state, this.#paths[1].state]
  }

  /** Decided days, and the newest ones as they look now. */
  finish(): readonly OnchainDay[] {
    const first = Math.max(this.#firstDay, this.#nextDay - decisionDays)
    for (let day = first; day < this.#nextDay; day++) this.#days.push(this.#decide(day))
    return this.#days
  }

  #decide(day: number): OnchainDay {
    const [broad, narrow] = [this.#measure(day, 0), this.#measure(day, 1)]
    const differences = broad.refined.map((position, i) => Math.abs(toPrice(position - narrow.refined[i]!) - 1))
    const disagreement = median(differences) ?? Number.NaN
    const prices = broad.refined.map((position, i) => toPrice((position + narrow.refined[i]!) / 2))
    const known =
      disagreement <= maxDisagreement &&
      [broad, narrow].every((side) => isSignificant(side)) &&
      this.#paths.every(({ margin }) => margin >= minMargin)
    return {
      day,
      price: known ? prices.at(-1)! : Number.NaN,
      low: known ? Math.min(...prices) : Number.NaN,
      high: known ? Math.max(...prices) : Number.NaN,
      disagreement,
      payments: Math.max(0, Math.round(sum(broad.payments))),
    }
  }

  /** Measures the hours of a day on the best path of a filter so far. */
  #measure(day: number, side: 0 | 1): DayPayments {
    const first = day * hoursPerDay
    const positions = this.#paths[side].back(first)
    const payments = new Float64Array(roundAmounts.length)
    let outputs = 0
    let ground = 0
    const refined: number[] = []
    for (const { hour, below } of this.#hours) {
      if (hour < first || hour >= first + hoursPerDay) continue
      const measured = measurePeaks(below[side], positions.get(hour)!, payments)
      refined.push(measured.refined)
      ground += measured.ground
      outputs += outputsOf(below[side])
    }
    return { refined, payments, outputs, ground }
  }
}

interface DayPayments {
  /** Position of each hour. */
  readonly refined: readonly number[]
  /** By amount. */
  readonly payments: Float64Array
  readonly outputs: number
  /** Other outputs that have the value of a round amount. */
  readonly ground: number
}

/** Adds the shares that a day shows to those that are expected of the next. */
function learn(shares: Float64Array, { payments, outputs }: DayPayments): void {
  if (outputs === 0) return
  for (const [i, count] of payments.entries()) {
    shares[i] = Math.max(minShare, shares[i]! + dailyLearning * (count / outputs - shares[i]!))
  }
}

const isSignificant = ({ payments, ground }: DayPayments): boolean =>
  sum(payments) >= minSignificance * Math.sqrt(ground + 1)
