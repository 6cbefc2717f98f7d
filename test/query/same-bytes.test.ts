import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import { poolsAnswer } from '#query/answers/blocks.ts'
import { readHours } from '#query/answers/hours.ts'
import { treasuryStatsAnswer } from '#query/answers/treasuries.ts'
import { Database } from '#query/database.ts'
import { Published } from '#query/published.ts'
import { View } from '#query/view.ts'
import { digestFile } from '#sql/file-digest.ts'
import { type Generation, openGeneration, publishedFolder } from '#sql/generation.ts'
import { writeParquet } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { lastDate, publishSmallGeneration, replaceSmallTable } from '../api/support/small-generation.ts'

const folder = temporaryFolder('same-bytes')
let database: Database
let view: View

/** DuckDB's smallest row group, which one thread reads at a time. */
const rowsPerGroup = 2048
const count = 12 * rowsPerGroup

/**
 * Fractions of very different size: another order of their sum has another last digit. The largest
 * amount of each type of entity is held by many.
 */
const fraction = 'sin(n) * pow(10, n % 9)'
const tables = {
  treasuries: `SELECT DATE '${lastDate}' AS date, n::INTEGER AS id, least(abs(${fraction}), 5e7) AS btc_amount,
    ${fraction} AS total_current_value_usd, ${fraction} AS percentage_of_total_supply, ${fraction} AS market_share_pct`,
  treasury_registry: `SELECT n::INTEGER AS id, 'entity ' || n AS name, 'type ' || n % 3 AS type, NULL AS consolidated_in`,
  days: `SELECT DATE '${lastDate}' - n::INTEGER AS date, 1 AS blocks_mined, ${fraction} AS work, 144 * n AS block_height`,
  pool_days: `SELECT DATE '${lastDate}' AS date, 'pool ' || n % 3 AS pool, 1 AS blocks, 1 AS fees_sats, 1 AS coinbase_sats`,
  pools: `SELECT DISTINCT 'pool ' || n % 3 AS pool, 'name' AS name, 'link' AS link`,
  blocks: `SELECT n::INTEGER AS height, DATE '${lastDate}' AS date,
    TIMESTAMP '${lastDate}' + (n // 5000) * INTERVAL 1 HOUR AS time, ${fraction} AS work`,
} as const

beforeAll(async () => {
  await publishSmallGeneration(folder)
  const own = path.join(publishedFolder(folder), 'small')
  mkdirSync(own, { recursive: true })
  const written: Generation['tables'] = {}
  await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
    for (const [name, sql] of Object.entries(tables)) {
      const file = path.join(own, `${name}.parquet`)
      await writeParquet(connection, file, `${sql} FROM range(${count}) AS numbers(n) ORDER BY ALL`, { rowsPerGroup })
      Object.assign(written, { [name]: { rows: count, ...(await digestFile(file)) } })
    }
  })
  await replaceSmallTable(
    folder,
    'catalogue',
    `FROM before UNION ALL SELECT * REPLACE ('work' AS id, ['1h'] AS intervals, 'days' AS table_name) FROM before WHERE id = 'volume'`,
  )
  const { generation } = openGeneration(own)
  const first_date = isoDate(parseDay(lastDate) - count)
  const opened = {
    folder: own,
    generation: { ...generation, first_date, tables: { ...generation.tables, ...written } },
  }
  database = await Database.open([realpathSync(publishedFolder(folder))], path.join(folder, 'tmp'), '200MB')
  const published = await Published.open(database, opened)
  await published.verify()
  view = new View(published, 'pro')
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

const limit = 100

it.each<[string, () => Promise<unknown>]>([
  ['statistics of treasuries', () => treasuryStatsAnswer(view, { limit })],
  ['pools', () => poolsAnswer(view, { limit, start_date: parseDay(lastDate) - count })],
  ['work by hour', async () => [...(await readHours(view, [view.catalogue.find('work')!], { limit })).columns]],
])('%s are the same bytes in each of many answers', async (_, answer) => {
  const answers = await Promise.all(Array.from({ length: 16 }, answer))
  const texts = new Set(answers.map((one) => JSON.stringify(one)))
  expect(texts.size).toBe(1)
  expect([...texts][0]).toMatch(/\d\.\d{5}/)
})
