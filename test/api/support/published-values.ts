import { expect, test } from 'vitest'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { chain, keys, server } from './chain-service.ts'

/**
 * Compares the metrics with a daily column at these places, in the order of their ids, with the
 * Parquet tables. Fails if there are too few, or have too few values.
 */
export function testPublishedValues(
  isWanted: (place: number) => boolean,
  least: { readonly metrics: number; readonly values: number },
): void {
  test('values of metrics are those of the Parquet tables', async () => {
    const expected = await publishedValues(isWanted)
    expect(expected.size).toBeGreaterThan(least.metrics)
    let compared = 0
    const different: string[] = []
    for (let start = 0; start < expected.size; start += 50) {
      const some = [...expected].slice(start, start + 50)
      const ids = some.map(([id]) => id).join(',')
      const url = `${server.url}/v1/series?metrics=${ids}&start_date=2009-01-03`
      const { data } = await (await fetch(url, { headers: keys.get('enterprise')! })).json()
      const served = new Map<string, Record<string, number | null>>(
        data.map((row: { date: string }) => [row.date, row]),
      )
      for (const [id, values] of some) {
        for (const [date, value] of values) {
          const answered = served.get(date)?.[id] ?? null
          if (!Object.is(answered, value)) different.push(`${id} on ${date} is ${answered}, published ${value}`)
          if (value !== null) compared++
        }
      }
    }
    expect(different).toEqual([])
    expect(compared).toBeGreaterThan(least.values)
  })
}

/** The values of these metrics on 25 days as the Parquet tables have them, by id. */
async function publishedValues(
  isWanted: (place: number) => boolean,
): Promise<Map<string, [date: string, value: number | null][]>> {
  const all = await rowsOf(
    `SELECT id, table_name, column_name, cohort FROM ${publishedTable(chain.dataDir, 'catalogue')}
     WHERE table_name <> 'cost_basis' ORDER BY id`,
  )
  const catalogue = all.filter((_, place) => isWanted(place))
  const values = new Map<string, [string, number | null][]>()
  // One query for each table: one for each cohort would take most of the time.
  for (const [table, metrics] of Map.groupBy(catalogue, ([, name]) => name!)) {
    const columns = [...new Set(metrics.map(([, , column]) => column!))]
    const from = publishedTable(chain.dataDir, table)
    const ofCohort = table === 'cohorts' ? 'cohort' : 'NULL'
    const days = await rowsOf(
      `SELECT ${ofCohort} AS cohort, date, ${columns.map((column) => `"${column}"::DOUBLE`).join(', ')} FROM ${from}
       WHERE date IN (SELECT date FROM (SELECT DISTINCT date FROM ${from}) ORDER BY hash(date) LIMIT 25)`,
    )
    const byCohort = Map.groupBy(days, ([cohort]) => cohort)
    for (const [id, , column, cohort] of metrics) {
      const place = 2 + columns.indexOf(column!)
      const known = byCohort.get(cohort ?? null) ?? []
      values.set(
        id!,
        known.map((day) => [day[1]!, day[place] == null ? null : Number(day[place])]),
      )
    }
  }
  return values
}
