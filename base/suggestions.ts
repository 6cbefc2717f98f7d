/** The candidate that was probably meant by a misspelt word; undefined if none is close enough. */
export function findClosest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase()
  // Only of those that come near does it matter what they share: to take the names of all metrics to pieces takes most of the time.
  const near = Array.from(candidates).filter((candidate) => Number.isFinite(slipsBetween(wanted, candidate)))
  return rankCandidates(word, near)[0]?.candidate
}

/**
 * The candidates most like a word, best first: those that a slip of the pen turns into it, then those that share most of
 * its parts between underscores and of its three-letter pieces.
 */
export const findNearest = (word: string, candidates: Iterable<string>, most = 8): string[] =>
  rankCandidates(word, candidates)
    .slice(0, most)
    .map(({ candidate }) => candidate)

interface Likeness {
  readonly candidate: string
  /** Letters that are wrong, or a part too many; Infinity for more than a third of the letters. */
  readonly slips: number
  /** 1 where all pieces are the same. */
  readonly shared: number
}

function rankCandidates(word: string, candidates: Iterable<string>): Likeness[] {
  const wanted = word.toLowerCase()
  const pieces = splitPieces(wanted)
  return Array.from(candidates, (candidate) => ({
    candidate,
    slips: slipsBetween(wanted, candidate),
    shared: sharedShare(pieces, splitPieces(candidate)),
  })).sort(
    (a, b) =>
      // Two infinities have no difference.
      (a.slips === b.slips ? 0 : a.slips - b.slips) || b.shared - a.shared || a.candidate.length - b.candidate.length,
  )
}

/** More than one wrong letter, fewer than two. */
const partTooMany = 1.5

function slipsBetween(word: string, candidate: string): number {
  if (isPartTooMany(word, candidate)) return partTooMany
  const most = Math.ceil(word.length / 3)
  if (Math.abs(candidate.length - word.length) > most) return Number.POSITIVE_INFINITY
  const distance = editDistance(word, candidate)
  return distance <= most ? distance : Number.POSITIVE_INFINITY
}

/** Whether the word is the candidate with another part before or after it, as `mvrv_ratio` is `mvrv`. */
const isPartTooMany = (word: string, candidate: string): boolean =>
  word.startsWith(`${candidate}_`)
    ? !word.includes('_', candidate.length + 1)
    : word.endsWith(`_${candidate}`) && word.indexOf('_') === word.length - candidate.length - 1

function sharedShare(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((piece) => other.has(piece)).length
  return shared / (one.size + other.size - shared)
}

function splitPieces(name: string): Set<string> {
  const parts = name.toLowerCase().split('_')
  const triples = parts.flatMap((part) =>
    Array.from({ length: Math.max(0, part.length - 2) }, (_, i) => part.slice(i, i + 3)),
  )
  return new Set([...parts, ...triples])
}

/** Letters to insert, remove, replace or swap with their neighbour to turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      let distance = Math.min(replaced, previous[j]! + 1, current[j - 1]! + 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) distance = Math.min(distance, beforePrevious[j - 2]! + 1)
      current.push(distance)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[b.length]!
}
