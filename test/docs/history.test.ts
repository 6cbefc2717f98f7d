import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defineMetrics, type MetricRow, withKinds } from '#compute/catalogue/definition.ts'
import { affectedMetrics, type MetricChange, metricHistory } from '#compute/catalogue/metric-history.ts'
import { catalogue, cohorts } from '#root/docs/metrics/metric-kinds.ts'
import { parseRecord, recordVersions, versionsFile } from '#root/docs/metrics/recorded-versions.ts'
import { parseFormula } from '#sql/formula/parse.ts'

it('has a row in the history for every changed definition', () => {
  const recorded = parseRecord(readFileSync(versionsFile, 'utf8'))
  expect(recordVersions(recorded, catalogue, metricHistory), 'run "npm run docs:text"').toEqual(recorded)
})

/** a is measured, b follows from a, c from b, and d from none of them. */
function catalogueOf(formulaOfB: string) {
  const row = (id: string, formula: string): MetricRow => ({
    id,
    name: id,
    description: `${id}.`,
    unit: 'BTC',
    formula,
  })
  const texts = { b: formulaOfB, c: 'b + 1', d: 'sma(e, 2)' }
  const measured = { name: 'x', description: 'X.', unit: 'BTC', kind: 'level' } as const
  const metrics = defineMetrics('market', [
    { ...measured, id: 'a', from: { table: 'days', column: 'work' } },
    { ...measured, id: 'e', from: { table: 'days', column: 'size' } },
    ...Object.entries(texts).map(([id, text]) => row(id, text)),
  ])
  const formulas = new Map(Object.entries(texts).map(([id, text]) => [id, parseFormula(text)]))
  return { definitions: withKinds(metrics, formulas), formulas }
}

const change = (...metrics: readonly string[]): MetricChange => ({
  date: '2026-11-26',
  version: '1.1.0',
  kind: 'definition',
  metrics,
  change: 'Doubled.',
  reason: 'It was half.',
  effect: 'Twice as large.',
})

describe('a changed formula', () => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const history = [change('b')]
  const before = recordVersions({ changes: 0, versions: {} }, catalogueOf('a * 2'), history, ids)
  const after = catalogueOf('a * 3')

  it('is refused with the names of all metrics that follow, although an earlier change of it is in the history', () => {
    expect(() => recordVersions(before, after, history, ids)).toThrow(
      'the definition of b, c changed: add what changed',
    )
    expect(() => recordVersions(before, after, [...history, change('c')], ids)).toThrow('the definition of b changed')
  })

  it('is recorded once it has a row, and not asked for again', () => {
    const recorded = recordVersions(before, after, [...history, change('b')], ids)
    expect(ids.filter((id) => recorded.versions[id] !== before.versions[id])).toEqual(['b', 'c'])
    expect(recordVersions(recorded, after, [...history, change('b')], ids)).toEqual(recorded)
  })

  it('is asked for if a metric is gone, not if one is new', () => {
    expect(() => recordVersions(before, catalogueOf('a * 2'), history, ids.slice(0, 4))).toThrow('the definition of e ')
    const { versions } = recordVersions({ changes: 1, versions: {} }, after, history, ids)
    expect(Object.keys(versions)).toEqual(ids)
  })
})

it('names the metrics that follow from a change of values, of the cohorts that changed', () => {
  const { formulas } = catalogue
  expect(affectedMetrics(change('price_sma_200'), formulas, cohorts)).toEqual(
    expect.arrayContaining(['price_sma_200', 'golden_cross_ratio']),
  )
  const renamed = { ...change(), kind: 'id', measures: ['sopr'], cohorts: ['sth', 'all'] } as const
  expect(affectedMetrics(renamed, formulas, cohorts)).toEqual(['sth_sopr', 'sopr'])
})

it('is in the order of days', () => {
  const dates = metricHistory.map(({ date }) => date)
  expect(dates).toEqual(dates.toSorted())
})
