/** Of an answer, which leaves something of 25,000 for what the protocol puts around it. */
export const maxCharacters = 24_500

/** Characters of a value as JSON in a text of JSON, which is how answers are sent. */
export const encodedLength = (value: unknown): number => JSON.stringify(JSON.stringify(value)).length

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
  const room = maxCharacters - encodedLength(besides)
  const lengths = rows.map((row) => encodedLength(row))
  for (let step = 1; ; step++) {
    let needed = 0
    for (let row = 0; row < rows.length; row += step) needed += lengths[row]!
    if (needed <= room || step >= rows.length) return { rows: rows.filter((_, row) => row % step === 0), step }
  }
}

/** As many items from the first as an answer has room for beside `besides`. */
export function firstThatFit<Item>(items: readonly Item[], besides: unknown): Item[] {
  let room = maxCharacters - encodedLength(besides)
  const end = items.findIndex((item) => {
    room -= encodedLength(item)
    return room < 0
  })
  return end < 0 ? [...items] : items.slice(0, end)
}
