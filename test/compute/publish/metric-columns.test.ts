import { expect, it } from 'vitest'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { MetricColumns } from '#compute/publish/metric-columns.ts'
import { networks } from '#ingest/chain/networks.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import { Random } from '#test/support/random.ts'

const days = 3_000
const firstDay = Date.parse('2011-02-02') / 86_400_000

/** Values as a market might have them, which begin late, and are missing now and then. */
function somewhatKnown(random: Random): Float64Array {
  const first = random.between(0, days / 2)
  let value = 100 * random.next()
  return Float64Array.from({ length: days }, (_, day) => {
    value *= 0.9 + 0.2 * random.next()
    const known = day >= first && random.next() > 0.0005
    return known ? (random.next() < 0.01 ? 0 : value) : Number.NaN
  })
}

it('gives the last days of every metric, to the last bit, as if it had evaluated all days', () => {
  const dayOfBlock = Int32Array.from({ length: days }, (_, day) => firstDay + day)
  const cohorts = listCohorts({ days: dayOfBlock }, networks.mainnet.halvingInterval, firstDay + days - 1)
  const { definitions, formulas } = createCatalogue(networks.mainnet, cohorts)
  const random = new Random(20_110_202)
  const base = new Map(
    definitions.flatMap(({ id, formula }) => (formula === undefined ? [[id, somewhatKnown(random)] as const] : [])),
  )
  const ids = definitions.map(({ id }) => id)
  const whole = new MetricColumns(days, formulas, base, ids)
  const last = 12
  const tail = new MetricColumns(days, formulas, base, ids, () => last)
  const known = new Set<string>()
  for (const id of ids) {
    const nothing = new Float64Array(days).fill(Number.NaN)
    const [all = nothing, few = nothing] = [whole.take(id), tail.take(id)]
    expect(all.length).toBe(days)
    const bits = (column: Float64Array): bigint[] => [...new BigUint64Array(column.slice(-last).buffer)]
    expect(bits(few), id).toEqual(bits(all))
    if (all.slice(-last).every((value) => !Number.isNaN(value))) known.add(id)
  }
  expect(known.size).toBeGreaterThan(ids.length / 2)
  // Few metrics need all days.
  const long = ids.filter((id) => tail.needed(id) > days / 2)
  expect(long.length).toBeLessThan(ids.length / 6)
})

it('looks at the days of nested windows, and at all where a value depends on all before', () => {
  const formulas = new Map(
    [
      ['a', 'sma(x, 10)'],
      ['b', 'max(a, 5) + y'],
      ['c', 'ema(z, 3)'],
      ['d', 'c / cummax(shift(z, 2)) + 1'],
    ].map(([id = '', text = '']) => [id, parseFormula(text)]),
  )
  const column = Float64Array.from({ length: 100 }, (_, day) => day)
  const base = new Map(['x', 'y', 'z'].map((id) => [id, column]))
  const needed = (ids: readonly string[]) => {
    const columns = new MetricColumns(100, formulas, base, ids, () => 4)
    return ['x', 'y', 'z', 'a', 'b', 'c', 'd'].map((id) => columns.needed(id))
  }
  expect(needed(['b'])).toEqual([19, 9, 0, 9, 4, 0, 0])
  expect(needed(['c'])).toEqual([0, 0, 100, 0, 0, 4, 0])
  expect(needed(['d', 'x'])).toEqual([4, 0, 100, 0, 0, 100, 4])
})
