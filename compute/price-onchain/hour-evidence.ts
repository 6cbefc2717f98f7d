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

/** Number of outputs of an hour below the end of each bin. */
export type OutputsBelow = Int32Array

/** @param counts outputs by bin */
export function countBelow(counts: Uint32Array): OutputsBelow {
  const below = new Int32Array(outputBins + 1)
  for (let bin = 0; bin < outputBins; bin++) below[bin + 1] = below[bin]! + counts[bin]!
  return below
}

export const outputsOf = (below: OutputsBelow): number => below[outputBins]!

/** Bins that have outputs on both sides. */
const firstBin = groundReach
const lastBin = outputBins - groundReach - 1
/** Numbers of outputs around a peak are rounded to steps of half their standard deviation. */
const levelScale = 4
const levelOf = Uint16Array.from({ length: 2 ** 16 }, (_, count) => Math.round(levelScale * Math.sqrt(count)))

/** Outputs of a peak at each bin, and the level of those around it; reused. */
const seen = new Float64Array(outputBins)
const levels = new Int32Array(outputBins)
let logs = new Float64Array(1024)

/**
 * Adds to `scores` how much more likely the outputs are at each price from position `first` on
 * than without payments, as a logarithm.
 * @param shares expected share of all outputs, by amount
 */
export function addEvidence(scores: Float64Array, first: number, below: OutputsBelow, shares: Float64Array): void {
  const last = first + scores.length - 1
  const lowest = Math.max(firstBin, placeBins[0]! - last)
  const highest = Math.min(lastBin, placeBins.at(-1)! - first)
  let most = 0
  for (let bin = lowest; bin <= highest; bin++) {
    seen[bin] = seenAt(below, bin)
    levels[bin] = levelOf[Math.min(levelOf.length - 1, aroundAt(below, bin))]!
    if (levels[bin]! > most) most = levels[bin]!
  }
  if (logs.length <= most) logs = new Float64Array(2 * most)
  for (let i = 0; i < placeBins.length; i++) {
    const expected = shares[i]! * outputsOf(below)
    for (let level = 0; level <= most; level++) {
      logs[level] = Math.log(1 + expected / toGround((level / levelScale) ** 2))
    }
    addAmount(scores, placeBins[i]! - first, expected, logs)
  }
}

/** @param place bin of the amount at the first of the scores' prices */
function addAmount(scores: Float64Array, place: number, expected: number, logs: Float64Array): void {
  const end = Math.min(scores.length - 1, place - firstBin)
  for (let at = Math.max(0, place - lastBin); at <= end; at++) {
    const evidence = seen[place - at]! * logs[levels[place - at]!]! - expected
    scores[at]! += evidence > maxEvidence ? maxEvidence : evidence < -maxEvidence ? -maxEvidence : evidence
  }
}

/**
 * Refines a position by the centres of its peaks. Adds their payments, above what surrounds them,
 * to `payments` by amount, and returns how many outputs surround them.
 */
export function measurePeaks(
  below: OutputsBelow,
  position: number,
  payments: Float64Array,
): { readonly refined: number; readonly ground: number } {
  let moment = 0
  let weight = centredWeight
  let ground = 0
  for (const [i, place] of placeBins.entries()) {
    const bin = place - position
    if (bin < firstBin || bin > lastBin) continue
    const within = toGround(aroundAt(below, bin))
    const above = seenAt(below, bin) - within
    ground += within
    payments[i]! += above
    const amountWeight = Math.min(above, maxWeight)
    if (amountWeight <= 0) continue
    let shift = 0
    let count = 0
    for (let next = bin - centreReach; next <= bin + centreReach; next++) {
      const own = below[next + 1]! - below[next]! - within / peakBins
      shift += own * (next + 0.5 - (places[i]! - position))
      count += own
    }
    moment += (amountWeight * shift) / Math.max(count, above)
    weight += amountWeight
  }
  return { refined: position - moment / weight, ground }
}

const seenAt = (below: OutputsBelow, bin: number): number => below[bin + peakReach + 1]! - below[bin - peakReach]!

const aroundAt = (below: OutputsBelow, bin: number): number =>
  below[bin + groundReach + 1]! - below[bin - groundReach]! - below[bin + groundGap + 1]! + below[bin - groundGap]!

/** Outputs of a peak's bins if there were no peak. */
const toGround = (around: number): number => Math.max(minGround, around * groundScale)
