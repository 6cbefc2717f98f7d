import path from 'node:path'
import { expect, it } from 'vitest'
import { readColumns } from '#sql/columns.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import { writeColumns } from '#sql/write-columns.ts'
import { temporaryFolder } from '#test/support/program.ts'

/** More than DuckDB returns at a time, twice. */
const rows = 5000
const folder = temporaryFolder('columns')
const limits = { temporaryFolder: path.join(folder, 'tmp'), threads: 1 }

it.each([
  ['in the first rows', [10, 11]],
  ['in rows between', [2047, 2048, 3000]],
  ['in the last row', [rows - 1]],
  ['in no row', []],
])('reads what was written, and NaN alone as NULL: %s', async (_, nulls) => {
  await withSession(limits, async (connection) => {
    const row = Int32Array.from({ length: rows }, (_, i) => i)
    const value = Float64Array.from(row, (i) => (nulls.includes(i) ? Number.NaN : -i / 3))
    const file = path.join(folder, `${nulls.length}.parquet`)
    const columns = [
      { name: 'row', type: 'INTEGER', values: row },
      { name: 'value', type: 'DOUBLE', values: value },
    ] as const
    writeColumns(file, columns, false)
    const written = parquetFiles([file])
    const read = await readColumns(connection, `SELECT row, value FROM ${written} ORDER BY row`)
    expect(read).toEqual({ row, value })
    const missing = await readColumns(connection, `SELECT row FROM ${written} WHERE value IS NULL ORDER BY row`)
    expect([...missing.row!]).toEqual(nulls)
  })
})
