import { expect, test } from 'vitest'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { MetricColumns } from '#compute/publish/metric-columns.ts'
import { networks } from '#ingest/chain/networks.ts'
import { Random } from '#test/support/random.ts'

/** Metrics that are the same by definition, found on values that nothing else connects. */

const days = 3400
const firstPriced = 300
const prices = new Set(['price', 'open', 'high', 'low', 'volume'])

const cohorts = listCohorts({ days: Int32Array.of(14_247) }, 210_000, 14_247 + days - 1)
const { definitions, formulas } = createCatalogue(networks.mainnet, cohorts)

test('no metric is a copy of another, whatever the data', () => {
  const random = new Random(3)
  const measured = definitions.filter(({ formula }) => formula === undefined)
  const base = new Map(
    measured.map(({ id }) => {
      const first = prices.has(id) ? firstPriced : 0
      // Few coin days, or reserve risk would be null for these random values.
      const factor = id === 'coindays_destroyed' ? 1e-10 : 1
      const value = (day: number): number => (id === 'market_age_days' ? day + 1 : factor * (0.5 + random.next()))
      return [id, Float64Array.from({ length: days }, (_, day) => (day < first ? Number.NaN : value(day)))]
    }),
  )
  const ids = definitions.map(({ id }) => id)
  const columns = new MetricColumns(days, formulas, base, ids)
  const bySeries = Map.groupBy(ids, (id) => {
    const series = columns.take(id)!.filter((_, day) => day % 17 === 0)
    return Array.from(series, (value) => value.toPrecision(9)).join()
  })
  const copies = [...bySeries.values()].filter((same) => same.length > 1)
  expect(copies).toEqual([
    // Coin days that the supply earns during a day add up over a week, the supply does not.
    ['circulating_supply', 'coindays_created'],
    // All coins are all coins: 100 %.
    ['supply_percent', 'realized_cap_percent'],
  ])
})
