/** Of an answer as JSON. With the marks that JSON in JSON needs, the whole stays below 25,000. */
export const mostCharacters = 22_000

export type Cell = string | number | null

interface Thinned<Row> {
  readonly rows: Row[]
  /** Every how many-th row was kept; 1 is all of them. */
  readonly step: number
}

/**
 * As many rows as an answer has room for beside `besides`, its other parts: every k-th one from the first, with the
 * smallest k that fits.
 */
export function thinToFit<Row>(rows: readonly Row[], besides: unknown): Thinned<Row> {
  const room = mostCharacters - JSON.stringify(besides).length
  const lengths = rows.map((row) => JSON.stringify(row).length + 1)
  for (let step = 1; ; step++) {
    let needed = 0
    for (let row = 0; row < rows.length; row += step) needed += lengths[row]!
    if (needed <= room || step >= rows.length) return { rows: rows.filter((_, row) => row % step === 0), step }
  }
}

/** As many items from the first as an answer has room for beside `besides`. */
export function firstThatFit<Item>(items: readonly Item[], besides: unknown): Item[] {
  let room = mostCharacters - JSON.stringify(besides).length
  const end = items.findIndex((item) => {
    room -= JSON.stringify(item).length + 1
    return room < 0
  })
  return end < 0 ? [...items] : items.slice(0, end)
}
