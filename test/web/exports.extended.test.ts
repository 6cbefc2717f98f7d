import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import { intervalCodes, startOfPeriod } from '#contract/intervals.ts'
import { isRecomputed, type MetricAggregate } from '#contract/metric-kinds.ts'
import { tiers } from '#contract/tiers.ts'
import { withFewCohorts } from '#test/api/support/few-cohorts.ts'
import { addEarlierGeneration, firstDay, lastDay } from '#test/api/support/served-chain.ts'
import { bearer, keyOf, signIn } from '#test/api/support/test-server.ts'
import { browser } from '#test/support/browser.ts'
import { button } from './support/chart-controls.ts'
import {
  ask,
  base,
  charts,
  csvRows,
  download,
  expectRows,
  expectSaved,
  hasR,
  isSameCell,
  late,
  openChart,
  programs,
  query,
  range,
  runnable,
  seriesRows,
  snippet,
  withNaN,
} from './support/exported-charts.ts'
import {
  chain,
  complaints,
  findings,
  open,
  openPages,
  overflow,
  page,
  server,
  smallControls,
} from './support/opened.ts'

describe.skipIf(!browser)('a chart of every kind', { timeout: 120_000 }, () => {
  openPages({ ACCESS: 'open', BASE_PATH: base })

  test.each(Object.entries(charts).slice(1))(
    'saves what it draws, and its programs read the same: %s',
    (_, { chart, file }) => expectSaved(chart, file),
  )

  test.skipIf(!hasR)('R reads what charts of every kind draw', { timeout: 240_000 }, async () => {
    for (const { chart } of Object.values(charts)) {
      await openChart(chart)
      expectRows(await programs.R!(await snippet('R')), csvRows((await download('CSV')).text))
    }
  })

  test('charts of an earlier generation show, save and read that one', async () => {
    const generation = await addEarlierGeneration(chain.dataDir)
    const wanted = withNaN(await seriesRows(['mvrv'], { ...range, generation }))
    for (const earlier of [{ generation }, { as_of: '2001-01-01' }]) {
      await openChart({ metric: 'mvrv', title: 'Earlier', ...range, ...earlier })
      expectRows(csvRows((await download('CSV')).text), wanted)
      for (const language of runnable) expectRows(await programs[language]!(await snippet(language)), wanted)
    }
    await openChart({ metric: 'mvrv', title: 'Earlier', ...range, generation })
    expectRows((await query(await snippet('SQL'))).rows, wanted)
  })

  test('the dialog fits a phone, and a finger and axe find nothing wrong', async () => {
    await openChart(charts['several formulas, one from another']!.chart)
    for (const language of ['R', 'SQL', 'curl']) expect(await snippet(language)).not.toBe('')
    expect(await snippet('Assistant')).toMatch(/: show me .+ \(.+\), explain/)
    expect(await findings()).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await overflow()).toBeLessThanOrEqual(0)
    expect(await smallControls()).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(complaints).toEqual([])
  })

  test.each(['day', 'week'] as const)(
    'SQL reads every metric of the catalogue as the API does, by the %s',
    async (interval) => {
      // The code of the page, asking the server.
      vi.stubGlobal('document', { baseURI: `${server.url}/`, fonts: { load: () => Promise.resolve() } })
      onTestFinished(() => void vi.unstubAllGlobals())
      const { snippets } = await import('#web/chart/snippets.ts')
      const { data } = await ask<{
        data: (Record<'id' | 'table_name' | 'column_name', string> & {
          cohort: string | null
          aggregate: MetricAggregate
        })[]
      }>('/v1/metrics?variants=all&fields=table_name,column_name,cohort,aggregate')
      const isInSql = (aggregate: MetricAggregate) => interval === 'day' || !isRecomputed(aggregate)
      const all = data.filter(({ table_name, aggregate }) => table_name !== 'cost_basis' && isInSql(aggregate))
      expect(all.length).toBeGreaterThan(2_000)
      expect(all.filter(({ table_name }) => table_name === 'cohorts').length).toBeGreaterThan(1_000)
      const wrong: unknown[] = []
      // Charts of as many metrics as one can have; metrics of one table are read at once.
      const perChart = 12
      const lists = withFewCohorts(all).flatMap((table) =>
        Array.from({ length: Math.ceil(table.length / perChart) }, (_, i) =>
          table.slice(i * perChart, (i + 1) * perChart).map(({ id }) => id),
        ),
      )
      const days = [firstDay + 1, lastDay] as const
      const chartOf = (metrics: string[]) => ({
        options: { metrics, interval },
        days,
        title: '',
        service: server.url,
        takesKeys: false,
        hasKey: false,
      })
      if (interval === 'week') {
        const only = '-- Only the API has weeks of sopr, which it computes from other values'
        expect(await snippets.SQL(chartOf(['sopr']))).toBe(only)
        expect(await snippets.SQL(chartOf(['sopr', 'price']))).toMatch(
          `${only}\nSELECT max(date) AS date, arg_max(price,`,
        )
      }
      for (const metrics of lists) {
        const found = await query(await snippets.SQL(chartOf(metrics)))
        // A week that has not ended is dated by its newest row, or by its newest value.
        const toKey = (date: unknown) => startOfPeriod(parseDay(String(date)), intervalCodes[interval])
        const byDate = new Map(found.rows.map((row) => [toKey(row[0]), row]))
        const wanted = await seriesRows(metrics, { interval, start_date: isoDate(days[0]) })
        const pairs = wanted.map((row) => [byDate.get(toKey(row[0])), row] as const)
        for (const [i, name] of metrics.entries()) {
          const isRight = pairs.every(([row, expected]) =>
            isSameCell(row?.[i + 1] ?? 'no row', expected[i + 1] ?? Number.NaN),
          )
          if (!isRight || found.names[i + 1] !== name) wrong.push(name)
        }
      }
      expect(wrong).toEqual([])
    },
  )
})

