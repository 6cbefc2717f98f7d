import { expect, test } from 'vitest'
import { z } from 'zod'
import { successSchema } from '#contract/envelope.ts'
import { periodDays } from '#contract/parameters.ts'
import { percentileDetails, rows } from '#contract/rows.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import type { Assistant } from './clients.ts'
import { dataDir, key, service } from './demo-service.ts'
import { countTokens } from './tokens.ts'

const percentileRows = successSchema(rows.percentiles.extend(percentileDetails.shape))

/** The same statistic as `change` and `change_percentile`, of one metric. */
export const changeSql = (table: string, column: string, kind: string, days: number) => `
  WITH known AS (SELECT date, "${column}"::DOUBLE AS value FROM ${publishedTable(dataDir, table)}),
  levels AS (SELECT date, value, min(value) OVER () AS lowest, CASE WHEN value IS NOT NULL THEN
    ${kind === 'level' ? 'value' : `avg(value) OVER (ORDER BY date ROWS ${days - 1} PRECEDING)`} END AS level FROM known),
  changes AS (SELECT date, value, CASE WHEN lowest < 0 THEN level - lag(level, ${days}) OVER (ORDER BY date)
    ELSE 100 * (level / nullif(lag(level, ${days}) OVER (ORDER BY date), 0) - 1) END AS change FROM levels),
  newest AS (SELECT last(change ORDER BY date) AS change FROM changes WHERE value IS NOT NULL)
  SELECT newest.change, 100 * (count(*) FILTER (one.change < newest.change)
      + count(*) FILTER (one.change = newest.change) / 2) / count(one.change),
    100 * count(*) FILTER (one.change > 0) / count(*) FILTER (one.change <> 0)
  FROM changes AS one, newest GROUP BY newest.change`

/** The newest changes of all metrics, as the API tells them. */
export const readChanges = async (period: string) => {
  const url = `${service.url}/v1/metrics/percentiles?period=${period}&fields=all`
  return percentileRows.parse(await (await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).json()).data
}
/** By the id of a metric without cohort, its table, column, kind and aggregate. */
export const places = async () => {
  const found = await rowsOf(
    `SELECT id, table_name, column_name, kind, aggregate
     FROM ${publishedTable(dataDir, 'catalogue')} WHERE cohort IS NULL`,
  )
  return new Map(found.map(([id, ...place]) => [id, place]))
}

const list = z.array(z.tuple([z.string(), z.string(), z.number(), z.string(), z.number(), z.number()]))
const answerSchema = z.object({ date: z.string(), moves: list.min(5).max(8), extremes: list.max(4) })
/** Answer of the tool about a period, and its number of tokens. */
export const askChanges = async (who: Assistant, period: string) => {
  const { content, structuredContent } = await who.call('what_changed', { period })
  const tokens = countTokens(content.map((block) => (block.type === 'text' ? block.text : '')).join(''))
  return { tokens, answer: answerSchema.parse(structuredContent), notes: JSON.stringify(structuredContent?.notes) }
}

/** Compares what the API and the tool tell of these periods with SQL and with each other. */
export function testChanges(periods: readonly ('day' | 'week' | 'month')[], assistant: () => Assistant): void {
  test.each(periods)('changes of a %s and their percentiles equal SQL', async (period) => {
    const found = await places()
    // Over several days a formula is that of the sums: test/api/percentiles.test.ts.
    const all = new Map([...found].filter(([, place]) => period === 'day' || place.at(-1) !== 'formula'))
    const compared = (await readChanges(period)).filter(({ id }, i) => all.has(id) && (i % 30 === 0 || id === 'price'))
    expect(compared.length).toBeGreaterThan(10)
    for (const { id, change, change_percentile } of compared) {
      const [table, column, kind] = all.get(id)!
      const [[expected, percentile, rises] = []] = await rowsOf(changeSql(table!, column!, kind!, periodDays[period]))
      if (expected === null) expect.soft(change, id).toBeNull()
      else
        expect
          .soft(change, id)
          .toBeCloseTo(Number(expected), -Math.log10(1e-9 * Math.max(1, Math.abs(Number(expected)))))
      const isTrend = Number(rises) < 10 || Number(rises) > 90
      if (expected === null || isTrend) expect.soft(change_percentile, id).toBeNull()
      // Means are added up in another order, so that equal changes may differ.
      else expect.soft(Math.abs(change_percentile! - Number(percentile)), id).toBeLessThan(0.05)
    }
  })

  test.each(periods)('the tool tells the most unusual of a %s in 500 tokens', async (period) => {
    const { tokens, answer } = await askChanges(assistant(), period)
    expect(tokens).toBeLessThanOrEqual(500)
    const all = new Map((await readChanges(period)).map((row) => [row.id, row]))
    const told = [...answer.moves, ...answer.extremes].map(([, id]) => all.get(id)!)
    const families = told.map(({ id, like }) => like ?? id)
    expect(new Set(families).size).toBe(families.length)
    for (const members of Map.groupBy(answer.moves, ([category]) => category).values()) {
      expect(members.length).toBeLessThanOrEqual(3)
    }
    const distance = (percentile: number | null) => Math.abs((percentile ?? 50) - 50)
    const [top] = [...all.values()]
      .filter(({ date, id }) => date === answer.date && !/_\d+[dwmyh](_\d+[my]|_plus)?$/.test(id))
      .toSorted((one, other) => distance(other.change_percentile) - distance(one.change_percentile))
    expect(families).toContain(top!.like ?? top!.id)
    for (const [, id, , change, rank] of answer.moves) {
      const { change: exact, change_percentile } = all.get(id)!
      expect(Number.parseFloat(change)).toBeCloseTo(exact!, 2 - Math.ceil(Math.log10(Math.abs(exact!) + 1)))
      expect(rank).toBeCloseTo(change_percentile!, 1)
    }
    for (const [, , , , , percentile] of answer.extremes) expect(distance(percentile)).toBeGreaterThanOrEqual(48.9)
  })
}
