import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { findIntervals } from '#compute/catalogue/metric-intervals.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { describeCostGap } from '#compute/publish/cost-gap.ts'
import { addPricingNote } from '#compute/publish/pricing.ts'
import { tables } from '#contract/tables/tables.ts'
import { networks } from '#ingest/chain/networks.ts'

const cohorts = listCohorts({ days: Int32Array.of(parseDay('2009-01-03')) }, 210_000, parseDay('2026-11-28'))
const catalogue = createCatalogue(networks.mainnet, cohorts)
const { definitions, formulas } = catalogue
const textOf = ({ description, variant = '' }: { description: string; variant?: string }): string =>
  `${description} ${variant}`

describe('every text', () => {
  /** With what a publication appends. */
  const published = addPricingNote(
    describeCostGap(catalogue, { first_date: '2010-07-18', last_date: '2012-01-01', share: 0.5, known_from: null }),
    { setting: 'hourly', hourly: { days: 2, first_date: '2023-01-01', last_date: '2023-01-02' } },
  ).definitions
  const isComplete = (text: string): boolean =>
    /^[\p{Lu}\d].*\.$/u.test(text) && !/ {2}|\.\.| [,.;:]|[{}]|undefined|null\./.test(text)

  test('is made of full sentences, each of which ends before the next begins', () => {
    const texts = [...definitions, ...published].flatMap(({ id, description, variant }) =>
      [description, variant].flatMap((text) => (text === undefined || isComplete(text) ? [] : [`${id}: ${text}`])),
    )
    expect([...new Set(texts)]).toEqual([])
  })

  test('says once what a publication appends', () => {
    const valued = published.filter(({ variant }) => variant?.includes('Valued'))
    expect(valued.length).toBeGreaterThan(2500)
    const before = new Map(definitions.map(({ id, variant }) => [id, variant]))
    for (const { id, variant } of valued) {
      const own = before.get(id)
      expect(variant?.startsWith(own === undefined ? 'Valued' : `${own} Valued`), id).toBe(true)
    }
  })
})

test('prices from the chain are named by all that follows from the price', () => {
  const named = (source?: 'onchain') => {
    const published = addPricingNote(catalogue, { setting: 'daily', source, hourly: null })
    const ofPrice = ['price', 'market_cap', 'mayer_multiple', 'price_change_30d_pct', 'price_onchain_gap', 'mvrv']
    return published.definitions.filter(({ id, variant }) => ofPrice.includes(id) && variant?.includes('Valued by'))
  }
  const ids = named('onchain').map(({ id }) => id)
  expect(ids).toContain('market_cap')
  expect(ids).toContain('price_onchain_gap')
  expect(named().map(({ id }) => id)).toEqual(['mvrv'])
  expect(ids.length).toBeGreaterThan(4)
})

test('every column of a table is described in full sentences', () => {
  const columns = Object.values(tables).flatMap(({ name, columns: own }) =>
    Object.entries(own).map(([column, { description }]) => ({ column: `${name}.${column}`, description })),
  )
  expect(
    columns.filter(({ description }) => !/^[\p{Lu}\d`].*\.$/u.test(description)).map(({ column }) => column),
  ).toEqual([])
})

test('exact is said of whole numbers only, and not of coins that count in part', () => {
  const said = definitions.filter((metric) => /\bexact\b/i.test(textOf(metric).replace('not exact', '')))
  expect(said.length).toBeGreaterThan(10)
  expect(said.filter(({ id, whole }) => !whole || id.includes('_smooth_')).map(({ id }) => id)).toEqual([])
})

describe('what volume a ratio to transfers takes', () => {
  /** Reads it, directly or through formulas. */
  const reads = (id: string, volume: string): boolean =>
    id === volume || [...(formulas.get(id)?.references.keys() ?? [])].some((other) => reads(other, volume))
  const named = definitions.filter(({ id }) => /^(?:nvt|rvt|velocity)/.test(id))

  test.each(named.map((metric) => [metric.id, metric] as const))('%s', (id, { variant = '' }) => {
    expect(reads(id, 'spent_volume')).toBe(!id.endsWith('_adjusted'))
    expect(reads(id, 'adjusted_sats')).toBe(id.endsWith('_adjusted'))
    expect(variant).toMatch(id.endsWith('_adjusted') ? /Change is taken off/ : /includes change/)
  })

  test('all of them are looked at', () => expect(named.length).toBe(11))
})

test('sums in USD whose hours do not add up to the day say so, as docs/api.md does', () => {
  const intervals = findIntervals(catalogue)
  const byHour = definitions.filter(
    ({ id, unit, kind }) => unit === 'USD' && kind === 'flow' && intervals.get(id)?.includes('1h'),
  )
  expect(byHour).toHaveLength(5)
  const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
  const line = page.split('\n').find((one) => one.includes('do not add up to their days')) ?? ''
  for (const { id, variant } of byHour) {
    expect(variant, id).toContain('do not add up to the day')
    expect(line).toContain(`\`${id}\``)
  }
})

test('quantiles from histograms say that they are within 3 %, in the catalogue and in the tables', () => {
  const columns = Object.entries(tables.days.columns).filter(([name]) => /_p\d\d$|_median$|^median_/.test(name))
  const binned = columns.filter(([name]) => name !== 'median_block_interval')
  expect(binned).toHaveLength(26)
  for (const [name, { description }] of binned) {
    const isLike = /^The same/.test(description)
    expect(description, name).toMatch(isLike ? /^The same for/ : /within 3 %/)
    const metric = definitions.find(({ from }) => from?.table === 'days' && from.column === name)
    expect(metric?.variant, name).toMatch(/off by 3 %/)
  }
  // Sorted, not counted in bins.
  expect(tables.blocks.columns.fee_rate_median.description).not.toContain('within')
  expect(tables.days.columns.median_block_interval.description).not.toContain('within')
})

test('only what is estimated itself says that its interval is published', () => {
  const said = definitions.filter(({ variant }) => variant?.includes('has its 95 % interval'))
  expect(said.length).toBeGreaterThan(50)
  expect(said.filter(({ from }) => from?.table !== 'address_balances').map(({ id }) => id)).toEqual([])
})

test('what leaves out outputs under an hour says so, in the catalogue and in the tables', () => {
  for (const name of ['median_spent_age', 'average_spent_age'] as const) {
    expect(tables.days.columns[name].description).toContain('spent an hour or more after their creation')
    const metric = definitions.find(({ from }) => from?.table === 'days' && from.column === name)
    expect(metric?.variant).toContain('Outputs spent within an hour of their creation are not counted.')
  }
})
