import { mapInTurns } from '#base/own-turn.ts'

/** Clients cut answers at 25,000; the rest is for the envelope. */
export const maxCharacters = 24_500

/** Answers are JSON in a JSON string. */
export const encodedLength = (value: unknown): number => JSON.stringify(JSON.stringify(value)).length

interface Thinned<Row> {
  readonly rows: Row[]
  /** `rows` has every `step`-th row. */
  readonly step: number
}

/** Takes every k-th row from the first, with the smallest k that fits beside `otherParts`. */
export async function thinToFit<Row>(rows: readonly Row[], otherParts: unknown): Promise<Thinned<Row>> {
  const room = maxCharacters - encodedLength(otherParts)
  const lengths = await mapInTurns(rows, encodedLength)
  for (let step = 1; ; step++) {
    let needed = 0
    for (let row = 0; row < rows.length; row += step) needed += lengths[row]!
    if (needed <= room || step >= rows.length) return { rows: rows.filter((_, row) => row % step === 0), step }
  }
}

/** The first items that fit beside `otherParts`. */
export function firstThatFit<Item>(items: readonly Item[], otherParts: unknown): Item[] {
  let room = maxCharacters - encodedLength(otherParts)
  const end = items.findIndex((item) => {
    room -= encodedLength(item)
    return room < 0
  })
  return end < 0 ? [...items] : items.slice(0, end)
}

/** `next_offset` is null at the end. */
export function pageThatFits<Item>(items: readonly Item[], offset: number, limit: number, otherParts: unknown) {
  const page = firstThatFit(items.slice(offset, offset + limit), otherParts)
  const next = offset + page.length
  return { page, next_offset: next < items.length ? next : null }
}
