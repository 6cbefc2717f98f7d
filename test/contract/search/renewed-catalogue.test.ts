import { expect, it } from 'vitest'
import { searchMetrics } from '#contract/search/search.ts'
import { catalogue } from '#test/mcp/support/mainnet-catalogue.ts'

const { metrics } = catalogue
const first = (of: typeof metrics, query: string) => searchMetrics(of, query, 1).metrics[0]

it('a catalogue that is the same again is found in itself, without indexing it again', () => {
  const timed = (of: typeof metrics) => {
    const since = performance.now()
    return { found: first(of, 'nupl'), ms: performance.now() - since }
  }
  // In an order that no other test has indexed.
  const reversed = metrics.toReversed()
  const indexed = timed(reversed)
  const renewed = reversed.map((metric) => ({ ...metric }))
  const again = timed(renewed)
  expect(indexed.found?.id).toBe('nupl')
  expect(again.found).toBe(renewed.find(({ id }) => id === 'nupl'))
  expect(again.ms).toBeLessThan(indexed.ms / 3)
})

it('a catalogue with another name, order or length is indexed anew', () => {
  expect(first(metrics, 'quokka index')?.id).not.toBe('nupl')
  const renamed = metrics.map((metric) => (metric.id === 'nupl' ? { ...metric, aliases: ['Quokka index'] } : metric))
  expect(first(renamed, 'quokka index')?.id).toBe('nupl')
  const reversed = metrics.toReversed()
  expect(first(reversed, 'nupl')?.id).toBe('nupl')
  expect(first(reversed.slice(0, -10), 'nupl')?.id).toBe('nupl')
})
