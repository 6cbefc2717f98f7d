import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { parse } from 'csv-parse/sync'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import { intervalCodes, startOfPeriod } from '#contract/intervals.ts'
import { tiers } from '#contract/tiers.ts'
import { readChartResponse } from '#render/page/chart-response.ts'
import { addEarlierGeneration, firstDay, lastDay } from '#test/api/support/served-chain.ts'
import { bearer, keyOf, signIn } from '#test/api/support/test-server.ts'
import { browser } from '#test/support/browser.ts'
import { python } from '#test/support/python.ts'
import type { ChartBody } from '#web/chart/chart-body.ts'
import { pack } from '#web/data/url-codec.ts'
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

const run = promisify(execFile)
const base = '/chain/data'
/** Numbers; dates are texts, and null is unknown. */
type Row = readonly (string | number | null)[]

const hasR = await run('Rscript', ['-e', 'library(curl)']).then(
  () => true,
  () => false,
)

/** Tuesday to Saturday: weeks begin before it. */
const range = { start_date: isoDate(firstDay + 101), end_date: isoDate(lastDay - 30) }
const late = { start_date: isoDate(lastDay - 60), end_date: isoDate(lastDay - 3) }

/** Charts of every kind; `file` is the name of their files. */
const charts: Readonly<Record<string, { readonly chart: ChartBody; readonly file: string }>> = {
  'a market metric': {
    chart: { metric: 'price', title: 'Price: what 1 coin costs (USD)', ...range },
    file: 'price-what-1-coin-costs-usd',
  },
  'a metric of a cohort under the price': {
    chart: { metric: 'mvrv_1m_3m', overlay: 'price', title: '?!', ...range },
    file: 'chart',
  },
  'a fund, an exchange and an entity': {
    chart: { metrics: ['etf_btc_holdings_ibit', 'oi_usd_binance', 'dat_btc_amount_1'], title: 'Überblick', ...late },
    file: 'überblick',
  },
  'a formula with signs of addresses': {
    chart: {
      metrics: ['price', 'lth_supply'],
      formulas: [{ expression: 'if(m1>=2 and m2/circulating_supply<0.9, m1 + 1, -m2^2)' }],
      title: 'A formula',
      ...range,
    },
    file: 'a-formula',
  },
  'weeks of a level, a flow, a rate and a formula': {
    chart: {
      metrics: ['price', 'coindays_destroyed', 'sopr'],
      formulas: [{ expression: 'coindays_destroyed * 2' }],
      interval: 'week',
      title: 'Weeks',
      ...range,
    },
    file: 'weeks',
  },
  'several formulas, one from another': {
    chart: {
      metrics: ['price'],
      formulas: [{ expression: 'sma(m1, 7)' }, { expression: 'm1 / f1', label: 'It\'s "x", )---' }],
      title: 'Formulas: it\'s )- """ \\',
      ...range,
    },
    file: 'formulas-it-s',
  },
  'months, the first of which is 100': {
    chart: { metrics: ['price', 'realized_cap'], interval: 'month', normalize: 'index', title: 'Months', ...range },
    file: 'months',
  },
  'shares of a stack': {
    chart: { metrics: ['lth_supply', 'sth_supply'], stacked: 'percent', style: 'area', title: 'Shares', ...range },
    file: 'shares',
  },
  'candles with a level that moves': {
    chart: {
      metric: 'price',
      style: 'candle',
      reference_lines: [{ y_formula: 'sma(price, 30)', label: 'Mean' }],
      title: 'Candles',
      ...range,
    },
    file: 'candles',
  },
  'changes by month': { chart: { calendar: { metric: 'price' }, title: 'Calendar' }, file: 'calendar' },
  cycles: {
    chart: { metric: 'price', x_axis: 'day_offset', cycle_family: 'ath', indexed: true, title: 'Cycles' },
    file: 'cycles',
  },
  'a histogram': {
    chart: { histogram: { metric: 'cost_basis_distribution', date: range.end_date }, title: 'Histogram' },
    file: 'histogram',
  },
  'a heatmap under the price': {
    chart: { heatmap: { metric: 'cost_basis_distribution' }, overlay: 'price', title: 'Heatmap', ...late },
    file: 'heatmap',
  },
}

async function ask<Answer>(address: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(server.url + address, init)
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return JSON.parse(text)
}

/** Daily values of the API, oldest first. */
async function seriesRows(
  metrics: readonly string[],
  { interval = 'day', generation, ...days }: ChartBody,
): Promise<Row[]> {
  const query = new URLSearchParams({ metrics: metrics.join(), interval, order: 'asc', start_date: isoDate(firstDay) })
  for (const name of ['start_date', 'end_date'] as const) if (days[name]) query.set(name, days[name])
  if (generation) query.set('generation', generation)
  const { data } = await ask<{ data: Record<string, number | null>[] }>(`/v1/series?${query}`)
  return data.map((row) => ['date', ...metrics].map((name) => row[name] ?? null))
}

