import { editDistance } from '#base/suggestions.ts'
import { ageBands, animalEnd, coinCohortEnd } from '../cohorts.ts'
import { ownCategory } from '../metric-kinds.ts'
import { isVariant } from '../variants.ts'
import { ExampleIndex } from './example-index.ts'
import { findNotTracked } from './not-tracked.ts'
import { notTracked, questions, synonyms } from './tables.ts'
import { translate } from './translations.ts'
import { readGroups } from './word-groups.ts'
import { containsAll, isFiller, splitAll, splitRaw, splitWords, stem } from './words.ts'

export interface Searched {
  readonly id: string
  readonly name: string
  readonly category: string
  readonly unit: string
  readonly endpoint: string
  readonly aliases: readonly string[]
}

export interface SearchResult<Metric> {
  /** Best first. */
  readonly metrics: readonly Metric[]
  /** 0 to 1: 1 if the search names the metric. */
  readonly scores: readonly number[]
  /** Explains that the searched data is not tracked; `metrics` are the closest. */
  readonly notTracked?: string
}

const byAge = [...ageBands.map(({ id }) => id), 'lth', 'sth']

const isOfCohort = ({ id }: Searched): boolean =>
  /_(?:over|under)_\d+[hdwmy]$/.test(id) ||
  byAge.some((cohort) => id.startsWith(`${cohort}_`) || id.endsWith(`_${cohort}`))

/**
 * Metrics of a single cohort, exchange, fund, entity or first year, and those of the operator; some
 * of all coins have no endpoint of their own either.
 */
const isPart = (metric: Searched): boolean =>
  metric.category === ownCategory ||
  isOfCohort(metric) ||
  metric.id.includes('_since_20') ||
  (isVariant(metric) && (coinCohortEnd.test(metric.id) || metric.endpoint !== 'series' || !questions.has(metric.id)))

const textsPerPiece = 50
const points = { id: 20, name: 16, alias: 12, category: 4 }
const nameScore = 100
const synonymScore = 20
/** Limit of the score by questions; one gives more than half. */
const questionScore = 120
/** For totals without a metric of the named cohort. */
const totalFactor = 0.3
/** Share of the search's words that an answering question must have. */
const answeredShare = 0.75
/** For unnamed parts of the market. */
const unnamedFactor = 0.5
/** For corrected or completed words. */
const guessFactor = 0.7
/** For numbers, often values: `nupl 0.75`. */
const numberFactor = 0.2
/** For words only in synonyms. */
const synonymWeight = 3

/**
 * Ranks metrics by ids, names, aliases, synonyms and example questions. Names count anywhere in the
 * search; words may be misspelt, incomplete, joined or split.
 */
