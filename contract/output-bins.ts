/** Outputs by value: 1,000 bins per tenfold from 10³ to 10¹¹ satoshis. */
export const binsPerTenfold = 1000
export const firstTenfold = 3
export const outputBins = 8 * binsPerTenfold