/** What the chart of a request draws: every point, by the specification of the API. */
async function drawnRows(chart: ChartBody): Promise<Row[]> {
  const response = await fetch(`${server.url}/v1/chart/snapshot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...chart, format: 'spec' }),
  })
  const { specification } = readChartResponse(await response.text())
  const { x, series, referenceLines, monthGrid, heatmap } = specification
  if (monthGrid)
    return monthGrid.years.map((year, i) => [
      year,
      ...monthGrid.months.slice(12 * i, 12 * i + 12),
      monthGrid.totals[i]!,
    ])
  const lines = [
    ...series.flatMap(({ candles, values }) => [...(candles ? [candles.open, candles.high, candles.low] : []), values]),
    ...referenceLines.flatMap(({ y }) => (typeof y === 'number' ? [] : [y])),
  ]
  return [...x.days].flatMap((day, i) => {
    const values = lines.map((line) => line[i]!)
    if (x.kind === 'bins') return [[x.edges[i]!, x.edges[i + 1]!, ...values]]
    if (x.kind === 'day_offset') return [[day - x.firstDay, ...values]]
    if (!heatmap) return [[isoDate(day), ...values]]
    return [...heatmap.binLower].flatMap((lower, bin) => {
      const supply = heatmap.values[i * heatmap.binLower.length + bin]!
      return supply > 0 ? [[isoDate(day), lower, heatmap.binUpper[bin]!, supply, ...values]] : []
    })
  })
}

/** The same rows, but for the last digits of numbers. */
function expectRows(actual: readonly Row[], wanted: readonly Row[]): void {
  expect(actual.length).toBe(wanted.length)
  expect(wanted.length).toBeGreaterThan(0)
  const differences = actual.flatMap((row, i) => {
    const isSame = row.length === wanted[i]!.length && row.every((cell, j) => isSameCell(cell, wanted[i]![j]!))
    return isSame ? [] : [{ actual: row, wanted: wanted[i] }]
  })
  expect(differences.slice(0, 3)).toEqual([])
}

function isSameCell(one: string | number | null, other: string | number | null): boolean {
  if (typeof one !== 'number' || typeof other !== 'number') return one === other
  return (Number.isNaN(one) && Number.isNaN(other)) || Math.abs(one - other) <= 1e-12 * Math.abs(other)
}

const toCell = (text: string): string | number =>
  /^\d{4}-\d\d-\d\d$/.test(text) ? text : text === '' || text === 'NA' ? Number.NaN : Number(text)
const csvCells = (text: string): string[][] => parse(text)
const csvRows = (text: string): Row[] =>
  csvCells(text)
    .slice(1)
    .map((row) => row.map(toCell))
const withNaN = (rows: readonly Row[]): Row[] => rows.map((row) => row.map((cell) => cell ?? Number.NaN))

const button = (name: string) => page.getByRole('button', { name, exact: true })

async function openChart(chart: ChartBody, basePath = base): Promise<void> {
  await open(`${basePath}/chart/${await pack(chart)}`)
  await page.locator('.picture > svg').waitFor()
  await button('Save or share').click()
}

async function download(kind: string): Promise<{ readonly file: string; readonly text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), button(kind).click()])
  return { file: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
}

async function snippet(language: string): Promise<string> {
  await button(language).click()
  const chosen = page.locator('section[aria-label=Programs] .snippet pre')
  await expect.poll(() => button(language).getAttribute('aria-pressed')).toBe('true')
  return chosen.innerText()
}

/** What a program prints, in a folder with the published data below it. */
async function output(command: string, args: readonly string[], key?: string): Promise<string> {
  const { stdout } = await run(command, args, {
    cwd: path.dirname(chain.dataDir),
    env: { PATH: process.env.PATH, ...(key !== undefined && { COINSTRATA_API_KEY: key }) },
    maxBuffer: 2 ** 28,
  })
  return stdout
}

/** Runs the programs unchanged, with a line after them that prints all rows. */
const programs: Readonly<Record<string, (text: string, key?: string) => Promise<Row[]>>> = {
  curl: async (text, key) => csvRows(await output('sh', ['-c', text.replace('curl ', 'curl -sS ')], key)),
  Python: async (text, key) => {
    const all = `${text}\nimport json\nprint(json.dumps([list(row.values()) for row in rows]))`
    const lines = (await output(python, ['-c', all], key)).trimEnd().split('\n')
    const rows: string[][] = JSON.parse(lines.at(-1) ?? '')
    return rows.map((row) => row.map(toCell))
  },
  JavaScript: async (text, key) => {
    const all = `${text}\nconsole.log(JSON.stringify(data.map(Object.values)))`
    const lines = (await output(process.execPath, ['--input-type=module', '-e', all], key)).trimEnd().split('\n')
    return withNaN(JSON.parse(lines.at(-1) ?? ''))
  },
  R: async (text, key) => {
    const all = `${text}\ncat("all:\\n")\noptions(digits = 17)\nwrite.csv(data, stdout(), row.names = FALSE)`
    return csvRows((await output('Rscript', ['-e', all], key)).split('all:\n')[1] ?? '')
  },
}
const runnable = ['curl', 'Python', 'JavaScript'] as const

/**
 * Runs SQL as `duckdb` does beside the published data; the checkout may have a folder `data` of its
 * own.
 */
async function query(sql: string): Promise<{ readonly names: readonly string[]; readonly rows: Row[] }> {
  const connection = await duckdb
  const reader = await connection.runAndReadAll(sql.replaceAll("'data/", `'${chain.dataDir}/`))
  const rows = reader.getRows().map((row) => row.map((cell) => (cell === null ? Number.NaN : toCell(String(cell)))))
  return { names: reader.columnNames(), rows }
}

const duckdb = DuckDBInstance.create(':memory:', { threads: '1' }).then((instance) => instance.connect())

const sumOf = (values: readonly (string | number | null)[]): number =>
  values.reduce<number>((sum, value) => sum + (Number(value) || 0), 0)

describe.skipIf(!browser)('a chart of every kind', { timeout: 120_000 }, () => {
  openPages({ ACCESS: 'open', BASE_PATH: base })

  test.each(Object.entries(charts))(
    'saves what it draws, and its programs read the same: %s',
    async (_, { chart, file }) => {
      await openChart(chart)
      const csv = await download('CSV')
      const drawn = await drawnRows(chart)
      expect(csv.file).toBe(`${file}.csv`)
      const rows = csvRows(csv.text)
      expectRows(rows, drawn)
      const json = await download('JSON')
      expect(json.file).toBe(`${file}.json`)
      const { data, series } = JSON.parse(json.text)
      expectRows(withNaN(data.map(Object.values)), drawn)
      const header = csvCells(csv.text)[0]!
      expect(Object.keys(data[0])).toEqual(header)
      expect(series.map(({ name }: { name: string }) => name)).toEqual(header.slice(-series.length))
      for (const language of runnable) {
        const text = await snippet(language)
        expect(text).not.toMatch(/authorization|"width"/i)
        expectRows(await programs[language]!(text), rows)
      }

      const found = await query(await snippet('SQL'))
      if (chart.heatmap)
        expectRows(
          found.rows,
          rows.map((row) => row.slice(0, 4)),
        )
      else if (chart.histogram) {
        expect(sumOf(found.rows.map((row) => row[3]!))).toBeCloseTo(sumOf(rows.flatMap((row) => row.slice(2))), 6)
        expect(new Set(found.rows.map(([date]) => date))).toEqual(new Set([range.end_date]))
      } else if (chart.x_axis === 'day_offset') {
        const cycles = [...Map.groupBy(found.rows, ([cycle]) => cycle).values()]
        const wanted = rows[0]!
          .slice(1)
          .map((_, i) => rows.map((row) => row[i + 1]!).filter((value) => !Number.isNaN(value)))
        expectRows(
          cycles.map((cycle) => cycle.map((row) => row[2]!)),
          wanted,
        )
      } else {
        const [, ...ids] = found.names
        expectRows(found.rows, withNaN(await seriesRows(ids, chart)))
      }
    },
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
    for (const language of ['R', 'Assistant', 'SQL', 'curl']) expect(await snippet(language)).not.toBe('')
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
      const { data } = await ask<{ data: Record<'id' | 'table_name' | 'cohort', string>[] }>(
        '/v1/metrics?variants=all&fields=table_name,cohort',
      )
      const all = data.filter(({ table_name }) => table_name !== 'cost_basis')
      expect(all.length).toBeGreaterThan(2_000)
      expect(all.filter(({ table_name }) => table_name === 'cohorts').length).toBeGreaterThan(1_000)
      const wrong: unknown[] = []
      // Charts of as many metrics as one can have; metrics of one table are read at once.
      const tables = Map.groupBy(all, ({ table_name, cohort }) => `${table_name} ${cohort}`)
      const perChart = 12
      const lists = [...tables.values()].flatMap((table) =>
        Array.from({ length: Math.ceil(table.length / perChart) }, (_, i) =>
          table.slice(i * perChart, (i + 1) * perChart).map(({ id }) => id),
        ),
      )
      const days = [firstDay + 1, lastDay] as const
      for (const metrics of lists) {
        const chart = {
          options: { metrics, interval },
          days,
          title: '',
          service: server.url,
          takesKeys: false,
          hasKey: false,
        }
        const found = await query(await snippets.SQL(chart))
        // A week that has not ended is dated by its newest row, or by its newest value.
        const toKey = (date: unknown) => startOfPeriod(parseDay(String(date)), intervalCodes[interval])
        const byDate = new Map(found.rows.map((row) => [toKey(row[0]), row]))
        const wanted = await seriesRows(metrics, { interval, start_date: isoDate(days[0]) })
        for (const [i, name] of metrics.entries()) {
          const isRight = wanted.every((row) =>
            isSameCell(byDate.get(toKey(row[0]))?.[i + 1] ?? 'no row', row[i + 1] ?? Number.NaN),
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