export function searchMetrics<Metric extends Searched>(
  metrics: readonly Metric[],
  query: string,
  max: number,
): SearchResult<Metric> {
  const { index, words, stems, named, missing } = readQuery(metrics, query)
  if (missing) {
    const { what, why, instead, rest } = missing
    const nearest =
      instead.length > 0 && !rest.some((one) => cohortWord.test(one))
        ? instead.flatMap((id) => metrics[index.numbers.get(id) ?? -1] ?? []).slice(0, max)
        : searchMetrics(metrics, rest.join(' '), max).metrics
    return { metrics: nearest, scores: nearest.map(() => 0), notTracked: `not tracked: ${what}; ${why}` }
  }
  const scores = new Float64Array(metrics.length)
  const covered = new Float64Array(metrics.length)
  const subject = stems.filter((one) => !isFiller(one))
  const meant = matchSynonyms(stems, index)
  let total = 0
  /** Metrics of named funds, companies, exchanges and cohorts. */
  const parts = new Set<number>()
  const areAddresses = stems.some((one) => ownerWords.has(one))
  /** A size is that of an output or of an address. */
  const isOther = (number: number): boolean => metrics[number]!.id.includes('addresses') !== areAddresses
  for (const { stem: one, matches, factor } of words) {
    if ((subject.length > 0 && isFiller(one)) || (matches.length === 0 && !readPhrases().synonymStems.has(one)))
      continue
    const [only = new Map<number, number>(), ...others] = matches.map((match) => index.postings.get(match)!)
    const joined = new Map(others.length > 0 ? only : [])
    for (const postings of others)
      for (const [number, value] of postings) joined.set(number, Math.max(value, joined.get(number) ?? 0))
    const best = others.length > 0 ? joined : only
    const isNumber = /^\d+$/.test(one)
    // The name of a fund, company, exchange or cohort matters more than words shared with the
    // total.
    const isOfPart = best.size > 0 && [...best.keys()].every((number) => index.parts.has(number))
    if (cohortWord.test(one) || (isOfPart && !isFiller(one) && !everydayWords.has(one) && !/^\d+[km]?$/.test(one))) {
      for (const number of best.keys())
        if (index.parts.has(number) && !(sizeOfCoins.test(one) && isOther(number))) parts.add(number)
    }
    const rarity = best.size === 0 ? synonymWeight : Math.log(1 + metrics.length / best.size)
    const weight = (isNumber ? 0 : rarity * (isOfPart ? 2 : 1)) * factor ** 2
    total += weight
    for (const [number, value] of best) {
      scores[number]! += value * (isNumber ? numberFactor : factor)
      covered[number]! += weight
    }
    for (const [number, { by }] of meant) if (by.has(one) && !best.has(number)) covered[number]! += weight
  }
  for (const [number, { score }] of meant) scores[number]! += score
  for (const [number, score] of named) scores[number]! += score
  for (let number = 0; number < scores.length; number++) {
    if (scores[number] === 0) continue
    scores[number]! *=
      (total === 0 ? 1 : covered[number]! / total) ** 2 *
      (index.parts.has(number) && !parts.has(number) ? unnamedFactor : 1)
  }
  for (const [number, score] of compareQuestions(words, parts, index)) scores[number]! += score
  // To sort thousands by a function takes milliseconds.
  const least = Math.max(Number.MIN_VALUE, scores.toSorted().at(-max) ?? 0)
  const found: number[] = []
  for (let number = 0; number < scores.length; number++) if (scores[number]! >= least) found.push(number)
  const length = (number: number): number => metrics[number]!.id.length
  const best = found.sort((a, b) => scores[b]! - scores[a]! || length(a) - length(b)).slice(0, max)
  return {
    metrics: best.map((number) => metrics[number]!),
    scores: best.map((number) => Math.min(1, scores[number]! / nameScore)),
  }
}

function readQuery(metrics: readonly Searched[], text: string) {
  const query = translate(text)
  const index = readIndex(metrics)
  const words = readWords(query, index)
  const { named, isWhole } = findNames(words, compact(query), index)
  const certain = words.filter(isCertain).map((word) => word.stem)
  const missing = isWhole ? undefined : findNotTracked(certain)
  return {
    index,
    words,
    named,
    stems: words.map((word) => word.stem),
    missing: missing && !isAnswered(missing.by, certain) ? missing : undefined,
  }
}

export const isTracked = (metrics: readonly Searched[], query: string): boolean =>
  readQuery(metrics, query).missing === undefined

type KnownWord = readonly [word: string, stem: string]

/** Metrics are numbered by their place. */
interface Index {
  /** By stem, with the points of the best place. */
  readonly postings: ReadonlyMap<string, ReadonlyMap<number, number>>
  /** By joined words of ids, names and aliases, with points. */
  readonly names: ReadonlyMap<string, ReadonlyMap<number, number>>
  readonly numbers: ReadonlyMap<string, number>
  readonly parts: ReadonlySet<number>
  /** By id of `questions`: its own, and those of its cohorts, exchanges, funds or entities. */
  readonly bases: ReadonlyMap<string, readonly number[]>
  /** By first letter. */
  readonly vocabulary: ReadonlyMap<string, readonly KnownWord[]>
  readonly stems: ReadonlySet<string>
  readonly examples: ExampleIndex
}

/** Work in pieces of some milliseconds. */
type Pieces<Result> = Generator<undefined, Result>

