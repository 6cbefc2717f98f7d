import { runInThisContext } from 'node:vm'
import { expect, test } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import { dataDir, key, serveDemo, service } from '#test/mcp/support/demo-service.ts'
import { columnsOf, publishedTable } from '#test/support/published.ts'
import { withFewCohorts } from './support/few-cohorts.ts'

/**
 * Weeks, months and years of every metric against the published days, by a reading of its formula
 * that is not that of the program: with sums of flows and last values of levels.
 */

serveDemo()

interface Metric {
  readonly id: string
  readonly kind: 'level' | 'flow' | 'rate'
  readonly formula: string | null
  readonly table_name: string
  readonly column_name: string
  readonly cohort: string | null
}

type Row = Readonly<Record<string, number | string | null>>

async function ask(address: string): Promise<{ data: Row[]; meta: Row }> {
  // Compressing and unpacking answers would take longer than making them.
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' }
  const response = await fetch(`${service.url}${address}`, { headers })
  const answer = await response.json()
  expect([address, response.status, answer.error]).toEqual([address, 200, undefined])
  return answer
}

type Days = ReadonlyMap<string, readonly (number | null)[]>

/** Values of all metrics on the days from `first` to `last`, by id. */
async function readDays(metrics: readonly Metric[], first: string, last: string): Promise<Days> {
  const values = new Map<string, readonly (number | null)[]>()
  const dayCount = parseDay(last) - parseDay(first) + 1
  // Each table is read once, with the rows of all its cohorts one after the other.
  for (const [table, group] of Map.groupBy(metrics, ({ table_name }) => table_name)) {
    const columns = [...new Set(group.map(({ column_name }) => column_name))]
    const cohorts = [...new Set(group.map(({ cohort }) => cohort))].sort()
    const [among, order] =
      cohorts[0] === null ? ['', 'date'] : [`AND cohort IN ('${cohorts.join("', '")}')`, 'cohort, date']
    const read = await columnsOf(
      `SELECT "${columns.join('", "')}" FROM ${publishedTable(dataDir, table)}
       WHERE date BETWEEN '${first}' AND '${last}' ${among} ORDER BY ${order}`,
    )
    expect(read[0], table).toHaveLength(dayCount * cohorts.length)
    for (const { id, column_name, cohort } of group) {
      const start = dayCount * cohorts.indexOf(cohort)
      values.set(id, read[columns.indexOf(column_name)]!.slice(start, start + dayCount))
    }
  }
  return values
}

const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)
const total = (values: readonly (number | null)[]): number => known(values).reduce((sum, value) => sum + value, 0)
const average = (values: readonly (number | null)[]): number => total(values) / known(values).length

interface Period {
  readonly of: (id: string) => readonly (number | null)[]
  readonly last: (id: string) => number
  readonly sum: (id: string) => number
  readonly mean: (id: string) => number
}

const periodOf = (days: Days, from: number, to: number): Period => {
  const of = (id: string) => days.get(id)!.slice(from, to)
  return {
    of,
    last: (id) => known(of(id)).at(-1) ?? Number.NaN,
    sum: (id) => (known(of(id)).length > 0 ? total(of(id)) : Number.NaN),
    mean: (id) => average(of(id)),
  }
}

/** Rates with parts that are no flows, worked out by hand. */
const byHand: Readonly<Record<string, (period: Period) => number>> = {
  nvt: ({ last, mean }) => last('market_cap') / mean('transfer_volume_usd'),
  rvt: ({ last, mean }) => last('realized_cap') / mean('transfer_volume_usd'),
  nvt_adjusted: ({ last, mean }) => last('market_cap') / mean('adjusted_volume_usd'),
  rvt_adjusted: ({ last, mean }) => last('realized_cap') / mean('adjusted_volume_usd'),
  oi_to_volume: ({ last, mean }) => last('total_oi_usd') / mean('volume'),
  stock_to_flow_checkonchain: ({ last, mean }) => last('circulating_supply') / (365 * mean('issuance')),
  sopr_ratio: ({ sum }) =>
    sum('lth_spent_volume_usd') / sum('lth_spent_cost') / (sum('sth_spent_volume_usd') / sum('sth_spent_cost')),
  supply_adjusted_dormancy: ({ sum, last }) =>
    sum('coindays_destroyed') / sum('spent_volume') / last('circulating_supply'),
  block_interval: ({ mean }) => 86_400 / mean('blocks_mined'),
  hash_price: ({ sum }) => sum('miner_revenue_usd') / (sum('work') / 86_400 / 1e15),
}

const highest = ['high', 'block_interval_max', 'hash_ribbon_buy_signal']
/** Medians and other quantiles, addresses, and funding are not known of more than a day. */
const measuredMeans =
  /^(asol|msol|avg_funding_rate|oi_delta_percent|funding_\w+|(active|sending|receiving)_addresses|\w+_(median|p\d\d))$/
