import { expect, test } from 'vitest'
import { attributionsOf, marketSources, usualSources } from '#ingest/market/sources.ts'

test('a source whose data must not be shown is fetched unasked only where nobody else sees them', () => {
  const forbidden = marketSources.filter(({ terms }) => terms?.republishing === 'forbidden').map(({ id }) => id)
  expect(forbidden).toEqual(['sosovalue'])
  expect(usualSources(false)).toEqual(marketSources)
  const shared = usualSources(true).map(({ id }) => id)
  expect(shared).not.toContain('sosovalue')
  expect(shared).toHaveLength(marketSources.length - 1)
})

test('what sources want to be said is said of those whose data are there', () => {
  expect(attributionsOf(['bybit', 'coingecko'])).toEqual(['Data provided by CoinGecko (https://www.coingecko.com)'])
  expect(attributionsOf(['bybit', 'import'])).toEqual([])
})
