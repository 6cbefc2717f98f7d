import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { packIndex, unpackIndex } from '#contract/metric-index.ts'
import { rows } from '#contract/rows.ts'
import { endpointPath } from '#contract/variants.ts'
import { networks } from '#ingest/chain/networks.ts'

const lastDay = parseDay('2026-11-22')
const cohorts = listCohorts(
  { days: Int32Array.of(parseDay('2009-01-03'), lastDay) },
  networks.mainnet.halvingInterval,
  lastDay,
)
const { definitions } = createCatalogue(networks.mainnet, cohorts)
const cohortOf = new Map(definitions.map(({ id, cohort = null }) => [id, cohort]))
const entry = rows.metricIndex.omit({ cohorts: true })
const entries = definitions.map((definition) => entry.parse({ ...definition, endpoint: endpointPath(definition) }))
const packed = packIndex(entries, ({ id }) => cohortOf.get(id) ?? null)

test('the index of all metrics of mainnet has at most 30 kB, compressed, and nothing is lost', () => {
  expect(entries.length).toBeGreaterThan(3_000)
  expect(gzipSync(JSON.stringify({ success: true, data: packed })).length).toBeLessThan(30_000)
  const unpacked = unpackIndex(packed).map(({ cohorts: _, ...rest }) => rest)
  const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1)
  expect(unpacked.toSorted(byId)).toEqual(entries.toSorted(byId))
})

test('metrics of cohorts are one entry where nothing else differs', () => {
  const usual = { endpoint: 'series', aliases: [] }
  const metrics = [
    { id: 'supply', name: 'Supply', ...usual },
    { id: 'supply_over_1y', name: 'Supply of old coins', ...usual },
    { id: 'cost_over_1y', name: 'Cost of old coins', ...usual },
    { id: 'supply_y2010', name: 'Supply of coins of 2010', ...usual, aliases: ['coins_y2010', 'Vendor: x_y2010_z'] },
    { id: 'cost_y2010', name: 'Cost of coins of 2010', ...usual },
    { id: 'y2010_gain', name: 'Gain of coins of 2010', ...usual },
    { id: 'odd_over_1y', name: 'Odd ones of old coins', ...usual, aliases: ['odd_{cohort}'] },
  ]
  const cohortsById = (id: string) => /over_1y|y2010/.exec(id)?.[0] ?? null
  const result = packIndex(metrics, ({ id }) => cohortsById(id))
  expect(result.map(({ id, name, aliases, cohorts }) => [id, name, aliases, cohorts])).toEqual([
    ['supply', 'Supply', [], []],
    ['supply_{cohort}', 'Supply of {cohort}', [], ['over_1y old coins']],
    ['cost_{cohort}', 'Cost of {cohort}', [], ['over_1y old coins', 'y2010 coins of 2010']],
    ['supply_{cohort}', 'Supply of {cohort}', ['coins_{cohort}', 'Vendor: x_y2010_z'], ['y2010 coins of 2010']],
    ['y2010_gain', 'Gain of coins of 2010', [], []],
    ['odd_over_1y', 'Odd ones of old coins', ['odd_{cohort}'], []],
  ])
  expect(
    unpackIndex(result)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(metrics.map(({ id }) => id).toSorted())
})
