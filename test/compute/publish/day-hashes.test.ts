import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TableName, tables } from '#contract/tables/tables.ts'
import { withSession } from '#sql/session.ts'
import { readStatement } from '#sql/statement.ts'
import { makeServedChain, type ServedChain } from '#test/api/support/served-chain.ts'
import { codeBlocks } from '#test/docs/support/pages.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'

const folder = temporaryFolder('day-hashes')
let chain: ServedChain
beforeAll(async () => {
  chain = await makeServedChain()
})
afterAll(() => {
  chain?.remove()
  rmSync(folder, { recursive: true })
})

const documented = codeBlocks.find(
  ({ page, text }) => page === 'docs/verification.md' && text.startsWith('-- day_hashes'),
)!
const allDays = documented.text.replace(/WHERE date BETWEEN .*/, '')

/**
 * Runs the documented statement in the folder that contains the folder `data`, over tables that may
 * be replaced by a query.
 */
const runDocumented = (replaced: Partial<Record<TableName, string>> = {}): Promise<unknown[][]> =>
  withSession({ temporaryFolder: path.join(folder, 'temporary'), threads: 2 }, async (connection) => {
    let statement = allDays
    for (const [name, query] of Object.entries(replaced)) {
      statement = statement.replaceAll(`FROM 'data/published/current/${name}.parquet'`, `FROM (${query})`)
    }
    // A folder `data` of this checkout would be found before it.
    statement = statement.replaceAll("'data/", `'${chain.dataDir}/`)
    const result = await connection.runAndReadAll(`SELECT * REPLACE (date::VARCHAR AS date) FROM (${statement})`)
    return result.getRows().map((row) => row.map((value) => value))
  })

const published = () => rowsOf(`FROM ${publishedTable(chain.dataDir, 'day_hashes')} ORDER BY date`)

test('the documented statement gives the hashes of every day from the published files', async () => {
  expect(documented.text).toContain('WHERE date BETWEEN')
  const rows = await published()
  expect(rows.length).toBe(430)
  expect(await runDocumented()).toEqual(rows)
})

test('the hashes are of the documented bytes', async () => {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
  const columnsOf = (table: TableName): string =>
    Object.entries(tables[table].columns)
      .filter(([name, { type }]) => type !== 'DOUBLE' && name !== 'pool')
      .map(([name]) => name)
      .join(', ')
  const hashOf = async (table: TableName, date: string): Promise<string> => {
    const rows = await rowsOf(
      `SELECT ${columnsOf(table)} FROM ${publishedTable(chain.dataDir, table)} WHERE date = '${date}' ORDER BY ALL`,
    )
    return sha256(rows.map((row) => row.join(',')).join('\n'))
  }
  const rows = await published()
  const [first, last] = [rows[0]!, rows.at(-1)!]
  for (const [date = '', flows, blocks, days] of [first, rows[200]!, last]) {
    expect([flows, blocks, days]).toEqual([
      await hashOf('flows', date!),
      await hashOf('blocks', date!),
      await hashOf('days', date!),
    ])
  }
  // Nothing is spent on the first day, which has no price either.
  expect([first[1], first[4], first[5]]).toEqual([sha256(''), null, null])
  const exponential = (text: string | null | undefined): string =>
    Number(text)
      .toExponential(8)
      .replace(/e([+-])(\d)$/, 'e$10$2')
  const date = last[0]!
  const [[close]] = (await rowsOf(
    `SELECT close FROM ${publishedTable(chain.dataDir, 'prices')} WHERE date = '${date}'`,
  )) as [string[]]
  expect(last[4]).toBe(sha256(`${date},${exponential(close)}`))
  const [measures = []] = await rowsOf(
    `SELECT realized_cap, unrealized_profit, unrealized_loss, spent_volume_usd, realized_profit, realized_loss
     FROM ${publishedTable(chain.dataDir, 'cohorts')} WHERE date = '${date}' AND cohort = 'all'`,
  )
  expect(last[5]).toBe(sha256([date, ...measures.map(exponential)].join(',')))
})

test.each([
  [
    'flows',
    1,
    "SELECT * REPLACE (spent_sats + if(date = '2009-12-01' AND created_date = '2009-11-30', 1, 0) AS spent_sats)",
  ],
  [
    'blocks',
    2,
    "SELECT * REPLACE (weight + if(height = (SELECT max(height) FROM whole WHERE date = '2009-12-01'), 1, 0) AS weight)",
  ],
  ['days', 3, "SELECT * REPLACE (utxo_count - if(date = '2009-12-01', 1, 0) AS utxo_count)"],
  ['prices', 4, "SELECT * REPLACE (close * if(date = '2009-12-01', 1.0000001, 1) AS close)"],
  ['cohorts', 5, "SELECT * REPLACE (realized_cap * if(date = '2009-12-01', 1.0000001, 1) AS realized_cap)"],
] as const)('one changed value of %s changes one hash of one day', async (table, place, select) => {
  const whole = publishedTable(chain.dataDir, table)
  const rows = await published()
  const changed = await runDocumented({ [table]: `${select.replace('whole', whole)} FROM ${whole}` })
  const differing = changed.flatMap((row, i) => row.flatMap((value, j) => (value === rows[i]![j] ? [] : [[row[0], j]])))
  expect(differing).toEqual([['2009-12-01', place]])
})

test('every column that the chain decides exactly is hashed, in the order of the file', () => {
  const statement = readStatement('day-hashes')
  for (const name of ['flows', 'blocks', 'days'] as const) {
    const columns = Object.entries(tables[name].columns)
      .filter(([column, { type }]) => type !== 'DOUBLE' && column !== 'pool')
      .map(([column]) => column)
    expect(
      statement.replaceAll(/\s+/g, ' ').includes(`concat_ws(',', ${columns.join(', ')} )`),
      `add the new column of ${name} to sql/statements/day-hashes.sql, raise proofFormat in contract/proof.ts, and run "npm run docs:text"`,
    ).toBe(true)
  }
})
