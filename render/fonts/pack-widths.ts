import type { FontWidths } from '../draw/text.ts'

export interface PackedWidths {
  /** Widths in both weights, `regular:semibold` in units of the font, the most frequent first. */
  readonly pairs: string
  /** Characters that the font has: how many code points are left out, and how many follow each other, in base 36. */
  readonly runs: string
  /** Of each of these its place among the pairs, in base 36; `place*count` where neighbours are equally wide. */
  readonly places: string
}

/** Units in an em of the font. */
const unitsPerEm = 2048

/** The widths of all characters as text that is small when it is compressed. `unpackWidths` reads it. */
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
