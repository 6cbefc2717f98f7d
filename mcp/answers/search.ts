import { servedCohorts } from '#contract/cohorts.ts'
import type { EndpointId } from '#contract/endpoints.ts'
import type { Metric } from '../client/catalogue.ts'
import { synonyms } from './synonyms.ts'

const endpointsOfVariants: ReadonlySet<string> = new Set<EndpointId>([
  ...(['series', 'funding/exchange', 'oi/exchange', 'etf/ticker', 'dat/entity'] as const),
  ...servedCohorts.map((cohort) => `cohort/metrics/${cohort}` as const),
])

/** Metrics of one cohort, exchange, fund or entity alone; there are many, all alike. */
export const isVariant = ({ endpoint }: Metric): boolean => endpointsOfVariants.has(endpoint)

/** The metrics that fit a search best, best first. */
export function searchMetrics(metrics: readonly Metric[], query: string, most: number): Metric[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const meant = meantIds(words)
  return metrics
    .map((metric) => ({ metric, score: scoreOf(metric, words, meant) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.metric.id.length - b.metric.id.length)
    .slice(0, most)
    .map(({ metric }) => metric)
}

const ignored = new Set(
  'a an and are at bitcoin btc by do for how in is it metric of on or s that the to what which with'.split(' '),
)

/** Telling words without their plural, so that `fees` finds `fee`. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return words.filter((word) => !ignored.has(word)).map(singular)
}

const singular = (word: string): string => (word.length > 3 && !word.endsWith('ss') ? word.replace(/s$/, '') : word)

const preparedSynonyms = synonyms.map(([text, ids]) => ({ parts: wordsOf(text), ids }))
const scoreOfFirst = 40

/** What ids score for being meant by synonyms: the earlier in the list of each, and the more synonyms, the more. */
function meantIds(words: readonly string[]): Map<string, number> {
  const asked = new Set(words)
  const scores = new Map<string, number>()
  for (const { parts, ids } of preparedSynonyms) {
    if (!parts.every((part) => asked.has(part))) continue
    ids.forEach((id, place) => void scores.set(id, (scores.get(id) ?? 0) + scoreOfFirst + parts.length - place))
  }
  return scores
}

interface MetricWords {
  readonly id: readonly string[]
  readonly name: readonly string[]
  readonly texts: readonly string[]
}

/** Of metrics that were searched before. */
const known = new WeakMap<Metric, MetricWords>()

function wordsOfMetric(metric: Metric): MetricWords {
  const found = known.get(metric)
  if (found) return found
  const made = {
    id: metric.id.split('_').map(singular),
    name: wordsOf(metric.name),
    texts: wordsOf(`${metric.short_description ?? ''} ${metric.category}`),
  }
  known.set(metric, made)
  return made
}

function scoreOf(metric: Metric, words: readonly string[], meant: ReadonlyMap<string, number>): number {
  const { id, name, texts } = wordsOfMetric(metric)
  const score = words.reduce((sum, word) => {
    if (id.includes(word)) return sum + 10
    if (name.includes(word)) return sum + 8
    if (name.some((one) => one.startsWith(word)) || id.some((one) => one.startsWith(word))) return sum + 4
    return sum + (texts.includes(word) ? 2 : 0)
  }, 0)
  const exact = words.join('_') === id.join('_') ? 100 : 0
  return (score + exact + (meant.get(metric.id) ?? 0)) / (isVariant(metric) ? 2 : 1)
}
