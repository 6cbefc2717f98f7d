import path from 'node:path'
import { expect, it } from 'vitest'
import { createTable, readColumns } from '#sql/columns.ts'
import { withSession } from '#sql/session.ts'
import { temporaryFolder } from '#test/support/program.ts'

/** More than DuckDB takes at a time, twice. */
const rows = 5000
const limits = { temporaryFolder: path.join(temporaryFolder('columns'), 'tmp'), threads: 1 }

it.each([
  ['in the first rows', [10, 11]],
  ['in rows between', [2047, 2048, 3000]],
  ['in the last row', [rows - 1]],
  ['in no row', []],
])('writes NaN as NULL and nothing else: %s', async (_, nulls) => {
  await withSession(limits, async (connection) => {
    const row = Int32Array.from({ length: rows }, (_, i) => i)
    const value = Float64Array.from(row, (i) => (nulls.includes(i) ? Number.NaN : -i / 3))
    await createTable(connection, 'written', { row, value })
    const read = await readColumns(connection, 'SELECT row, value FROM written ORDER BY row')
    expect(read).toEqual({ row, value })
    const missing = await readColumns(connection, 'SELECT row FROM written WHERE value IS NULL ORDER BY row')
    expect([...missing.row!]).toEqual(nulls)
  })
})
