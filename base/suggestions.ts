/** Most probable candidate for a misspelt word; undefined if none is close. */
export function findClosest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase()
  // Splitting all names would take most of the time.
  const near = Array.from(candidates).filter((candidate) => Number.isFinite(typoDistance(wanted, candidate)))
  return rankCandidates(word, near)[0]?.candidate
}

/**
 * The most similar candidates, best first: those within a typo, then those sharing most
 * underscore-separated parts and three-letter pieces.
 */
export const findNearest = (word: string, candidates: Iterable<string>, maxResults = 8): string[] =>
  rankCandidates(word, candidates)
    .slice(0, maxResults)
    .map(({ candidate }) => candidate)

interface Similarity {
  readonly candidate: string
  /** Edit distance; Infinity for more than a third of the letters. */
  readonly distance: number
  /** Shared pieces over all pieces, 0 to 1. */
  readonly sharedFraction: number
}

function rankCandidates(word: string, candidates: Iterable<string>): Similarity[] {
  const wanted = word.toLowerCase()
  const pieces = splitPieces(wanted)
  return Array.from(candidates, (candidate) => ({
    candidate,
    distance: typoDistance(wanted, candidate),
    sharedFraction: shareFraction(pieces, splitPieces(candidate)),
  })).sort(
    (a, b) =>
      // Infinity - Infinity is NaN.
      (a.distance === b.distance ? 0 : a.distance - b.distance) ||
      b.sharedFraction - a.sharedFraction ||
      a.candidate.length - b.candidate.length,
  )
}

/** Between one wrong letter and two. */
const extraPartDistance = 1.5

function typoDistance(word: string, candidate: string): number {
  if (hasExtraPart(word, candidate)) return extraPartDistance
  const maxDistance = Math.ceil(word.length / 3)
  if (Math.abs(candidate.length - word.length) > maxDistance) return Number.POSITIVE_INFINITY
  const distance = editDistance(word, candidate)
  return distance <= maxDistance ? distance : Number.POSITIVE_INFINITY
}

/** True if the word is the candidate with one more part: `mvrv_ratio` for `mvrv`. */
const hasExtraPart = (word: string, candidate: string): boolean =>
  word.startsWith(`${candidate}_`)
    ? !word.includes('_', candidate.length + 1)
    : word.endsWith(`_${candidate}`) && word.indexOf('_') === word.length - candidate.length - 1

function shareFraction(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
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

/** Damerau–Levenshtein: letters to insert, remove, replace or swap with a neighbour. */
export function editDistance(a: string, b: string): number {
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