/** Compared with the level of their own day, or with other days. */
const dailyMeans =
  /^(return_\w+|tx_per_second|hash_rate_1d|fee_median_usd|volume_to_market_cap|\w*sell_side_risk_ratio\w*|nvt_price|velocity_glassnode|puell_multiple|vocdd|rpv_ratio|supply_adjusted_cdd|inflation_rate_annualized)$/
/** Tested by themselves. */
const apart = /^(pool_(count|top3_percent|herfindahl|unknown_percent)|binary_cdd(_365d)?|inflation_rate_glassnode)$/

function expected({ id, kind, formula }: Metric, period: Period): number {
  const values = known(period.of(id))
  if (highest.includes(id)) return values.length > 0 ? Math.max(...values) : Number.NaN
  if (id === 'low') return values.length > 0 ? Math.min(...values) : Number.NaN
  if (id === 'open') return values[0] ?? Number.NaN
  if (kind === 'level') return period.last(id)
  if (kind === 'flow') return period.sum(id)
  if (measuredMeans.test(id) || dailyMeans.test(id)) return period.mean(id)
  const own = byHand[id]
  if (own) return own(period)
  const columns = new Map((formula?.match(/[a-z]\w+/g) ?? []).map((name) => [name, period.of(name)]))
  const isKnown = (day: number) => [...columns.values()].every((column) => column[day] !== null)
  const sums = String(formula).replaceAll(/[a-z]\w+/g, (name) => {
    const counted = columns.get(name)!.filter((_, day) => isKnown(day))
    return counted.length > 0 ? `(${total(counted)})` : 'NaN'
  })
  return Number(runInThisContext(sums.replaceAll('^', '**')))
}

/** The newest so many weeks are compared. */
const weeks = 26

const starts: Readonly<Record<string, (day: number) => string>> = {
  '1w': (day) => isoDate(day - ((day + 3) % 7)),
  '1m': (day) => isoDate(day).slice(0, 7),
  '1y': (day) => isoDate(day).slice(0, 4),
}

test('weeks, months and years of every metric are its formula over the sums of the period', {
  timeout: 900_000,
}, async () => {
  const { data } = await ask('/v1/metrics?variants=all&fields=kind,formula,table_name,column_name,cohort&limit=10000')
  const metrics = (data as unknown as Metric[]).filter(({ table_name }) => table_name !== 'cost_basis')
  expect(metrics.length).toBeGreaterThan(3_000)
  const [newest] = (await ask('/v1/series?metrics=price&limit=1')).data
  const last = String(newest!.date)
  const first = `${Number(last.slice(0, 4)) - 1}-01-01`
  const days = await readDays(metrics, first, last)
  const differences: string[] = []
  let compared = 0
  const periods = new Map(
    Object.entries(starts).map(([interval, start]) => {
      const bounds = new Map<string, [from: number, to: number]>()
      for (let row = 0; row <= parseDay(last) - parseDay(first); row++) {
        const name = start(parseDay(first) + row)
        bounds.set(name, [bounds.get(name)?.[0] ?? row, row + 1])
      }
      return [
        interval,
        [...bounds].slice(interval === '1w' ? -weeks : 0).map(([name, to]) => [name, periodOf(days, ...to)] as const),
      ]
    }),
  )
  const series = withFewCohorts(metrics)
    .flatMap((group) =>
      Array.from({ length: Math.ceil(group.length / 50) }, (_, i) => group.slice(50 * i, 50 * i + 50)),
    )
    .map((group) => group.filter(({ id }) => !apart.test(id)))
  expect(series.flat().length).toBeGreaterThan(1_000)
  for (const group of series) {
    const ids = group.map(({ id }) => id).join()
    for (const [interval, start] of Object.entries(starts)) {
      const from = interval === '1w' ? isoDate(parseDay(last) - 7 * weeks) : first
      const rows = await ask(`/v1/series?metrics=${ids}&interval=${interval}&start_date=${from}`)
      const byStart = new Map(rows.data.map((row) => [start(parseDay(String(row.date))), row]))
      for (const [name, period] of periods.get(interval)!) {
        for (const metric of group) {
          const found = byStart.get(name)?.[metric.id] ?? Number.NaN
          const wanted = expected(metric, period)
          compared++
          const isSame = Number.isFinite(wanted)
            ? Math.abs(Number(found) - wanted) <= 1e-9 * Math.abs(wanted) + 1e-12
            : Number.isNaN(found)
          if (!isSame) differences.push(`${interval} ${name} ${metric.id}: ${found}, not ${wanted}`)
        }
      }
    }
  }
  expect(differences.slice(0, 20)).toEqual([])
  expect(compared).toBeGreaterThan(50_000)
})
