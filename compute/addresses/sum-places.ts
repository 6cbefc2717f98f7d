import { addressTypes, balanceBounds, usdBounds } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { minLargeSats } from '../address-sample.ts'

/**
 * Parts of a sum. Every address has a large account, of its outputs of `minLargeSats` or more;
 * sampled addresses also have a full account, of all their outputs, large ones included.
 * - `known`: sum of the large accounts of all addresses
 * - `difference`: sum over the sample of the full account minus the large one
 * - `squares`: squares of these differences, for the interval
 */
export const [known, difference, squares] = [0, 1, 2] as const

let end = 0
function reserve(count: number): number {
  end += count
  return end - count
}

/** First place of each sum in a day's row of numbers. */
export const places = {
  /** Sampled addresses, by event of the day. */
  events: {
    new: reserve(1),
    newly_funded: reserve(1),
    emptied: reserve(1),
    reactivated_1y: reserve(1),
    reactivated_5y: reserve(1),
  },
  /** Addresses in profit and in loss at the close. */
  profit: reserve(3),
  loss: reserve(3),
  /** Addresses worth at least each of `usdBounds` at the close; two parts. */
  usd: usdBounds.map(() => reserve(2)),
  /** Sums from here on are the changes of a day until `accumulate` runs, then totals. */
  running: end,
  bands: balanceBounds.map(() => ({
    count: reserve(3),
    sats: reserve(3),
    /** USD. */
    cost: reserve(3),
    /** Over the sample: difference × small coins of the address, both in BTC. */
    satsProducts: reserve(1),
    /** Over the sample: difference in USD × difference in BTC. */
    costProducts: reserve(1),
    /** For the intervals of the supply over a bound, with all higher bands. */
    overSquares: reserve(1),
    overProducts: reserve(1),
  })),
  /** By script type; two parts. */
  types: addressTypes.map(() => reserve(2)),
  /** Over the sample: squares of small coins, in BTC. */
  restSquares: reserve(1),
  /** Squares of balances in BTC. */
  balanceSquares: reserve(3),
  /** Sampled addresses that received twice and never spent, and their satoshis. */
  accumulating: reserve(1),
  accumulatingSats: reserve(1),
  /** Sampled addresses that ever received coins. */
  ever: reserve(1),
  /** Addresses whose key or script a spend has shown; two parts. */
  exposed: reserve(2),
  /**
   * Satoshis of these: in large accounts, in small coins of the sample, and squares of the latter
   * in BTC².
   */
  exposedLargeSats: reserve(1),
  exposedSmallSats: reserve(1),
  exposedSmallSquares: reserve(1),
  /** Large accounts that no large spend has shown, by size. */
  hidden: [1, 10, 100].map((factor) => ({
    minSats: factor * minLargeSats,
    /** Sampled addresses, and those of them that a small spend has shown. */
    sampled: reserve(1),
    shown: reserve(1),
    /** BTC of addresses outside the sample, and its squares. */
    others: reserve(1),
    othersSquares: reserve(1),
  })),
  /** With all addresses: their number and satoshis by bin of balance. */
  bins: end,
}
export type BandPlaces = (typeof places.bands)[number]

export const typePlaces = scriptTypes.map((type) => places.types[addressTypes.indexOf(type)]!)

const binsPerDoubling = 8
export const balanceBins = 51 * binsPerDoubling
export const toBin = (sats: number): number => Math.min(balanceBins - 1, Math.floor(binsPerDoubling * Math.log2(sats)))
