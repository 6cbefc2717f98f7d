import { notTracked } from './tables.ts'
import { containsAll, splitWords, stem } from './words.ts'

/** Words between those of a phrase. */
const maxBetween = 2

const prepare = () =>
  notTracked.map(({ phrases, unless, ...entry }) => ({
    ...entry,
    phrases: phrases.map(splitWords),
    unless: unless.map(stem),
  }))
let prepared: ReturnType<typeof prepare> | undefined

/** In any order, few other words between. */
const isNear = (stems: readonly string[], phrase: readonly string[]): boolean =>
  stems.some((_, start) => containsAll(stems.slice(start, start + phrase.length + maxBetween), phrase))

/** First match, with the stems of the phrase and the others. */
export function findNotTracked(stems: readonly string[]) {
  prepared ??= prepare()
  const all = new Set(stems)
  for (const { phrases, unless, ...entry } of prepared) {
    const by = phrases.find((one) => one.every((word) => all.has(word)) && isNear(stems, one))
    if (by && !unless.some((word) => stems.includes(word))) {
      return { ...entry, by, rest: stems.filter((word) => !by.includes(word)) }
    }
  }
  return undefined
}
