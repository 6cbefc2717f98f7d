import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, temporaryDataDir } from '#test/api/support/test-server.ts'
import { dataDir, serveDemo, service } from '#test/mcp/support/demo-service.ts'
import { columnsOf, publishedTable } from '#test/support/published.ts'
import { canImport, python } from '#test/support/python.ts'

serveDemo()

const metrics = ['price', 'mvrv', 'realized_price', 'nupl', 'lth_supply']
const folder = temporaryDataDir()
const page = readFileSync(new URL('../../docs/analyse.md', import.meta.url), 'utf8')
let link: string
/** Rows, and the sum of each metric over all days. */
let expected: readonly (number | null)[]

beforeAll(async () => {
  const cookie = await signIn(service, dataDir, 'sheets@example.org', 'enterprise')
  const request = `/v1/series?metrics=${metrics.join()}&start_date=2009-01-03&order=asc`
  const response = await fetch(`${service.url}/v1/keys`, {
    method: 'POST',
    headers: { cookie, origin: service.url, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'sheet', limits: { request } }),
  })
  const { data } = await response.json()
  link = `${service.url}/p/${data[0].key}`
  const tables = ['supply', 'valuation', 'profit_and_loss'].map(
    (name) => `JOIN ${publishedTable(dataDir, `metrics_${name}`)} USING (date)`,
  )
  const sums = metrics.map((metric) => `sum(${metric})`).join()
  expected = (
    await columnsOf(`SELECT count(*), ${sums} FROM ${publishedTable(dataDir, 'metrics_market')} ${tables.join(' ')}`)
  ).map(([value = null]) => value)
})
afterAll(() => folder.remove())

/** The documented line of a program, with the address of this service. */
function documentedLine(program: string): string {
  const line = page.split('\n').find((one) => one.startsWith(`| ${program} | \``))
  return line!.slice(line!.indexOf('`') + 1, line!.lastIndexOf('`')).replaceAll('https://chain.example.org/p/…', link)
}

function expectSums(printed: readonly unknown[]): void {
  expect(printed.map(Number)).toEqual(expected.map((value) => expect.closeTo(value!, value! > 1e9 ? 0 : 4)))
}

/** Output of a program, as words; this thread serves the data that it reads. */
async function run(program: string, ...given: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(program, given)
  return stdout.trim().split(/\s+/)
}

const isInstalled = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const columns = JSON.stringify(metrics)
test.skipIf(!canImport('pandas'))('pandas reads five metrics over all days with the documented line', async () => {
  const program = `import pandas\nt = ${documentedLine('pandas')}\nprint(len(t), *t[${columns}].sum(), t.date.dtype.kind)`
  const printed = await run(python, '-c', program)
  expect(printed.pop()).toBe('M')
  expectSums(printed)
})

test.skipIf(!canImport('polars'))('Polars reads five metrics over all days with the documented line', async () => {
  const program = `import polars, urllib.request\nt = ${documentedLine('Polars')}\nprint(len(t), *t[${columns}].sum().row(0), t.schema["date"])`
  const printed = await run(python, '-c', program)
  expect(printed.pop()).toBe('Date')
  expectSums(printed)
})

test.skipIf(!isInstalled('Rscript'))('R reads five metrics over all days with the documented line', async () => {
  const sums = `colSums(t[c(${columns.slice(1, -1)})], na.rm = TRUE)`
  const program = `t <- ${documentedLine('R')}; cat(format(c(nrow(t), ${sums}), digits = 15), class(t$date))`
  const printed = await run('Rscript', '-e', program)
  expect(printed.pop()).toBe('Date')
  expectSums(printed)
})

test('DuckDB reads five metrics over all days with the documented line', async () => {
  const [download = '', read = ''] = documentedLine('DuckDB').split(' && ')
  expect(read).toContain("FROM 'sheet.parquet'")
  expect(download).toMatch(/^curl -so sheet\.parquet /)
  const file = path.join(folder.dataDir, 'sheet.parquet')
  writeFileSync(file, Buffer.from(await (await fetch(download.split(' ').at(-1)!)).arrayBuffer()))
  const sums = metrics.map((metric) => `sum(${metric})`).join()
  expectSums((await columnsOf(`SELECT count(*), ${sums} FROM '${file}'`)).map(([value]) => value))
})

test.each([
  ['Excel (Power Query)', { 'user-agent': 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)' }],
  [
    'Google Sheets',
    { 'user-agent': 'Mozilla/5.0 (compatible; GoogleDocs; apps-spreadsheets; +http://docs.google.com)' },
  ],
])('%s gets five metrics over all days, as text that it reads', async (program, headers) => {
  const [address = ''] = /http[^"]+/.exec(documentedLine(program)) ?? []
  const response = await fetch(address, { headers: { ...headers, 'accept-encoding': 'gzip, deflate' } })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/csv/)])
  const [header, ...rows] = (await response.text()).trimEnd().split('\r\n')
  expect(header).toBe(['date', ...metrics].join())
  const sums = metrics.map((_, i) => rows.reduce((sum, row) => sum + Number(row.split(',')[i + 1]), 0))
  expectSums([rows.length, ...sums])
})
