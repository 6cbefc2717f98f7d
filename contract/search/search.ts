import { servedCohorts } from '../cohorts.ts'
import type { EndpointId } from '../endpoints.ts'
import { findNotTracked } from './not-tracked.ts'
import { synonyms } from './synonyms.ts'
import { containsAll, isFiller, splitWords } from './words.ts'

/** What is searched of a metric's definition. */
export interface Searched {
  readonly id: string
  readonly name: string
  readonly short_description: string | null
  readonly category: string
  readonly endpoint: string
  readonly aliases: readonly string[]
}

export interface SearchResult<Metric> {
  /** The metrics that fit best, best first. */
  readonly metrics: readonly Metric[]
  /** How well each fits: 1 is named, below 0.2 there is little in common. */
  readonly scores: readonly number[]
  /** Set where something is asked for that is not tracked: what, and why. `metrics` are then those that come nearest. */
  readonly notTracked?: string
}

const variantEndpoints: ReadonlySet<string> = new Set<EndpointId>([
  ...(['series', 'funding/exchange', 'oi/exchange', 'etf/ticker', 'dat/entity'] as const),
  ...servedCohorts.map((cohort) => `cohort/metrics/${cohort}` as const),
])

/** Metrics of one cohort, exchange, fund or entity alone; there are many, all alike. */
export const isVariant = ({ endpoint }: Pick<Searched, 'endpoint'>): boolean => variantEndpoints.has(endpoint)

/** The metrics that fit a search, by id, name, names elsewhere, usual words and description. */
export function searchMetrics<Metric extends Searched>(
  metrics: readonly Metric[],
  query: string,
  most: number,
): SearchResult<Metric> {
  const words = splitWords(query)
  if (words.length === 0) return { metrics: [], scores: [] }
  const index = readIndex(metrics)
  const isNamed = metrics.some((metric) => index.words.get(metric)!.compact.has(words.join('')))
  const missing = isNamed ? undefined : findNotTracked(words)
  if (missing) {
    const { what, why, instead = [], rest } = missing
    const named = instead.flatMap((id) => metrics.find((metric) => metric.id === id) ?? [])
    const nearest = instead.length > 0 ? named.slice(0, most) : searchMetrics(metrics, rest.join(' '), most).metrics
    return {
      metrics: nearest,
      scores: nearest.map(() => 0),
      notTracked: `not tracked: ${what}; ${why}`,
    }
  }
  const asked = parseQuery(words, index)
  const scored = metrics.map((metric) => ({ metric, score: scoreMetric(metric, index.words.get(metric)!, asked) }))
  const found = scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.metric.id.length - b.metric.id.length)
  const best = found.slice(0, most)
  return {
    metrics: best.map(({ metric }) => metric),
    scores: best.map(({ score }) => Math.min(1, score / nameScore)),
  }
}

const preparedSynonyms = synonyms.map(([text, ids]) => ({ parts: splitWords(text), ids }))
const synonymWords: ReadonlySet<string> = new Set(preparedSynonyms.flatMap(({ parts }) => parts))
const firstSynonymScore = 40
/** What a name in full is worth. */
const nameScore = 100

interface Meant {
  score: number
  /** The words of the search by which it is meant. */
  readonly by: Set<string>
}

/** What ids score for being meant by synonyms: the earlier in the list of each, and the more synonyms, the more. */
function scoreSynonyms(words: readonly string[]): Map<string, Meant> {
  const all = new Map<string, Meant>()
  for (const { parts, ids } of preparedSynonyms) {
    if (!containsAll(words, parts)) continue
    for (const [place, id] of ids.entries()) {
      const meant = all.get(id) ?? { score: 0, by: new Set() }
      meant.score += firstSynonymScore + 5 * parts.length - place
      for (const part of parts) meant.by.add(part)
      all.set(id, meant)
    }
  }
  return all
}

interface MetricWords {
  readonly id: readonly string[]
  readonly called: readonly string[]
  readonly aliases: readonly (readonly string[])[]
  readonly texts: readonly string[]
  /** Id, name and aliases, each without anything between its words. */
  readonly compact: ReadonlySet<string>
}

interface Index {
  readonly words: ReadonlyMap<Searched, MetricWords>
  /** In how many metrics a word stands. */
  readonly counts: ReadonlyMap<string, number>
}

/** Of catalogues that were searched before. */
const indices = new WeakMap<readonly Searched[], Index>()

function readIndex(metrics: readonly Searched[]): Index {
  const known = indices.get(metrics)
  if (known) return known
  const words = new Map(metrics.map((metric) => [metric, splitMetric(metric)]))
  const counts = new Map<string, number>()
  for (const { id, called, texts } of words.values()) {
    for (const word of new Set([...id, ...called, ...texts])) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const made = { words, counts }
  indices.set(metrics, made)
  return made
}

function splitMetric({ id, name, aliases, short_description, category }: Searched): MetricWords {
  const idWords = splitWords(id.replaceAll('_', ' '))
  const nameWords = splitWords(name)
  // The vendor before the colon is no word of the name.
  const aliasWords = aliases.map((alias) => splitWords(alias.replace(/^[^:]*: /, '').replaceAll('_', ' ')))
  return {
    id: idWords,
    called: [...nameWords, ...aliasWords.flat()],
    aliases: aliasWords,
    texts: splitWords(`${short_description ?? ''} ${category}`),
    compact: new Set([idWords, nameWords, ...aliasWords].map((words) => words.join(''))),
  }
}

interface Query {
  readonly words: readonly string[]
  /** All words, and those that tell something, without anything between them. */
  readonly joined: readonly string[]
  /** How much each word tells: the rarer, the more; what stands nowhere, or in any question, tells nothing. */
  readonly weights: readonly number[]
  readonly meant: ReadonlyMap<string, Meant>
}

function parseQuery(words: readonly string[], { words: metrics, counts }: Index): Query {
  const telling = words.filter((word) => !isFiller(word))
  const weights = words.map((word) => {
    if (telling.length > 0 && !telling.includes(word)) return 0
    const count = counts.get(word) ?? 0
    if (count > 0) return Math.log(1 + metrics.size / count)
    return synonymWords.has(word) ? 3 : 0
  })
  const joined = [...new Set([words.join(''), telling.join('')])]
  return { words, joined, weights, meant: scoreSynonyms(words) }
}

const variantFactor = 0.75

/** By where the words stand, less what the metric leaves of them. */
function scoreMetric(metric: Searched, found: MetricWords, { words, joined, weights, meant }: Query): number {
  const { id, aliases, compact } = found
  const own = meant.get(metric.id)
  let sum = own?.score ?? 0
  let covered = 0
  let all = 0
  for (const [i, word] of words.entries()) {
    const points = scoreWord(word, found)
    sum += points
    all += weights[i]!
    if (points > 0 || own?.by.has(word)) covered += weights[i]!
  }
  if (joined.some((name) => compact.has(name))) sum += joined.includes(id.join('')) ? 2 * nameScore : nameScore
  if (aliases.some((alias) => alias.length > 1 && containsAll(words, alias))) sum += 30
  const coverage = all === 0 ? 0 : covered / all
  return sum * coverage ** 2 * (isVariant(metric) ? variantFactor : 1)
}

function scoreWord(word: string, { id, called, texts }: MetricWords): number {
  if (id.includes(word)) return 10
  if (called.includes(word)) return 8
  if (called.some((one) => one.startsWith(word)) || id.some((one) => one.startsWith(word))) return 4
  return texts.includes(word) ? 2 : 0
}
