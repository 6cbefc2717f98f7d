import { expect, test } from 'vitest'
import { indexByIds } from '#contract/metric-ids.ts'
import { thirtySearches } from '#test/contract/search/thirty-searches.ts'
import { catalogue } from '#test/mcp/support/mainnet-catalogue.ts'
import { loadSearch, withPrefix } from '#web/data/search.ts'

/** The catalogue as pages have it, without descriptions. */
const metrics = catalogue.metrics.map(
  ({ id, name, category, unit, dimension, kind, aggregate, endpoint, grade, style, aliases }) => ({
    id,
    name,
    category,
    unit,
    dimension,
    kind,
    aggregate,
    endpoint,
    grade,
    style,
    aliases,
    cohorts: [],
  }),
)
const search = await loadSearch()
const index = { metrics, byId: indexByIds(metrics) }

test.each(thirtySearches)('a page finds what the API finds: %s', (query, ...ids) => {
  const { metrics: found, notTracked } = search(metrics, query, 3)
  if (ids.length === 0) expect(notTracked).toMatch(/^not tracked: .+; .+/)
  else expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
})

test('an incomplete word finds what contains it, the whole market first', () => {
  expect(search(metrics, 'liveli', 3).metrics.map(({ id }) => id)).toContain('liveliness')
  expect(search(metrics, 'puel', 1).metrics.map(({ id }) => id)).toEqual(['puell_multiple'])
  expect(search(metrics, 'xyzzy', 3).metrics).toEqual([])
})

test('ids with a prefix come in order of length', () => {
  expect(withPrefix(index, 'realized_p', 2).map(({ id }) => id)).toEqual(['realized_pl', 'realized_price'])
})
