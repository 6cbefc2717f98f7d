/** The names that share most with another one: their parts between underscores, then their three-letter pieces. */
export function nearest(name: string, names: readonly string[], most = 8): string[] {
  const wanted = piecesOf(name)
  const scored = names.map((one) => {
    const pieces = piecesOf(one)
    const shared = [...wanted].filter((piece) => pieces.has(piece)).length
    return { one, score: shared / (wanted.size + pieces.size - shared) }
  })
  return scored
    .sort((a, b) => b.score - a.score || a.one.length - b.one.length)
    .slice(0, most)
    .map(({ one }) => one)
}

function piecesOf(name: string): Set<string> {
  const parts = name.toLowerCase().split('_')
  const triples = parts.flatMap((part) =>
    Array.from({ length: Math.max(0, part.length - 2) }, (_, i) => part.slice(i, i + 3)),
  )
  return new Set([...parts, ...triples])
}
