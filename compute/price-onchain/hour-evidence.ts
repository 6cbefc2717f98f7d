import { satsPerCoin } from '#base/bitcoin.ts'
import { binsPerTenfold, firstTenfold, outputBins } from '#contract/output-bins.ts'

/** Amounts in USD that people pay more often than others. */
export const roundAmounts: readonly number[] = [
  1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 250, 300, 400, 500, 1000, 2000, 5000,
]

/** Share of all outputs that pay each amount, before a day has shown it. */
export const firstShares = Float64Array.from(roundAmounts, (amount) =>
  /^[125]0*$/.test(`${amount}`) ? 0.0015 : 0.0005,
)

/** A price as a position on the logarithmic grid, whose steps are those of the bins of outputs. */
export const toPosition = (price: number): number => binsPerTenfold * Math.log10(price)
export const toPrice = (position: number): number => 10 ** (position / binsPerTenfold)

/** Position of each amount among the bins, at a price of 1 USD. */
const places = roundAmounts.map(
  (amount) => toPosition(amount) + toPosition(satsPerCoin) - firstTenfold * binsPerTenfold,
)
const placeBins = Int32Array.from(places, Math.floor)

/** Bins on each side of a peak that belong to it: payments use prices that differ by some 0.3 %. */
const peakReach = 1
const peakBins = 2 * peakReach + 1
/** Bins on each side whose counts tell how many outputs are there without a peak. */
const groundReach = 40
/** Bins next to a peak that belong to neither. */
const groundGap = 3
const groundBins = 2 * (groundReach - groundGap)
const groundScale = peakBins / groundBins
const minGround = 0.05
/** Limit per amount and hour, so that one sender's batches do not decide the price. */
const maxEvidence = 10

/** Bins on each side that decide the centre of a peak. */
const centreReach = 3
/** Payments of an amount that count for the centre of all. */
const maxWeight = 20
/** Payments with which the grid's own position counts. */
const centredWeight = 2

/** Evidence for each price from the outputs of one hour. Arrays are reused. */
export class HourEvidence {
  readonly #upTo = new Int32Array(outputBins + 1)
  /** Outputs of a peak at each bin, and outputs around it. */
  readonly #seen = new Float64Array(outputBins)
  readonly #around = new Int32Array(outputBins)
  #logs = new Float64Array(1024)
  #counts: Uint32Array = new Uint32Array(outputBins)

  /** @param counts outputs by bin, not to be changed before the next call */
  read(counts: Uint32Array): void {
    this.#counts = counts
    const upTo = this.#upTo
    for (let bin = 0; bin < outputBins; bin++) upTo[bin + 1] = upTo[bin]! + counts[bin]!
  }

  /** Number of outputs. */
  get outputs(): number {
    return this.#upTo[outputBins]!
  }

  /**
   * Adds to `scores` how much more likely the outputs are at each price from position `first` on
   * than without payments, as a logarithm.
   * @param shares expected share of all outputs, by amount
   */
  addTo(scores: Float64Array, first: number, shares: Float64Array): void {
    const seen = this.#seen
    const around = this.#around
    const last = first + scores.length - 1
    const lowest = Math.max(0, placeBins[0]! - last)
    const highest = Math.min(outputBins - 1, placeBins.at(-1)! - first)
    let most = 0
    for (let bin = lowest; bin <= highest; bin++) {
      seen[bin] = this.#seenAt(bin)
      around[bin] = this.#aroundAt(bin)
      if (around[bin]! > most) most = around[bin]!
    }
    if (this.#logs.length <= most) this.#logs = new Float64Array(2 * most)
    const logs = this.#logs
    for (const [i, place] of placeBins.entries()) {
      const expected = shares[i]! * this.outputs
      for (let count = 0; count <= most; count++) logs[count] = Math.log1p(expected / toGround(count))
      const start = Math.max(first, place - outputBins + 1)
      const end = Math.min(last, place)
      for (let position = start; position <= end; position++) {
        const bin = place - position
        const evidence = seen[bin]! * logs[around[bin]!]! - expected
        scores[position - first]! +=
          evidence > maxEvidence ? maxEvidence : evidence < -maxEvidence ? -maxEvidence : evidence
      }
    }
  }

  /**
   * Refines a position by the centres of its peaks. Adds their payments, above what surrounds them,
   * to `payments` by amount, and returns how many outputs surround them.
   */
  measure(position: number, payments: Float64Array): { readonly refined: number; readonly ground: number } {
    let moment = 0
    let weight = centredWeight
    let ground = 0
    for (const [i, place] of placeBins.entries()) {
      const bin = place - position
      if (bin < groundReach || bin >= outputBins - groundReach) continue
      const within = toGround(this.#aroundAt(bin))
      const above = this.#seenAt(bin) - within
      ground += within
      payments[i]! += above
      const amountWeight = Math.min(above, maxWeight)
      if (amountWeight <= 0) continue
      let shift = 0
      let count = 0
      for (let next = bin - centreReach; next <= bin + centreReach; next++) {
        const own = this.#counts[next]! - within / peakBins
        shift += own * (next + 0.5 - (places[i]! - position))
        count += own
      }
      moment += (amountWeight * shift) / Math.max(count, above)
      weight += amountWeight
    }
    return { refined: position - moment / weight, ground }
  }

  #seenAt(bin: number): number {
    const upTo = this.#upTo
    return upTo[Math.min(outputBins, bin + peakReach + 1)]! - upTo[Math.max(0, bin - peakReach)]!
  }

  #aroundAt(bin: number): number {
    const upTo = this.#upTo
    const outer = upTo[Math.min(outputBins, bin + groundReach + 1)]! - upTo[Math.max(0, bin - groundReach)]!
    const inner = upTo[Math.min(outputBins, bin + groundGap + 1)]! - upTo[Math.max(0, bin - groundGap)]!
    return outer - inner
  }
}

/** Outputs of a peak's bins if there were no peak. */
const toGround = (around: number): number => Math.max(minGround, around * groundScale)
