import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { WrittenColumn } from '#sql/column-chunk.ts'
import { readFooter, rowCount } from '#sql/parquet-footer.ts'
import { withSession } from '#sql/session.ts'
import { writeColumns } from '#sql/write-columns.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-write-columns-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = path.join(folder, 'written.parquet')

const readWith = (query: string) =>
  withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) =>
    (await connection.runAndReadAll(query)).getRowsJson(),
  )

it('writes each kind of integer as DuckDB reads it, to the ends of its range', async () => {
  writeColumns(file, [
    { name: 'date', type: 'DATE', values: Int32Array.of(0, -1, 20_000) },
    { name: 'small', type: 'INTEGER', values: Int32Array.of(-(2 ** 31), 0, 2 ** 31 - 1) },
    { name: 'unsigned', type: 'UINTEGER', values: Uint32Array.of(0, 1, 2 ** 32 - 1) },
    { name: 'a "large" one', type: 'BIGINT', values: BigInt64Array.of(-(2n ** 63n), 7n, 2n ** 63n - 1n) },
    { name: 'huge', type: 'DECIMAL(38,0)', values: [1n - 10n ** 38n, 2n ** 64n + 1n, 10n ** 38n - 1n] },
  ])
  const written = `'${file}'`
  expect(await readWith(`SELECT column_type FROM (DESCRIBE FROM ${written})`)).toEqual([
    ['DATE'],
    ['INTEGER'],
    ['UINTEGER'],
    ['BIGINT'],
    ['DECIMAL(38,0)'],
  ])
  expect(await readWith(`SELECT * REPLACE ("date"::VARCHAR AS date) FROM ${written}`)).toEqual([
    ['1970-01-01', -2147483648, 0, '-9223372036854775808', `-${'9'.repeat(38)}`],
    ['1969-12-31', 0, 1, '7', '18446744073709551617'],
    ['2024-10-04', 2147483647, 4294967295, '9223372036854775807', '9'.repeat(38)],
  ])
  expect(await readWith(`SELECT "a ""large"" one" FROM ${written} WHERE "date" > DATE '2000-01-01'`)).toEqual([
    ['9223372036854775807'],
  ])
})

it('divides many rows into groups, from the middle of a buffer too, and writes none', async () => {
  const rows = 300_000
  const values = Int32Array.from({ length: rows + 5 }, (_, i) => i - 5).subarray(5)
  const columns: WrittenColumn[] = [
    { name: 'row', type: 'INTEGER', values },
    { name: 'square', type: 'BIGINT', values: BigInt64Array.from({ length: rows }, (_, row) => BigInt(row) ** 2n) },
  ]
  writeColumns(file, columns)
  expect(rowCount(readFooter(file).metadata)).toBe(rows)
  const question = `SELECT count(*)::INTEGER, count(*) FILTER (square = "row"::BIGINT * "row")::INTEGER, max("row") FROM '${file}'`
  expect(await readWith(question)).toEqual([[rows, rows, rows - 1]])
  expect(
    await readWith(`SELECT DISTINCT row_group_num_rows::INTEGER FROM parquet_metadata('${file}') ORDER BY 1`),
  ).toEqual([[300_000 - 2 * 122_880], [122_880]])
  for (const few of [[], [3, 1, 2]]) {
    writeColumns(file, [{ name: 'row', type: 'INTEGER', values: Int32Array.from(few) }])
    expect(await readWith(`FROM '${file}'`)).toEqual(few.map((row) => [row]))
  }
})

it('compresses columns that are worth it alone, of numbers and of text', async () => {
  const rows = 1000
  const texts = Array.from({ length: rows }, (_, row) => `row ${row}, "quoted", ä`)
  writeColumns(file, [
    { name: 'small', type: 'INTEGER', values: new Int32Array(rows).fill(7) },
    { name: 'text', type: 'VARCHAR', values: texts },
  ])
  const codecs = `SELECT compression FROM parquet_metadata('${file}') ORDER BY column_id`
  expect(await readWith(codecs)).toEqual([['ZSTD'], ['ZSTD']])
  expect(await readWith(`FROM '${file}'`)).toEqual(texts.map((text) => [7, text]))
  writeColumns(file, [
    { name: 'small', type: 'INTEGER', values: Int32Array.of(1, 2, 3) },
    { name: 'text', type: 'VARCHAR', values: ['', 'b', 'ä "c"'] },
  ])
  expect(await readWith(codecs)).toEqual([['UNCOMPRESSED'], ['UNCOMPRESSED']])
  expect(await readWith(`FROM '${file}'`)).toEqual([
    [1, ''],
    [2, 'b'],
    [3, 'ä "c"'],
  ])
})

it('refuses columns of different lengths', () => {
  const columns: WrittenColumn[] = [
    { name: 'one', type: 'INTEGER', values: Int32Array.of(1) },
    { name: 'two', type: 'INTEGER', values: Int32Array.of(1, 2) },
  ]
  expect(() => writeColumns(file, columns)).toThrow('columns differ in length')
})
