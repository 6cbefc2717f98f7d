/** The candidate closest to a misspelt `word`, or undefined if none is close enough to have been meant. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const lowerCaseWord = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.ceil(word.length / 3) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = editDistance(lowerCaseWord, candidate)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
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
