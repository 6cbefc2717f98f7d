const binsPerDecade = 200
const lowestExponent = -6

/** 200 bins per decade, each 1.16 % wide. Bin 0 is for coins without a price; bin 1201 begins at one dollar. */
export function priceBin(price: number): number {
  if (price === 0) return 0
  const bin = Math.max(1, Math.floor(binsPerDecade * (Math.log10(price) - lowestExponent)) + 1)
  // The logarithm of an edge may be off by its last digit.
  if (price >= lowerEdge(bin + 1)) return bin + 1
  return price < lowerEdge(bin) && bin > 1 ? bin - 1 : bin
}

/** Lowest price of a bin in USD, which is also the upper end of the bin before it; 0 for bin 0. */
export function lowerEdge(bin: number): number {
  return bin === 0 ? 0 : 10 ** ((bin - 1) / binsPerDecade + lowestExponent)
}
