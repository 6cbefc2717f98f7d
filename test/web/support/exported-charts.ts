import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { isoDate } from '#base/days.ts'
import { readChartResponse } from '#render/page/chart-response.ts'
import { firstDay, lastDay } from '#test/api/support/served-chain.ts'
import { python } from '#test/support/python.ts'
import type { ChartBody } from '#web/chart/chart-body.ts'
import { pack } from '#web/data/url-codec.ts'
import { button } from './chart-controls.ts'
import { chain, open, page, server } from './opened.ts'

const run = promisify(execFile)
export const base = '/chain/data'
/** Numbers; dates are texts, and null is unknown. */
type Row = readonly (string | number | null)[]

export const hasR = await run('Rscript', ['-e', 'library(curl)']).then(
  () => true,
  () => false,
)

/** Tuesday to Saturday: weeks begin before it. */
export const range = { start_date: isoDate(firstDay + 101), end_date: isoDate(lastDay - 30) }
export const late = { start_date: isoDate(lastDay - 60), end_date: isoDate(lastDay - 3) }

/** Charts of every kind; `file` is the name of their files. */
export const charts: Readonly<Record<string, { readonly chart: ChartBody; readonly file: string }>> = {
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
      metrics: ['price', 'coindays_destroyed', 'return_1d'],
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

export async function ask<Answer>(address: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(server.url + address, init)
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return JSON.parse(text)
}

/** Daily values of the API, oldest first. */
export async function seriesRows(
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
    if (x.kind === 'day_offset') return [[day - x.firstDay, isoDate(day), ...values]]
    if (!heatmap) return [[isoDate(day), ...values]]
    return [...heatmap.binLower].flatMap((lower, bin) => {
      const supply = heatmap.values[i * heatmap.binLower.length + bin]!
      return supply > 0 ? [[isoDate(day), lower, heatmap.binUpper[bin]!, supply, ...values]] : []
    })
  })
}

/** The same rows, but for the last digits of numbers. */
export function expectRows(actual: readonly Row[], wanted: readonly Row[]): void {
  expect(actual.length).toBe(wanted.length)
  expect(wanted.length).toBeGreaterThan(0)
  const differences = actual.flatMap((row, i) => {
    const isSame = row.length === wanted[i]!.length && row.every((cell, j) => isSameCell(cell, wanted[i]![j]!))
    return isSame ? [] : [{ actual: row, wanted: wanted[i] }]
  })
  expect(differences.slice(0, 3)).toEqual([])
}

export function isSameCell(one: string | number | null, other: string | number | null): boolean {
  if (typeof one !== 'number' || typeof other !== 'number') return one === other
  return (Number.isNaN(one) && Number.isNaN(other)) || Math.abs(one - other) <= 1e-12 * Math.abs(other)
}

const toCell = (text: string): string | number =>
  /^\d{4}-\d\d-\d\d$/.test(text) ? text : text === '' || text === 'NA' ? Number.NaN : Number(text)
const csvCells = (text: string): string[][] => parse(text)
export const csvRows = (text: string): Row[] =>
  csvCells(text)
    .slice(1)
    .map((row) => row.map(toCell))
export const withNaN = (rows: readonly Row[]): Row[] => rows.map((row) => row.map((cell) => cell ?? Number.NaN))

export async function openChart(chart: ChartBody, basePath = base): Promise<void> {
  await open(`${basePath}/chart/${await pack(chart)}`)
  await page.locator('.picture > svg').waitFor()
  await button('Save or share').click()
}

export async function download(kind: string): Promise<{ readonly file: string; readonly text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), button(kind).click()])
  return { file: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
}

export async function snippet(language: string): Promise<string> {
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
export const programs: Readonly<Record<string, (text: string, key?: string) => Promise<Row[]>>> = {
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
export const runnable = ['curl', 'Python', 'JavaScript'] as const

/**
 * Runs SQL as `duckdb` does beside the published data; the checkout may have a folder `data` of its
 * own.
 */
export async function query(sql: string): Promise<{ readonly names: readonly string[]; readonly rows: Row[] }> {
  const connection = await duckdb
  const reader = await connection.runAndReadAll(sql.replaceAll("'data/", `'${chain.dataDir}/`))
  const read = (cell: DuckDBValue) => (typeof cell === 'number' ? cell : toCell(String(cell)))
  const rows = reader.getRows().map((row) => row.map((cell) => (cell === null ? Number.NaN : read(cell))))
  return { names: reader.columnNames(), rows }
}

const duckdb = DuckDBInstance.create(':memory:', { threads: '1' }).then((instance) => instance.connect())

const sumOf = (values: readonly (string | number | null)[]): number =>
  values.reduce<number>((sum, value) => sum + (Number(value) || 0), 0)

/** Opens a chart. Fails if the files that it saves or its programs differ from what is drawn. */
export async function expectSaved(chart: ChartBody, file: string): Promise<void> {
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
    // After day and date.
    const wanted = rows[0]!
      .slice(2)
      .map((_, i) => rows.map((row) => row[i + 2]!).filter((value) => !Number.isNaN(value)))
    expectRows(
      cycles.map((cycle) => cycle.map((row) => row[2]!)),
      wanted,
    )
  } else {
    const [, ...ids] = found.names
    expectRows(found.rows, withNaN(await seriesRows(ids, chart)))
  }
}
