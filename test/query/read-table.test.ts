import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readTable } from '#query/table/read.ts'

let instance: DuckDBInstance
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
})
afterAll(() => instance.closeSync())

const read = async (sql: string) => {
  const connection = await instance.connect()
  try {
    return await readTable(connection, sql)
  } finally {
    connection.closeSync()
  }
}

it('reads every type, NULLs and the ends of the ranges of numbers', async () => {
  const columns = await read(`FROM (VALUES
    (DATE '1969-12-31', -1::BIGINT, -5, -0.5::DOUBLE, 'a "b"', true, ['x', 'y'], TIMESTAMP '2009-01-03 18:15:05'),
    (NULL, NULL, NULL, NULL, NULL, false, [], NULL),
    (DATE '2026-11-28', 9007199254740991, 2147483647, 1e300, '', true, NULL, NULL),
    (DATE '1970-01-01', -9007199254740991, -2147483648, 'Infinity'::DOUBLE, 'ä', NULL, ['z'], NULL),
    (DATE '1970-01-02', 4294967296, 0, 0, 'c', true, ['z'], NULL)
  ) AS rows(date, long, short, real, text, flag, list, moment)`)
  expect(columns).toEqual([
    { name: 'date', kind: 'date', values: Float64Array.of(-1, Number.NaN, 20_785, 0, 1) },
    {
      name: 'long',
      kind: 'integer',
      values: Float64Array.of(-1, Number.NaN, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 32),
    },
    { name: 'short', kind: 'integer', values: Float64Array.of(-5, Number.NaN, 2 ** 31 - 1, -(2 ** 31), 0) },
    { name: 'real', kind: 'number', values: Float64Array.of(-0.5, Number.NaN, 1e300, Number.POSITIVE_INFINITY, 0) },
    { name: 'text', kind: 'text', values: ['a "b"', null, '', 'ä', 'c'] },
    { name: 'flag', kind: 'flag', values: [true, false, true, false, true] },
    { name: 'list', kind: 'list', values: [['x', 'y'], [], [], ['z'], ['z']] },
    { name: 'moment', kind: 'text', values: ['2009-01-03T18:15:05.000Z', null, null, null, null] },
  ])
})

it('reads long results whole, gives others turns meanwhile, and keeps the columns of empty ones', async () => {
  let turns = 0
  const count = setInterval(() => turns++, 0)
  const rows = 500_000
  const [row, text] = await read(
    `SELECT CASE WHEN i % 3 = 0 THEN NULL ELSE i * i END AS square, 'row ' || i AS text FROM range(${rows}) AS all_rows(i)`,
  )
  clearInterval(count)
  expect(turns).toBeGreaterThan(10)
  const square = (i: number): number => (i % 3 === 0 ? Number.NaN : i * i)
  expect(row).toEqual({
    name: 'square',
    kind: 'integer',
    values: Float64Array.from({ length: rows }, (_, i) => square(i)),
  })
  expect(text?.values).toEqual(Array.from({ length: rows }, (_, i) => `row ${i}`))
  expect(await read(`SELECT 1 AS number, 'a' AS text WHERE false`)).toEqual([
    { name: 'number', kind: 'integer', values: new Float64Array(0) },
    { name: 'text', kind: 'text', values: [] },
  ])
})

it('refuses a column of another type', async () => {
  await expect(read('SELECT 1::HUGEINT AS large')).rejects.toThrow('column large is of a type that answers do not have')
})
