import type { ScaleName } from './chart-options.ts'

const binsPerDecade = 200
const lowestExponent = -6

/** 200 bins per decade, 1.16 % wide. Bin 0: coins without a price; bin 1201 begins at 1 USD. */
export function priceBin(price: number): number {
  if (price === 0) return 0
  const bin = Math.max(1, Math.floor(binsPerDecade * (Math.log10(price) - lowestExponent)) + 1)
  // The logarithm of an edge may be off by its last digit.
  if (price >= lowerEdge(bin + 1)) return bin + 1
  return price < lowerEdge(bin) && bin > 1 ? bin - 1 : bin
}

/** In USD, also the end of the bin before it; 0 for bin 0. */
export function lowerEdge(bin: number): number {
  return bin === 0 ? 0 : 10 ** ((bin - 1) / binsPerDecade + lowestExponent)
}

export interface BinGroups {
  /** First bin of each group, ascending; bin 0 is a group of its own. */
  readonly starts: readonly number[]
  /** In USD, at bin edges, so that groups sum whole bins. */
  readonly lower: readonly number[]
  readonly upper: readonly number[]
}

/**
 * Joins bins `first` to `last` into at most `count` groups of equal width, in USD or logarithmic,
 * by the middles of the bins. Empty groups are left out; the one before extends to the next.
 */
export function groupBins(first: number, last: number, count: number, scale: ScaleName): BinGroups {
  const [low, high] = scale === 'log' ? [first, last + 1] : [lowerEdge(first), lowerEdge(last + 1)]
  const middle = (bin: number): number => (scale === 'log' ? bin + 0.5 : (lowerEdge(bin) + lowerEdge(bin + 1)) / 2)
  const groupOf = (bin: number): number => Math.floor((count * (middle(bin) - low)) / (high - low))
  const bins = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  const starts = bins.filter((bin) => bin === first || groupOf(bin) !== groupOf(bin - 1))
  return {
    starts: [0, ...starts],
    lower: [0, ...starts.map(lowerEdge)],
    upper: [0, ...starts.map((_, i) => lowerEdge(starts[i + 1] ?? last + 1))],
  }
}
