import { satsPerCoin } from '#base/bitcoin.ts'
import { hidingTypes } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { minLargeSats, type Sample } from '../address-sample.ts'
import { type AddressTable, hasSpent, hasSpentLarge } from './address-table.ts'
import { type Estimate, estimateSum, width } from './estimates.ts'
import { difference, known, places } from './sum-places.ts'

const isHiding = scriptTypes.map((type) => hidingTypes.includes(type))

/**
 * Adds an address to the sums of a day if a spend from it, or from the other address of its key,
 * has shown the key or script. A `sign` of −1 removes it.
 */
export function addExposure(
  day: Float64Array,
  table: AddressTable,
  slot: number,
  isSampled: boolean,
  sign: number,
): void {
  const sats = table.sats[slot]!
  if (sats === 0 || !isHiding[table.types[slot]!]) return
  const partner = table.findPartner(slot)
  const habits = table.habits[slot]! | (partner < 0 ? 0 : table.habits[partner]!)
  const large = table.largeSats[slot]!
  const isShown = (habits & hasSpent) !== 0
  const isKnown = large > 0 && (habits & hasSpentLarge) !== 0
  if (isKnown) day[places.exposed + known]! += sign
  else if (large > 0) {
    const hidden = findGroup(large)
    if (isSampled) {
      day[hidden.sampled]! += sign
      if (isShown) day[hidden.shown]! += sign
    } else {
      day[hidden.others]! += (sign * large) / satsPerCoin
      day[hidden.othersSquares]! += sign * (large / satsPerCoin) ** 2
    }
  }
  if (isKnown || (isSampled && isShown)) day[places.exposedLargeSats]! += sign * large
  if (!isSampled || !isShown) return
  if (!isKnown) day[places.exposed + difference]! += sign
  day[places.exposedSmallSats]! += sign * (sats - large)
  day[places.exposedSmallSquares]! += sign * ((sats - large) / satsPerCoin) ** 2
}

const findGroup = (sats: number) => places.hidden.findLast(({ minSats }) => sats >= minSats)!

/**
 * Estimates the BTC of exposed addresses. Large accounts that a large spend has shown are known.
 * For others, the sample gives the share shown by small spends, by group of size. Coins in small
 * outputs are estimated by regression.
 * @param squares sample sum of the squared BTC that large accounts lack; 0 if the sample is too
 *   small for a regression
 * @param missing BTC of the supply that the estimate lacks; 0 likewise
 */
export function estimateExposedSupply(day: Float64Array, sample: Sample, squares: number, missing: number): Estimate {
  let [large, below, above, share] = [day[places.exposedLargeSats]! / satsPerCoin, 0, 0, 0]
  for (const group of places.hidden) {
    const [count, shown, coins] = [day[group.sampled]!, day[group.shown]!, Math.max(0, day[group.others]!)]
    // A group without sampled addresses takes the share of the group below.
    if (count > 0) share = shown / count
    large += share * coins
    // Wilson's interval of the share, and the uncertainty of which other addresses are shown.
    const trials = count + width ** 2
    const middle = (shown + width ** 2 / 2) / trials
    const half = (width / trials) * Math.sqrt(share * (1 - share) * count + width ** 2 / 4)
    const chance = width ** 2 * middle * (1 - middle) * Math.max(0, day[group.othersSquares]!)
    below += ((share - middle + half) * coins) ** 2 + chance
    above += ((middle + half - share) * coins) ** 2 + chance
  }
  const shownSquares = day[places.exposedSmallSquares]!
  const slope = squares > 0 ? shownSquares / squares : 0
  return estimateSum(sample, {
    known: large,
    difference: day[places.exposedSmallSats]! / satsPerCoin,
    squares: (1 - slope) * shownSquares,
    unseen: minLargeSats / satsPerCoin,
    correction: slope * missing,
    below,
    above,
  })
}
