import { formulaFunctionDescriptions, formulaWords } from '#contract/formula-language.ts'
import { formulaFunctions } from '#sql/formula/functions.ts'
import type { CatalogueIndex } from '../data/catalogue.ts'
import { type Search, withPrefix } from '../data/search.ts'

export interface Offer {
  readonly insert: string
  /** Replaces the text from here to the cursor. */
  readonly start: number
  readonly label: string
  readonly about: string
}

const maxOffers = 8

/** Last words that may be a phrase: in a formula, no two names follow each other. */
function lastPhrase(text: string, { byId }: CatalogueIndex) {
  const parts = [...text.matchAll(/(?<word>\w+)(?<gap>\W*)/g)].map(({ index, groups }, i) => ({
    word: groups?.word ?? '',
    gap: groups?.gap ?? '',
    index,
    i,
  }))
  const isMetric = (i: number): boolean => byId.has(parts[i]?.word ?? '')
  /** `mvrv and nupl` is a formula, `realized profit and loss` a phrase. */
  const isOperator = (i: number): boolean =>
    formulaWords.some(({ name }) => name === parts[i]?.word) && (isMetric(i - 1) || parts[i - 1]?.gap.trim() !== '')
  const words: string[] = []
  let start = text.length
  for (const { word, gap, index, i } of parts.toReversed()) {
    const isPart = gap.trim() === '' || (gap === '-' && words.length > 0 && !isMetric(i) && !/^\d+$/.test(word))
    if (!isPart || isOperator(i)) break
    words.unshift(word)
    start = index
  }
  return { words, start }
}

/** Words of four letters, such as `moving average`, find functions by what they do. */
const isNamed = (signature: keyof typeof formulaFunctionDescriptions, words: string): boolean =>
  words.length > 3 && formulaFunctionDescriptions[signature].split(' of ', 1)[0]!.includes(words)

/** Language words, functions, and metrics by id and phrase. */
export function listOffers(text: string, index: CatalogueIndex, search?: Search): Offer[] {
  const { words, start } = lastPhrase(text, index)
  const phrase = words.join(' ')
  const [word = ''] = words.slice(-1)
  if (phrase.length < 2 || /^[\d\s]+$/.test(phrase) || (index.byId.has(phrase) && !text.endsWith(word))) return []
  const isSingle = words.length === 1
  const own = word.toLowerCase()
  const language = formulaWords
    .filter(({ name }) => own.length > 1 && name.startsWith(own) && name !== word)
    .map(({ name, signature, description }) => ({
      insert: name,
      start: text.length - word.length,
      label: signature,
      about: description,
    }))
  const functions = [...formulaFunctions.values()]
    .filter(({ name, signature }) => (isSingle && name.startsWith(own)) || isNamed(signature, phrase.toLowerCase()))
    .map(({ name, signature }) => ({
      insert: `${name}(`,
      start,
      label: signature,
      about: formulaFunctionDescriptions[signature],
    }))
  const beginning = isSingle ? withPrefix(index, own, maxOffers) : []
  const others = search?.(index.metrics, phrase.replaceAll('_', ' '), maxOffers).metrics ?? []
  const ids = new Set([...beginning.slice(0, 5), ...others].map(({ id }) => id))
  const metrics = [...ids].map((id) => ({ insert: id, start, label: id, about: index.byId.get(id)?.name ?? '' }))
  const isDone = isSingle && index.byId.has(word) && metrics[0]?.insert === word
  return isDone ? metrics.slice(1, 5) : [...language, ...functions.slice(0, 3), ...metrics].slice(0, maxOffers)
}
