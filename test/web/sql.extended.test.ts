import { beforeAll, describe, expect, test } from 'vitest'
import { tables as declared } from '#contract/tables/tables.ts'
import { currentGeneration } from '#sql/generation.ts'
import { browser } from '#test/support/browser.ts'
import { guideModules } from '#web/build/guide-modules.ts'
import { chain, findings, openPages, overflow, page, settle, smallControls, unreachable } from './support/opened.ts'
import { openSql, runInPage, runOnFiles } from './support/sql-page.ts'

const examples: readonly (readonly [string, string])[] = JSON.parse(guideModules['sql:examples']!())

const toNumbers = (rows: readonly (readonly string[])[]) =>
  rows.map((row) =>
    row.map((cell) => (/^-?[\d.]+(e[+-]?\d+)?$/.test(cell) ? Number(Number(cell).toPrecision(12)) : cell)),
  )

describe.skipIf(!browser)('SQL over published tables', { timeout: 300_000 }, () => {
  openPages()
  // One page for all, because each compiles DuckDB.
  beforeAll(() => openSql())

  test('every example gives what the same query gives on the files, within two seconds', async () => {
    expect(examples).toHaveLength(20)
    const expected = await runOnFiles(
      chain.dataDir,
      examples.map(([, sql]) => sql),
    )
    for (const [i, [title, sql]] of examples.entries()) {
      await page.getByRole('link', { name: title, exact: true }).click()
      await expect.poll(() => page.locator('#sql').inputValue()).toBe(sql)
      const { rows, problem } = await runInPage(sql)
      expect([title, problem]).toEqual([title, ''])
      expect([title, toNumbers(rows)]).toEqual([title, toNumbers(expected[i]!.slice(0, 200))])
      // Its tables are loaded now.
      const start = performance.now()
      await runInPage(sql)
      expect(performance.now() - start, title).toBeLessThanOrEqual(2_000)
    }
  })

  test('every table has the types and values of its file, to the last digit', async () => {
    // The hash of a row has all bits of its values; writing them as text takes much longer.
    const selects = Object.keys(currentGeneration(chain.dataDir)!.generation.tables).map(
      (name) => `SELECT '${name}' AS name, count(*) AS rows, sum(hash(*COLUMNS(*))) AS digest, (
        SELECT string_agg(column_name || ' ' || column_type, ', ') FROM (DESCRIBE ${name})
      ) AS types FROM ${name}`,
    )
    // Eight tables at once: the memory of the page is limited.
    const queries = Array.from({ length: Math.ceil(selects.length / 8) }, (_, i) =>
      selects.slice(8 * i, 8 * i + 8).join(' UNION ALL '),
    )
    const expected = await runOnFiles(chain.dataDir, queries)
    expect(expected.flat()).toHaveLength(selects.length)
    for (const [i, sql] of queries.entries()) expect(await runInPage(sql)).toEqual({ rows: expected[i], problem: '' })
  })

  test('shows errors as DuckDB words them, with lines as the reader counts them', async () => {
    const { problem } = await runInPage('SELECT nothing\nFROM prices')
    expect(problem).toMatch(/^Binder Error: Referenced column "nothing" not found[\s\S]*LINE 1: SELECT nothing/)
    expect((await runInPage(`SELECT\n'a'::INTEGER AS b`)).problem).toMatch(/^Conversion Error[\s\S]*LINE 2: 'a'/)
    expect((await runInPage('FROM nowhere')).problem).toMatch(/^Catalog Error: Table with name nowhere does not exist/)
    expect((await runInPage('FROM overwritten')).problem).toBe('')
  })

  test('a query can be stopped, and one that needs too much memory fails alone', async () => {
    await page.locator('#sql').fill('SELECT sum(a.range * b.range) FROM range(10_000_000) a, range(10_000_000) b')
    await page.locator('#sql').press('Control+Enter')
    await page.getByText('Running', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('The query was stopped.').waitFor()
    const { problem } = await runInPage('SELECT a.range, b.range AS other FROM range(1_000_000) a, range(1_000) b')
    expect(problem).toMatch(/^Out of Memory Error/)
    expect((await runInPage('SELECT 1 AS one')).rows).toEqual([['1']])
  })

  test('fits a phone and a wide window, can be read in both themes and reached', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 390, height: 900 })
    // Opened once, because this compiles DuckDB.
    await openSql()
    await runInPage('SELECT date, close FROM prices')
    await page.locator('.sql aside summary').first().click()
    await page.getByText('height INTEGER').first().waitFor()
    for (const [width, colorScheme] of [
      [390, 'dark'],
      [1440, 'light'],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await settle()
      expect(await overflow(), `at ${width}`).toBeLessThanOrEqual(0)
      expect(await findings(), colorScheme).toEqual([])
      if (width === 390) expect(await smallControls()).toEqual([])
    }
    expect(await unreachable()).toEqual([])
  })
})

describe.skipIf(!browser)('SQL of a visitor', { timeout: 120_000 }, () => {
  openPages({ ACCESS: 'tiered' })

  test('sees the days and columns of its tier, and is told the tier that other tables need', async () => {
    await openSql()
    const { rows, problem } = await runInPage('SELECT min(date), max(date), count(*) FROM metrics_valuation')
    const { last_date } = currentGeneration(chain.dataDir)!.generation
    const [whole] = await runOnFiles(chain.dataDir, [`SELECT max(date) - 59, max(date), 60 FROM metrics_valuation`])
    expect({ problem, rows }).toEqual({ problem: '', rows: whole })
    expect(rows[0]?.[1]).toBe(last_date)
    expect((await runInPage('FROM flows')).problem).toMatch(/needs an API key of tier enterprise/)
    expect((await runInPage('SELECT count(*) FROM catalogue')).problem).toBe('')
    // Exchanges are for tier pro.
    expect((await runInPage('SELECT funding_rate_binance FROM metrics_derivatives')).problem).toMatch(/not found/)
    expect((await runInPage('SELECT count(*) FROM metrics_derivatives')).problem).toBe('')
    expect(Object.keys(declared)).toContain('flows')
  })
})