function doAtOnce<Result>(pieces: Pieces<Result>): Result {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

/** Split once, only by commands that search. */
let phrases: Phrases | undefined

const readPhrases = (): Phrases => {
  phrases ??= doAtOnce(splitPhrases())
  return phrases
}

/** Words of each text. */
function* splitTexts(texts: readonly string[]): Pieces<string[][]> {
  const split: string[][] = []
  for (let from = 0; from < texts.length; from += textsPerPiece) {
    split.push(...splitAll(texts.slice(from, from + textsPerPiece)))
    yield
  }
  return split
}

function* splitPhrases() {
  const texts = [...questions].flatMap(([id, texts]) =>
    [id.replaceAll('_', ' '), ...texts].map((text) => ({ id, text })),
  )
  const raw = yield* splitTexts(texts.map(({ text }) => text))
  const asked = texts.map(({ id }, i) => ({ id, words: raw[i]!.map(stem) }))
  yield
  const synonymWords = splitAll(synonyms.flatMap((synonym) => synonym.phrases)).flat()
  yield
  return {
    words: [...synonymWords, ...splitAll(notTracked.flatMap((entry) => entry.phrases)).flat(), ...raw.flat()],
    synonymStems: new Set(synonymWords.map(stem)),
    asked,
    /** By id. */
    ids: new Map(asked.filter(({ id }, i) => id !== asked[i - 1]?.id).map(({ id, words }) => [id, words])),
    questions: asked.map(({ words }) => words),
    // Forms of one phrase count once.
    synonyms: synonyms.flatMap(({ phrases: texts, ids }) => {
      const forms = splitAll(texts).map((words) => words.map(stem))
      return [...new Map(forms.map((parts) => [parts.toSorted().join(' '), { parts, ids }])).values()]
    }),
  }
}
type Phrases = ReturnType<typeof splitPhrases> extends Pieces<infer Result> ? Result : never

const indexes = new WeakMap<readonly Searched[], Index>()
/** Tools read each generation's metrics again, mostly the same; an index takes half a second. */
let lastMetrics: readonly Searched[] = []

/** All that the index depends on. */
const indexedText = ({ id, name, category, unit, endpoint, aliases }: Searched): string =>
  JSON.stringify([id, name, category, unit, endpoint, aliases])

/**
 * Prepares the first search among `metrics`, which else takes half a second at once: calls `turn`
 * between pieces of the work.
 */
export async function prepareSearch(
  metrics: readonly Searched[],
  turn: () => Promise<void> | undefined,
): Promise<void> {
  for (const _ of makeIndex(metrics)) await turn()
}

/** The next search among `metrics` takes milliseconds. */
export const isSearchPrepared = (metrics: readonly Searched[]): boolean => indexes.has(metrics)

const readIndex = (metrics: readonly Searched[]): Index => indexes.get(metrics) ?? doAtOnce(makeIndex(metrics))

function* makeIndex(metrics: readonly Searched[]): Pieces<Index> {
  const known = indexes.get(metrics)
  if (known) return known
  let areSame = metrics.length === lastMetrics.length
  for (let i = 0; areSame && i < metrics.length; i++) {
    areSame = indexedText(metrics[i]!) === indexedText(lastMetrics[i]!)
    yield
  }
  const index = (areSame ? indexes.get(lastMetrics) : undefined) ?? (yield* createIndex(metrics))
  indexes.set(metrics, index)
  lastMetrics = metrics
  return index
}

function* createIndex(metrics: readonly Searched[]): Pieces<Index> {
  phrases ??= yield* splitPhrases()
  const postings = new Map<string, Map<number, number>>()
  const names = new Map<string, Map<number, number>>()
  const vocabulary = new Map<string, string>()
  const put = (map: Map<string, Map<number, number>>, key: string, number: number, value: number): void => {
    const values = map.get(key) ?? new Map<number, number>()
    if (values.size === 0) map.set(key, values)
    if (value > (values.get(number) ?? 0)) values.set(number, value)
  }
  const texts = metrics.flatMap(({ id, name, aliases, category }, number) => [
    { number, text: id, value: points.id },
    { number, text: name, value: points.name },
    // The vendor before the colon is not part of the name.
    ...aliases.flatMap((alias) =>
      animalEnd.test(alias) ? [] : [{ number, text: alias.replace(/^[^:]*: /, ''), value: points.alias }],
    ),
    { number, text: category, value: points.category },
  ])
  const split = yield* splitTexts(texts.map(({ text }) => text.replaceAll('_', ' ')))
  for (const [i, { number, text, value }] of texts.entries()) {
    yield
    const words = split[i]!
    const stems = words.map(stem)
    for (const [at, word] of words.entries()) {
      vocabulary.set(word, stems[at]!)
      put(postings, stems[at]!, number, value)
    }
    if (value === points.category) continue
    for (const key of [compact(text), words.join(''), stems.join('')]) put(names, key, number, value)
  }
  // Last: words of metrics are preferred as corrections.
  for (const word of readPhrases().words) vocabulary.set(word, stem(word))
  const numbers = new Map(metrics.map(({ id }, number) => [id, number]))
  const parts = new Set([...numbers.values()].filter((number) => isPart(metrics[number]!)))
  const bases = new Map<string, number[]>()
  for (const [number, { id }] of metrics.entries()) {
    yield
    const base = findBase(id)
    for (const one of questions.has(id) ? [id, base] : [base]) {
      if (one !== undefined) bases.set(one, [...(bases.get(one) ?? []), number])
    }
  }
  const examples = [
    ...readPhrases().asked,
    ...texts.flatMap(({ number, value }, i) => {
      const { id } = metrics[number]!
      return value === points.name && questions.has(id) ? [{ id, words: split[i]!.map(stem) }] : []
    }),
  ]
  const parted = new Map(
    [...bases].map(([id, [number = 0]]) => {
      const { category, unit } = metrics[numbers.get(id) ?? number]!
      return [id, [...(readPhrases().ids.get(id) ?? []), `category ${category}`, `unit ${unit}`]]
    }),
  )
  const index = new ExampleIndex(parted)
  for (const example of examples) {
    index.add(example)
    yield
  }
  return {
    ...{ postings, names, numbers, parts, bases, examples: index },
    vocabulary: Map.groupBy(vocabulary, ([word]) => word[0]!),
    stems: new Set(vocabulary.values()),
  }
}

/** Longest other id of `questions` at the beginning or end of an id. */
function findBase(id: string): string | undefined {
  if (id.includes('_smooth_')) return undefined
  const words = id.split('_')
  for (let length = words.length - 1; length > 0; length--) {
    const ends = [words.slice(0, length), words.slice(-length)].map((part) => part.join('_'))
    const base = ends.find((end) => questions.has(end))
    if (base !== undefined) return base
  }
  return undefined
}

const compact = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

interface Word {
  readonly raw: string
  readonly stem: string
  /** Its own stem, or those that it begins. */
  readonly matches: readonly string[]
  readonly factor: number
}

/** A corrected word may be part of a phrase. */
function readWords(query: string, index: Index): Word[] {
  const corrections = new Map<string, string>()
  const words = guessWords(query, index, corrections)
  if (corrections.size === 0) return words
  const text = query.replaceAll(/[a-z0-9]+/gi, (word) => corrections.get(word.toLowerCase()) ?? word)
  const guessed = new Set(corrections.values())
  const again = guessWords(text, index, new Map())
  return again.map((word) => (guessed.has(word.raw) ? { ...word, factor: guessFactor } : word))
}

/** No question has more; names are searched in all parts of it. */
const maxWords = 40
/** Each is compared with all known words. */
const maxGuesses = 10

/** Completes, corrects (adding to `corrections`), splits or joins unknown words. */
function guessWords(
  query: string,
  { postings, names, vocabulary, stems }: Index,
  corrections: Map<string, string>,
): Word[] {
  const raw = splitRaw(query.replaceAll('_', ' ')).slice(0, maxWords)
  const isKnown = (word: string): boolean =>
    stems.has(stem(word)) || isFiller(stem(word)) || readGroups().has(stem(word)) || names.has(word) || /^\d/.test(word)
  const toWord = (word: string, factor = 1): Word => {
    const one = stem(word)
    return { raw: word, stem: one, matches: postings.has(one) ? [one] : [], factor }
  }
  let guesses = 0
  const guess = (word: string): Word[] => {
    if (++guesses > maxGuesses) return [toWord(word)]
    const near = vocabulary.get(word[0]!) ?? []
    const begun = word.length < 3 ? [] : near.filter(([one]) => one.startsWith(word))
    const matches = [...new Set(begun.map(([, one]) => one))].filter((one) => postings.has(one))
    if (matches.length > 1) return [{ raw: word, stem: stem(word), matches, factor: guessFactor }]
    const corrected =
      begun.find(([, one]) => one === matches[0])?.[0] ??
      correct(word, [...near, ...(vocabulary.get(word[1] ?? '') ?? [])])
    if (corrected !== undefined) {
      corrections.set(word, corrected)
      return [toWord(corrected, guessFactor)]
    }
    const cuts = Array.from({ length: Math.max(0, word.length - 5) }, (_, i) => i + 3)
    const cut = cuts.find((at) => isKnown(word.slice(0, at)) && isKnown(word.slice(at)))
    return cut === undefined ? [toWord(word)] : [toWord(word.slice(0, cut)), toWord(word.slice(cut))]
  }
  const words: Word[] = []
  for (let i = 0; i < raw.length; i++) {
    const [word, next] = [raw[i]!, raw[i + 1]]
    if (next !== undefined && !(isKnown(word) && isKnown(next)) && isKnown(word + next)) {
      words.push(toWord(word + next))
      i++
    } else words.push(...(isKnown(word) ? [toWord(word)] : guess(word)))
  }
  return words
}

/** Corrected short words are doubtful: "taken" is not "taker". */
const isCertain = ({ factor, raw }: Word): boolean => factor === 1 || raw.length > 5

/**
 * One slip or swap of letters, two from eight letters on; the first letter is right unless swapped.
 */
function correct(word: string, candidates: readonly KnownWord[]): string | undefined {
  const maxSlips = word.length < 4 || /\d/.test(word) ? 0 : word.length < 8 ? 1 : 2
  let best: string | undefined
  let fewest = maxSlips + 1
  for (const [candidate] of candidates) {
    if (Math.abs(candidate.length - word.length) > maxSlips) continue
    const slips = editDistance(word, candidate)
    if (slips < fewest) [best, fewest] = [candidate, slips]
  }
  return best
}

/**
 * A question that a metric answers has the untracked words and most others: supply compared with
 * gold, for example.
 */
function isAnswered(phrase: readonly string[], stems: readonly string[]): boolean {
  const telling = [...new Set(stems.filter((one) => !isFiller(one)))]
  const enough = Math.max(answeredShare * telling.length, phrase.length + 1)
  return readPhrases().questions.some(
    (question) => containsAll(question, phrase) && telling.filter((one) => question.includes(one)).length >= enough,
  )
}

/** In names of funds and companies, but with other meanings in most questions. */
const everydayWords: ReadonlySet<string> = new Set(
  splitWords(
    'advantage aged bullish capital communications core crypto defi digital exchange exchanges financial foundation gate global group harvest ' +
      'interactive investment liquid media movement next old platform provider revived ridge scientific smart smooth standard stone strive ' +
      'technology twenty unit united web',
  ),
)

/**
 * Metrics of named funds, companies, exchanges or cohorts (`parts`) score by the questions of the
 * total; totals without such a metric count by `totalFactor`.
 */
function compareQuestions(words: readonly Word[], parts: ReadonlySet<number>, { bases, numbers, examples }: Index) {
  const certain = words.filter(isCertain).map((word) => word.stem)
  const unknown = words.filter(
    ({ stem: one }) => !isFiller(one) && !readGroups().has(one) && !(certain.includes(one) && examples.has(one)),
  )
  const scores = new Map<number, number>()
  const put = (number: number, score: number): void => {
    if (score > (scores.get(number) ?? 0)) scores.set(number, score)
  }
  for (const [id, share] of examples.rate(certain, unknown.length)) {
    const score = questionScore * share
    const ofBase = bases.get(id) ?? []
    const named = parts.size === 0 ? [] : ofBase.filter((number) => parts.has(number))
    for (const number of named) put(number, score)
    // Without a year, "since" is since the newest.
    const total = numbers.get(id) ?? ofBase.at(id.endsWith('_since') ? -1 : 0)
    if (total !== undefined && named.length === 0) put(total, parts.size === 0 ? score : totalFactor * score)
  }
  return scores
}

/** They name a metric only if nothing else is searched for. */
const ordinaryWords: ReadonlySet<string> = new Set(
  splitWords(
    'price volume supply fees transactions inputs outputs open high low close size weight work difficulty profit loss',
  ),
)

const maxNameWords = 16

/** Longer names in the search score higher; `isWhole` if one is all of it. */
function findNames(words: readonly Word[], whole: string, { names }: Index) {
  const named = new Map<number, number>()
  const isTelling = words.map(
    ({ stem: one, matches }) => !isFiller(one) && !(/^\d+$/.test(one) && matches.length === 0),
  )
  const isOrdinary = words.map(({ stem: one }) => isFiller(one) || ordinaryWords.has(one))
  const telling = isTelling.filter(Boolean).length
  const forms = [words.map(({ raw }) => raw), words.map((word) => word.stem)]
  const taken = words.map(() => false)
  let isWhole = false
  for (let length = Math.min(words.length, maxNameWords); length > 0; length--) {
    for (let start = 0; start + length <= words.length; start++) {
      const end = start + length
      const joined = forms.map((form) => form.slice(start, end).join(''))
      const keys = length === words.length ? [whole, ...joined] : joined
      const metrics = names.get(keys.find((key) => names.has(key)) ?? '')
      if (!metrics || taken.slice(start, end).includes(true)) continue
      const share = isTelling.slice(start, end).filter(Boolean).length / telling
      if (share < 1 && isOrdinary.slice(start, end).every(Boolean)) continue
      taken.fill(true, start, end)
      if (share >= 1) isWhole = true
      for (const [number, value] of metrics) {
        const score = nameScore * (share < 1 ? share ** 2 : 3) * (value === points.id ? 2 : 1)
        named.set(number, Math.max(score, named.get(number) ?? 0))
      }
    }
  }
  return { named, isWhole }
}

const cohortWord =
  /^(?:lth|sth|(?:over|under)\d+[a-z]|\d+[dwmy]\d+[wmy]|y20\d\d|(?:over|under|from)\d\w*(?:btc|sats)|p2[a-z]+|expos)$/

const sizeOfCoins = /^(?:over|under|from)\d\w*(?:btc|sats)$/
/** The chain shows addresses, not owners. */
const ownerWords: ReadonlySet<string> = new Set(splitWords('address wallet account people person holder owner user'))

const cohortId = (id: string, cohort: string): string =>
  /^[ls]th/.test(cohort)
    ? `${cohort}_${id}`
    : `${id}_${cohort
        .replace('expos', 'exposed')
        .replace('from', '')
        .replace(/(?<=over|under|\d[dwmy])(?=\d)|(?=btc$|sats$)/g, '_')
        .replace('to', '_')}`

/** Longer phrases win; earlier ids score higher. */
function matchSynonyms(stems: readonly string[], { numbers }: Index) {
  const all = new Set(stems)
  const matching = readPhrases().synonyms.filter(({ parts }) => parts.every((one) => all.has(one)))
  const longest = matching.filter(
    ({ parts }) => !matching.some((other) => other.parts.length > parts.length && containsAll(other.parts, parts)),
  )
  const meant = new Map<number, { readonly score: number; readonly by: ReadonlySet<string> }>()
  const cohort = stems.find((one) => cohortWord.test(one))
  const coins = { parts: [], ids: ['supply', 'supply_percent'] }
  for (const { parts, ids } of cohort !== undefined && longest.length === 0 ? [coins] : longest) {
    for (const [place, id] of ids.entries()) {
      const ofCohort = cohort === undefined || parts.includes(cohort) ? undefined : numbers.get(cohortId(id, cohort))
      const number = ofCohort ?? numbers.get(id)
      if (number === undefined) continue
      const { score = 0, by = [] } = meant.get(number) ?? {}
      const words = ofCohort === undefined || cohort === undefined ? parts : [...parts, cohort]
      meant.set(number, { score: score + synonymScore + 5 * words.length - place, by: new Set([...by, ...words]) })
    }
  }
  return meant
}
