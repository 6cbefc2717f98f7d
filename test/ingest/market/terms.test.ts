import { expect, test } from 'vitest'
import { defaultSources, listAttributions, marketSources } from '#ingest/market/sources.ts'

test('a source whose data must not be shown is fetched unasked only where nobody else sees them', () => {
  const forbidden = marketSources.filter(({ terms }) => terms?.republishing === 'forbidden').map(({ id }) => id)
  expect(forbidden).toEqual(['sosovalue'])
  expect(defaultSources(false)).toEqual(marketSources)
  const shared = defaultSources(true).map(({ id }) => id)
  expect(shared).not.toContain('sosovalue')
  expect(shared).toHaveLength(marketSources.length - 1)
})

test('what sources want to be said is said of those whose data are there', () => {
  expect(listAttributions(['bybit', 'coingecko'])).toEqual(['Data provided by CoinGecko (https://www.coingecko.com)'])
  expect(listAttributions(['bybit', 'import'])).toEqual([])
})
