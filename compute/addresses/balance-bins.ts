/** Bins of balances for shares, quantiles and bounds that move: eight for each doubling. */
const binsPerDoubling = 8
export const balanceBins = 51 * binsPerDoubling

export const toBinNumber = (sats: number): number =>
  Math.min(balanceBins - 1, Math.floor(binsPerDoubling * Math.log2(sats)))
