import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Database } from '#query/database.ts'
import { readColumns } from '#sql/columns.ts'
import { parquetFiles, writeParquet } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'

const names = [
  ...['date=2024-05-05', 'chain=btc', 'value=9', 'p='],
  ...['abc', ']', '{abc,x}', '~', '%2A'],
  ...["a'c", 'a"c', 'a\\c', 'a c', ' abc', 'abc ', 'é 通', 'a%20c', 'a#c', '$abc', 'a;c', 'a\nc', 'a'.repeat(200)],
]
const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-parquet-'))
const fileIn = (name: string): string => path.join(folder, name, 'rows.parquet')

beforeAll(async () => {
  await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
    for (const [i, name] of names.entries()) {
      mkdirSync(path.join(folder, name))
      await writeParquet(connection, fileIn(name), `SELECT DATE '2020-01-01' AS date, ${i} AS value ORDER BY value`)
    }
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

const day = Date.UTC(2020, 0, 1) / 86_400_000
const found = (i: number) => ({ date: Int32Array.of(day), value: Int32Array.of(i) })

it.each([...names.entries()])('reads one file below a folder by its exact name: %i %j', async (i, name) => {
  const temporaryFolder = path.join(folder, 'temporary')
  const sql = `SELECT * FROM ${parquetFiles([fileIn(name)])}`
  const rows = await withSession({ temporaryFolder }, (connection) => readColumns(connection, sql))
  expect(rows).toEqual(found(i))

  // The server's sessions may read its own folders only.
  const database = await Database.open([path.join(folder, name)], path.join(folder, name, 'temporary'), '64MB')
  try {
    expect(await database.use((connection) => readColumns(connection, sql))).toEqual(found(i))
    const other = fileIn(names[(i + 1) % names.length]!)
    const query = database.use((connection) => readColumns(connection, `SELECT * FROM ${parquetFiles([other])}`))
    await expect(query).rejects.toThrow(/Permission Error/)
  } finally {
    await database.close()
  }
})

it.each(['*', '**', 'a?c', '[abc]'])('refuses a path that DuckDB takes for a pattern: %s', (name) => {
  expect(() => parquetFiles([fileIn('abc'), fileIn(name)])).toThrow(/has one of the signs/)
})
