import type { Metric } from './catalogue.ts'
import { synonyms } from './synonyms.ts'

/** Metrics of one cohort, exchange, fund or entity alone; there are many, all alike. */
export const isVariant = ({ endpoint }: Metric): boolean =>
  /^(series|cohort\/metrics\/|funding\/exchange|oi\/exchange|etf\/ticker|dat\/entity)/.test(endpoint)

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

const ignored = new Set('a an and are at bitcoin btc by do for how in is it metric of on or s that the to what which with'.split(' '))

/** Words without their plural, so that `fees` finds `fee`. */
function wordsOf(text: string): string[] {
  const all = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const telling = all.filter((word) => !ignored.has(word))
  return (telling.length > 0 ? telling : all).map(singular)
}

const singular = (word: string): string => (word.length > 3 && !word.endsWith('ss') ? word.replace(/s$/, '') : word)

/** Ids that a synonym means, with the place of each in its list; longer synonyms count before shorter ones. */
function meantIds(words: readonly string[]): Map<string, number> {
  const asked = new Set(words)
  const found = synonyms
    .map(([text, ids]) => ({ parts: wordsOf(text), ids }))
    .filter(({ parts }) => parts.every((part) => asked.has(part)))
    .sort((a, b) => b.parts.length - a.parts.length)
    .flatMap(({ ids }) => ids)
  return new Map([...new Set(found)].map((id, place) => [id, place]))
}

function scoreOf(metric: Metric, words: readonly string[], meant: ReadonlyMap<string, number>): number {
  const id = metric.id.split('_').map(singular)
  const name = wordsOf(metric.name)
  const texts = wordsOf(`${metric.short_description ?? ''} ${metric.category}`)
  const score = words.reduce((sum, word) => {
    if (id.includes(word)) return sum + 10
    if (name.includes(word)) return sum + 8
    if (name.some((one) => one.startsWith(word)) || id.some((one) => one.startsWith(word))) return sum + 4
    return sum + (texts.includes(word) ? 2 : 0)
  }, 0)
  const place = meant.get(metric.id)
  const isExact = words.join('_') === id.join('_')
  return (score + (isExact ? 100 : 0) + (place === undefined ? 0 : 40 - place)) / (isVariant(metric) ? 2 : 1)
}
