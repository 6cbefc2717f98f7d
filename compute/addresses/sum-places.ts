import { addressTypes, balanceBounds, usdBounds } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { minLargeSats } from '../address-sample.ts'

/**
 * Parts of a sum. Every address has two accounts: its large coins (outputs of `minLargeSats` or
 * more), which are known for all addresses, and all of its coins, which are known for sampled
 * addresses only.
 * - `known` adds up the large accounts of all addresses.
 * - `difference` adds up, over the sample, the account of all coins minus the large account.
 * - `squares` adds up the squares of these differences, from which the interval follows.
 */
export const [known, difference, squares] = [0, 1, 2] as const

let end = 0
function reserve(count: number): number {
  end += count
  return end - count
}

/** The sums of a day are a row of numbers; here is the first place of each sum in the row. */
export const places = {
  /** Sampled addresses to which something happened on the day. */
  events: {
    new: reserve(1),
    newly_funded: reserve(1),
    emptied: reserve(1),
    reactivated_1y: reserve(1),
    reactivated_5y: reserve(1),
  },
  /** Addresses in profit at the close of the day. */
  profit: reserve(3),
  /** Addresses with a value of at least each of `usdBounds` at the close of the day; two parts. */
  usd: usdBounds.map(() => reserve(2)),
  /** Sums from here on are changes until `accumulate`. */
  running: end,
  bands: balanceBounds.map(() => ({
    count: reserve(3),
    sats: reserve(3),
    /** In USD. */
    cost: reserve(3),
    /** Differences in BTC times the BTC that the large account lacks. */
    satsProducts: reserve(1),
    /** Differences in USD times those in BTC. */
    costProducts: reserve(1),
    /** Share of a band in the squares and products of balances from a bound on. */
    overSquares: reserve(1),
    overProducts: reserve(1),
  })),
  /** Addresses by script type; two parts. */
  types: addressTypes.map(() => reserve(2)),
  /** Squares of the BTC that large accounts lack. */
  restSquares: reserve(1),
  /** Squares of balances in BTC. */
  balanceSquares: reserve(3),
  /** Sampled addresses that received twice and never spent, and their satoshis. */
  accumulating: reserve(1),
  accumulatingSats: reserve(1),
  /** Sampled addresses that ever received a value. */
  ever: reserve(1),
  /** Addresses whose key or script a spend has shown; two parts. */
  exposed: reserve(2),
  /** Satoshis of these in large accounts, and in small coins of the sample, with squares in BTC². */
  exposedLargeSats: reserve(1),
  exposedSmallSats: reserve(1),
  exposedSmallSquares: reserve(1),
  /** Large accounts that no large spend has shown, by group of size. */
  hidden: [1, 10, 100].map((factor) => ({
    minSats: factor * minLargeSats,
    /** Sampled addresses, and those among them that a small spend has shown. */
    sampled: reserve(1),
    shown: reserve(1),
    /** BTC of the addresses outside the sample, and the squares. */
    others: reserve(1),
    othersSquares: reserve(1),
  })),
  /** If all addresses are counted, their number and satoshis by bin of balance follow. */
  bins: end,
}
export type BandPlaces = (typeof places.bands)[number]

export const typePlaces = scriptTypes.map((type) => places.types[addressTypes.indexOf(type)]!)

const binsPerDoubling = 8
export const balanceBins = 51 * binsPerDoubling
export const toBin = (sats: number): number => Math.min(balanceBins - 1, Math.floor(binsPerDoubling * Math.log2(sats)))
