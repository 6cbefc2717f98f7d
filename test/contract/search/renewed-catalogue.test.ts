import { expect, it } from 'vitest'
import { prepareSearch, searchMetrics } from '#contract/search/search.ts'
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

it('an index made in turns of others answers the same, and no turn is long', async () => {
  const renewed = metrics.slice(0, -20).map((metric) => ({ ...metric }))
  const usedMs = (): number => process.threadCpuUsage().user / 1_000
  let [longest, total, before] = [0, 0, usedMs()]
  await prepareSearch(renewed, () => {
    const used = usedMs() - before
    longest = Math.max(longest, used)
    total += used
    before = usedMs()
    return undefined
  })
  expect(longest).toBeLessThan(total / 4)
  const since = usedMs()
  expect(first(renewed, 'realised price of short-term holders')?.id).toBe('sth_realized_price')
  expect(usedMs() - since).toBeLessThan(total / 2)
})
