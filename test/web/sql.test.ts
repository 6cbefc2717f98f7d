import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { browser } from '#test/support/browser.ts'
import { chain, complaints, openPages, page, server } from './support/opened.ts'
import { openSql, runInPage, runOnFiles } from './support/sql-page.ts'

const query = `SELECT date, close, sources, NULL::BIGINT AS nothing FROM prices ORDER BY date`

describe.skipIf(!browser)('SQL in a real browser', { timeout: 120_000 }, () => {
  openPages()

  test('runs a linked query here, without any other host, and gives all rows as CSV', async () => {
    complaints.length = 0
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await openSql(query)
    expect(await page.locator('#sql').inputValue()).toBe(query)
    const { rows } = await runInPage(query)
    const [expected = []] = await runOnFiles(chain.dataDir, [query])
    expect(expected.length).toBeGreaterThan(300)
    expect(rows).toEqual(expected.slice(0, 200))
    expect(await page.locator('.sql [role=status]').innerText()).toBe('390 rows, 200 of them shown')
    expect(await page.locator('.sql-chart svg path').count()).toBeGreaterThan(1)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV of all rows' }).click(),
    ])
    const lines = readFileSync(await saved.path(), 'utf8')
      .trim()
      .split('\n')
    const written = expected.map((row) => row.map((cell) => (cell === 'NULL' ? '' : cell)).join())
    expect(lines).toEqual(['date,close,sources,nothing', ...written])

    // The engine knows other hosts, and its worker may load none.
    for (const other of ['https://example.org/x.csv', 'https://example.org/x.parquet', 'x.json']) {
      expect((await runInPage(`FROM '${other}'`)).problem).toMatch(/^(Permission|Catalog) Error/)
    }
    expect((await runInPage(`LOAD icu`)).problem).not.toBe('')
    expect(asked.filter((url) => !/^(blob|data):/.test(url) && !url.startsWith(server.url))).toEqual([])
    expect(asked.filter((url) => url.includes('SELECT'))).toEqual([])
    const worker = asked.find((url) => url.includes('duckdb.worker'))!
    const response = await fetch(worker)
    expect(await response.text()).toContain('maximum:32768')
    const policy = response.headers.get('content-security-policy')
    const wasm = await fetch(asked.find((url) => url.endsWith('.wasm'))!, { method: 'HEAD' })
    expect(Number(wasm.headers.get('content-length'))).toBeLessThan(11_000_000)
    expect(policy).toBe("default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'")
    expect(complaints.filter((text) => text !== 'Buffering missing file: result.csv')).toEqual([])
  })
})
