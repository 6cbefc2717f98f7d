import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { coinCohorts } from '#contract/coin-cohorts.ts'
import { indexByIds } from '#contract/metric-ids.ts'
import { catalogue, metricKinds } from '#root/docs/metrics/metric-kinds.ts'
import { metricsPages } from '#root/docs/metrics/write-metrics.ts'
import { namedMarketMetrics, namedMetrics } from '../compute/catalogue/named-metrics.ts'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const pages = new Map(Object.keys(metricsPages).map((name) => [name, read(`docs/metrics/${name}`)]))

test.each(Object.entries(metricsPages))('docs/metrics/%s is what `npm run docs:text` writes now', (name, page) => {
  expect(pages.get(name) === page(), 'run "npm run docs:text"').toBe(true)
})

/** The ids between backquotes, with ranges of numbers expanded. */
function namesOf(list: string): string[] {
  const [, first, last] = /^`(\d+)` to `(\d+)`$/.exec(list) ?? []
  if (first === undefined) return [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  const count = Number(last) - Number(first) + 1
  return Array.from({ length: count }, (_, i) => String(Number(first) + i).padStart(first.length, '0'))
}

const listWords: Readonly<Record<string, string>> = {
  exchange: 'exchanges',
  fund: 'funds',
  entity: 'entities',
  pool: 'pools',
}
const cohortRows = [...pages.get('cohorts.md')!.matchAll(/^\| `(\w+)` \| .* \| `(\w*mvrv\w*)` \|$/gm)]

/** The ids that a reader forms from an entry of a page. */
function idsOf(page: string, entry: string): string[] {
  const [, own = ''] = /^<a id="([^"]+)">/.exec(entry) ?? []
  const [, measure, count] = /^Also of every \[cohort\].*: `lth_(\w+)`, .*, (\d+) in all\.$/m.exec(entry) ?? []
  if (measure !== undefined) {
    const ids = cohortRows.map(([, cohort, example = '']) =>
      cohort === 'all' ? own : example.replace('mvrv', measure),
    )
    expect(ids).toHaveLength(Number(count))
    return ids
  }
  const [, ofCoins, ofCount] = /^Of every \[cohort\].*: `(\w+)_p2tr` and so on, (\d+) in all\.$/m.exec(entry) ?? []
  if (ofCoins !== undefined) {
    const ids = coinCohorts.filter(({ minAge }) => minAge === 0).map(({ id }) => `${ofCoins}_${id}`)
    expect(ids).toHaveLength(Number(ofCount))
    return ids
  }
  const [, young, among] =
    /^Also of every \[cohort\].* with coins of the day: `sth_(\w+)`, .*, (\d+) in all;/m.exec(entry) ?? []
  if (young !== undefined) {
    const dayOld = /^(lth|lth_smooth|over_\d+[dwmy]|\d+\w_(\d+\w|plus))$/
    const byAge = cohortRows.filter(([, cohort]) => !coinCohorts.some(({ id }) => id === cohort))
    const ids = byAge
      .filter(([, cohort = '']) => !dayOld.test(cohort))
      .map(([, cohort, example = '']) => (cohort === 'all' ? own : example.replace('mvrv', young)))
    expect(ids).toHaveLength(Number(among))
    return ids
  }
  const [, before = '', by = '', after = '', list] =
    /^(?:There is one of each|The ids are) .*?`(\w*)<(\w+)>(\w*)`(?: for (.*)\.$)?/m.exec(entry) ?? []
  if (by === '') return [own]
  const [, names = ''] = new RegExp(`^The ${listWords[by]} are (.*?)(?:, the ids of .*)?\\.$`, 'm').exec(page) ?? []
  return namesOf(list ?? names).map((name) => before + name + after)
}

test('every metric is found in them by its id, or by the ids of its cohort, exchange, fund, entity or number', () => {
  const ids = [...pages.values()].flatMap((page) =>
    page
      .split(/^(?=<a id=)/m)
      .slice(1)
      .flatMap((entry) => idsOf(page, entry)),
  )
  expect(ids.sort()).toEqual(catalogue.definitions.map(({ id }) => id).sort())
  const found = new Set(ids)
  const answering = indexByIds(catalogue.definitions)
  expect([...namedMetrics, ...namedMarketMetrics].filter((id) => !found.has(answering.get(id)?.id ?? ''))).toEqual([])
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