describe.skipIf(!browser)('with accounts', { timeout: 60_000 }, () => {
  openPages({})

  test('programs of a visitor need no key, and those of an account take one from the environment', async () => {
    const ends = async (language: string, key?: string) => {
      const rows = await programs[language]!(await snippet(language), key)
      return [rows[0]?.[0], rows.at(-1)?.[0]]
    }
    const languages = hasR ? [...runnable, 'R'] : runnable
    await openMetric()
    for (const language of languages) {
      expect(await ends(language)).toEqual([isoDate(lastDay - tiers.demo.historyDays + 1), isoDate(lastDay)])
    }
    const cookie = await signIn(server, chain.dataDir, 'ada@example.org', 'pro')
    const [name = '', value = ''] = cookie.split('=')
    await page.context().addCookies([{ name, value, url: server.url }])
    const key = await keyOf(chain.dataDir, 'pro')
    await openMetric()
    const [{ date: first = '' } = {}] = (
      await ask<{ data: { date: string }[] }>('/v1/series?metrics=realized_price&start_date=2009-01-01&order=asc', {
        headers: bearer(key),
      })
    ).data
    for (const language of languages) {
      const text = await snippet(language)
      expect(text).toContain('COINSTRATA_API_KEY')
      expect(text).not.toMatch(/cs_/)
      expect(text).not.toContain(value)
      expect(await ends(language, key)).toEqual([first, isoDate(lastDay)])
    }
    // Only accounts may have a chart as a table.
    const { chart } = charts['several formulas, one from another']!
    const rows = async (language: string) => (await programs[language]!(await snippet(language), key)).length
    for (const cookies of [[{ name, value, url: server.url }], []]) {
      await page.context().clearCookies()
      await page.context().addCookies(cookies)
      await openChart(cookies.length > 0 ? chart : { ...chart, ...late }, '')
      for (const language of languages) expect(await rows(language)).toBe(cookies.length > 0 ? 299 : 58)
    }
  })
})

async function openMetric(): Promise<void> {
  await open('/metrics/realized_price?price=off')
  await page.locator('.picture > svg').waitFor()
  await button('Save or share').click()
}
