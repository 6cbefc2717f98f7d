import { currentGeneration } from '#sql/generation.ts'
import { quotedString } from '#sql/quote.ts'
import { withSession } from '#sql/session.ts'
import { open, page, settle } from './opened.ts'

/** Result of a query on the page: the cells of the first rows, or the problem. */
export async function runInPage(sql: string): Promise<{ readonly rows: string[][]; readonly problem: string }> {
  await page.locator('#sql').fill(sql)
  await page.locator('#sql').press('Control+Enter')
  await settle()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached', timeout: 60_000 })
  // The table's script loads after the first result.
  const done = page.locator('.sql .table thead').or(page.locator('.sql [role=alert]'))
  await done.first().waitFor({ timeout: 60_000 })
  const rows = await page
    .locator('.sql .table tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
  return { rows, problem: (await page.locator('.sql [role=alert]').allTextContents()).join() }
}

/** In a new document: another fragment of the address loads none. */
export async function openSql(sql?: string): Promise<void> {
  await page.goto('about:blank')
  await open(sql === undefined ? '/sql' : `/sql#${new URLSearchParams({ q: sql })}`)
}

/** The same by the DuckDB of the server, from the published files. */
export async function runOnFiles(dataDir: string, queries: readonly string[]): Promise<string[][][]> {
  const { folder, generation } = currentGeneration(dataDir)!
  return withSession({ temporaryFolder: `${dataDir}/tmp`, threads: 1 }, async (connection) => {
    for (const name of Object.keys(generation.tables))
      await connection.run(`CREATE VIEW ${name} AS FROM ${quotedString(`${folder}/${name}.parquet`)}`)
    const all: string[][][] = []
    for (const sql of queries) {
      const found = await connection.runAndReadAll(`SELECT COLUMNS(*)::VARCHAR FROM (${sql})`)
      all.push(found.getRows().map((row) => row.map((cell) => (cell === null ? 'NULL' : String(cell)))))
    }
    return all
  })
}
