import type { FontWidths } from '../draw/text.ts'

export interface PackedWidths {
  /** Distinct widths in both weights, `regular:semibold` in font units, most frequent first. */
  readonly pairs: string
  /** Runs of code points in the font, `skipped.length` in base 36. */
  readonly runs: string
  /** Index into `pairs` of each character in base 36, `place*count` for equal neighbours. */
  readonly places: string
}

const unitsPerEm = 2048

/** Encodes the widths of all characters as text that compresses well. `unpackWidths` decodes it. */
export function packWidths(widths: FontWidths): PackedWidths {
  const runs: { skipped: number; length: number }[] = []
  const found: string[] = []
  let skipped = 0
  for (let code = 0; code < 0xffff; code++) {
    const [regular, semiBold] = [widths[400](code), widths[600](code)]
    if (regular === undefined || semiBold === undefined) {
      skipped++
      continue
    }
    const last = runs.at(-1)
    if (last && skipped === 0) last.length++
    else runs.push({ skipped, length: 1 })
    skipped = 0
    found.push(`${regular * unitsPerEm}:${semiBold * unitsPerEm}`)
  }
  const counts = new Map<string, number>()
  for (const pair of found) counts.set(pair, (counts.get(pair) ?? 0) + 1)
  const pairs = [...counts.keys()].sort((one, other) => counts.get(other)! - counts.get(one)!)
  const placeOf = new Map(pairs.map((pair, place) => [pair, place.toString(36)]))
  const places: { place: string; count: number }[] = []
  for (const pair of found) {
    const place = placeOf.get(pair)!
    const last = places.at(-1)
    if (last?.place === place) last.count++
    else places.push({ place, count: 1 })
  }
  return {
    pairs: pairs.join(' '),
    runs: runs.map(({ skipped, length }) => `${skipped.toString(36)}.${length.toString(36)}`).join(' '),
    places: places.map(({ place, count }) => (count > 1 ? `${place}*${count.toString(36)}` : place)).join(' '),
  }
}
