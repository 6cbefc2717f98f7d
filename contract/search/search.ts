import { servedCohorts } from '../cohorts.ts'
import type { EndpointId } from '../endpoints.ts'
import { findNotTracked } from './not-tracked.ts'
import { synonyms } from './synonyms.ts'
import { containsAll, isFiller, splitWords } from './words.ts'

export interface Searched {
  readonly id: string
  readonly name: string
  readonly short_description: string | null
  readonly category: string
  readonly endpoint: string
  readonly aliases: readonly string[]
}

export interface SearchResult<Metric> {
  /** Best first. */
  readonly metrics: readonly Metric[]
  /** 0 to 1: 1 if the search names the metric, below 0.2 for weak matches. */
  readonly scores: readonly number[]
  /** Explains that the searched data is not tracked; `metrics` are then the closest ones. */
  readonly notTracked?: string
}

const variantEndpoints: ReadonlySet<string> = new Set<EndpointId>([
  ...(['series', 'funding/exchange', 'oi/exchange', 'etf/ticker', 'dat/entity'] as const),
  ...servedCohorts.map((cohort) => `cohort/metrics/${cohort}` as const),
])

/** True for metrics of a single cohort, exchange, fund or entity. */
export const isVariant = ({ endpoint }: Pick<Searched, 'endpoint'>): boolean => variantEndpoints.has(endpoint)

/** Searches ids, names, aliases, synonyms and descriptions. */
export function searchMetrics<Metric extends Searched>(
  metrics: readonly Metric[],
  query: string,
  max: number,
): SearchResult<Metric> {
  const words = splitWords(query)
  if (words.length === 0) return { metrics: [], scores: [] }
  const index = readIndex(metrics)
  const isNamed = metrics.some((metric) => index.words.get(metric)!.compact.has(words.join('')))
  const missing = isNamed ? undefined : findNotTracked(words)
  if (missing) {
    const { what, why, instead = [], rest } = missing
    const named = instead.flatMap((id) => metrics.find((metric) => metric.id === id) ?? [])
    const nearest = instead.length > 0 ? named.slice(0, max) : searchMetrics(metrics, rest.join(' '), max).metrics
    return {
      metrics: nearest,
      scores: nearest.map(() => 0),
      notTracked: `not tracked: ${what}; ${why}`,
    }
  }
  const parsed = parseQuery(words, index)
  const scored = metrics.map((metric) => ({ metric, score: scoreMetric(metric, index.words.get(metric)!, parsed) }))
  const found = scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.metric.id.length - b.metric.id.length)
  const best = found.slice(0, max)
  return {
    metrics: best.map(({ metric }) => metric),
    scores: best.map(({ score }) => Math.min(1, score / nameScore)),
  }
}

const preparedSynonyms = synonyms.map(([text, ids]) => ({ parts: splitWords(text), ids }))
const synonymWords: ReadonlySet<string> = new Set(preparedSynonyms.flatMap(({ parts }) => parts))
const firstSynonymScore = 40
const nameScore = 100

interface SynonymMatch {
  score: number
  /** Words of the search that match the synonyms. */
  readonly words: Set<string>
}

/** Scores ids by synonyms: higher for earlier ids of a synonym, and for each further synonym. */
function scoreSynonyms(words: readonly string[]): Map<string, SynonymMatch> {
  const all = new Map<string, SynonymMatch>()
  for (const { parts, ids } of preparedSynonyms) {
    if (!containsAll(words, parts)) continue
    for (const [place, id] of ids.entries()) {
      const meant = all.get(id) ?? { score: 0, words: new Set() }
      meant.score += firstSynonymScore + 5 * parts.length - place
      for (const part of parts) meant.words.add(part)
      all.set(id, meant)
    }
  }
  return all
}

interface MetricWords {
  readonly id: readonly string[]
  readonly names: readonly string[]
  readonly aliases: readonly (readonly string[])[]
  readonly texts: readonly string[]
  /** Id, name and aliases with their words joined. */
  readonly compact: ReadonlySet<string>
}

interface Index {
  readonly words: ReadonlyMap<Searched, MetricWords>
  readonly counts: ReadonlyMap<string, number>
}

const indices = new WeakMap<readonly Searched[], Index>()

function readIndex(metrics: readonly Searched[]): Index {
  const known = indices.get(metrics)
  if (known) return known
  const words = new Map(metrics.map((metric) => [metric, splitMetric(metric)]))
  const counts = new Map<string, number>()
  for (const { id, names, texts } of words.values()) {
    for (const word of new Set([...id, ...names, ...texts])) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const index = { words, counts }
  indices.set(metrics, index)
  return index
}

function splitMetric({ id, name, aliases, short_description, category }: Searched): MetricWords {
  const idWords = splitWords(id.replaceAll('_', ' '))
  const nameWords = splitWords(name)
  // The vendor before the colon is not part of the name.
  const aliasWords = aliases.map((alias) => splitWords(alias.replace(/^[^:]*: /, '').replaceAll('_', ' ')))
  return {
    id: idWords,
    names: [...nameWords, ...aliasWords.flat()],
    aliases: aliasWords,
    texts: splitWords(`${short_description ?? ''} ${category}`),
    compact: new Set([idWords, nameWords, ...aliasWords].map((words) => words.join(''))),
  }
}

interface Query {
  readonly words: readonly string[]
  /** All words joined, and all without fillers joined. */
  readonly joined: readonly string[]
  /** Higher for rarer words; 0 for fillers and unknown words. */
  readonly weights: readonly number[]
  readonly meant: ReadonlyMap<string, SynonymMatch>
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

/** Sums scores by the place of each word, reduced by the weight of words that the metric lacks. */
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
    if (points > 0 || own?.words.has(word)) covered += weights[i]!
  }
  if (joined.some((name) => compact.has(name))) sum += joined.includes(id.join('')) ? 2 * nameScore : nameScore
  if (aliases.some((alias) => alias.length > 1 && containsAll(words, alias))) sum += 30
  const coverage = all === 0 ? 0 : covered / all
  return sum * coverage ** 2 * (isVariant(metric) ? variantFactor : 1)
}

function scoreWord(word: string, { id, names, texts }: MetricWords): number {
  if (id.includes(word)) return 10
  if (names.includes(word)) return 8
  if (names.some((one) => one.startsWith(word)) || id.some((one) => one.startsWith(word))) return 4
  return texts.includes(word) ? 2 : 0
}
