import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { metricId } from '#compute/catalogue/measures.ts'
import { catalogue, cohorts, metricKinds } from '#root/docs/metrics/kinds.ts'
import { metricsPages } from '#root/docs/metrics/write-metrics.ts'
import { namedMarketMetrics, namedMetrics } from '../compute/catalogue/named-metrics.ts'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const pages = new Map(Object.keys(metricsPages).map((name) => [name, read(`docs/metrics/${name}`)]))

test.each(Object.entries(metricsPages))('docs/metrics/%s is what `npm run docs:text` writes now', (name, page) => {
  expect(pages.get(name) === page(), 'run "npm run docs:text"').toBe(true)
})

test('every metric is found in them by its id, or by the ids of its cohort, exchange, fund, entity or number', () => {
  const all = [...pages.values()].join('\n')
  const ids = new Set([...all.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id))
  // The pages list the names that `<cohort>`, `<fund>` and so on stand for.
  for (const { shown, members, by } of metricKinds) {
    if (!by || !ids.has(shown.id)) continue
    const at = all.indexOf(`<a id="${shown.id}">`)
    const section = all.slice(at, all.indexOf('<a id=', at + 1))
    expect(section).toMatch(by === 'cohort' ? `${cohorts.length} in all` : /`[a-z0-9_]*<\w+>[a-z0-9_]*`/)
    for (const { id } of members) ids.add(id)
  }
  expect([...namedMetrics, ...namedMarketMetrics].filter((id) => !ids.has(id))).toEqual([])
  for (const { id } of cohorts) expect(all).toContain(`| \`${metricId(id, 'mvrv')}\` |`)
})

test('an id can be formed from what its kind lists', () => {
  const etfs = pages.get('etfs.md')!
  expect(etfs).toContain('`etf_btc_holdings_<fund>`')
  expect(etfs).toMatch(/^The funds are .*`ibit`/m)
  expect(pages.get('market.md')).toMatch(/`price_sma_<number>` for .*`200`/)
})

test('a share of all coins shows the formula of a cohort, since all of all is 100 %', () => {
  const shares = [...pages.values()].flatMap((page) => [...page.matchAll(/^`.*\b(\w+) \/ \1\b.*$/gm)])
  expect(shares.map(([line]) => line)).toEqual([])
  expect(pages.get('supply.md')).toContain('`lth_supply_percent = 100 * (lth_supply / circulating_supply)`')
})

test('README counts measures and metrics as they are', () => {
  const [, kinds, metrics] = /There are (\d+) measures, ([\d,]+) metrics/.exec(read('README.md')) ?? []
  expect(kinds).toBe(String(metricKinds.length))
  expect(metrics).toBe(catalogue.definitions.length.toLocaleString('en'))
})
