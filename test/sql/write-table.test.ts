import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, describe, expect, it } from 'vitest'
import { date, number, orNull, sats, texts } from '#contract/tables/column.ts'
import { table } from '#contract/tables/table.ts'
import { digestFile } from '#sql/file-digest.ts'
import { withSession } from '#sql/session.ts'
import { writeCast, writeTable } from '#sql/write-table.ts'

const declared = table({
  name: 'made',
  rowFor: 'day',
  holds: 'amounts',
  key: ['date'],
  sortedBy: ['date'],
  columns: {
    date: date('Day.'),
    paid_sats: sats('What was paid.'),
    price: orNull(number('USD', 'Price.')),
    labels: texts('Names.'),
  },
})
const right = `SELECT DATE '2024-01-01' AS date, 1::BIGINT AS paid_sats, NULL::DOUBLE AS price, ['a'] AS labels ORDER BY date;`

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-write-table-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = path.join(folder, 'made.parquet')
const inSession = <T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> =>
  withSession({ temporaryFolder: path.join(folder, 'temporary'), threads: 1 }, work)
const written = (query: string) => inSession((connection) => writeTable(connection, file, declared, query))

describe('a published table', () => {
  it('is written as it is declared, and described by rows, size and checksum', async () => {
    const { rows, ...digest } = await written(right)
    expect(rows).toBe(1)
    expect(digest).toEqual(await digestFile(file))
  })

  it('may be empty', async () => {
    expect(await written(right.replace('ORDER', 'WHERE false ORDER'))).toMatchObject({ rows: 0 })
  })

  it.each([
    ['another type', ['1::BIGINT', '1::DOUBLE'], 'column paid_sats is DOUBLE, declared BIGINT'],
    ['a wider type', ['1::BIGINT', '1::HUGEINT'], 'column paid_sats is HUGEINT, declared BIGINT'],
    ['a type that no table has', ['1::BIGINT', '1::UBIGINT'], 'column paid_sats is UBIGINT, declared BIGINT'],
    ['another list', [`['a']`, '[1]'], 'column labels is INTEGER[], declared VARCHAR[]'],
    ['another name', ['AS price', 'AS rate'], 'column price is declared but missing; column rate is not declared'],
    ['one column more', [' ORDER', ', 1 AS extra ORDER'], 'column extra is not declared'],
    [
      'another order',
      [`1::BIGINT AS paid_sats, NULL::DOUBLE AS price`, `NULL::DOUBLE AS price, 1::BIGINT AS paid_sats`],
      'its columns stand in the order date, price, paid_sats, labels, declared date, paid_sats, price, labels',
    ],
  ])('is refused, and leaves no file, with %s', async (_, [from = '', to = ''], message) => {
    rmSync(file, { force: true })
    expect(right).toContain(from)
    await expect(written(right.replace(from, to))).rejects.toMatchObject({
      code: 'schema_mismatch',
      message: `table made is not as contract/tables declares it: ${message}`,
      cure: expect.stringContaining('nothing was published. Mend the query'),
    })
    expect(existsSync(file)).toBe(false)
  })

  it('is refused with NULL where a value is declared, and says in how many rows', async () => {
    const query = `SELECT DATE '2024-01-01' + n::INTEGER AS date, nullif(n, 1)::BIGINT AS paid_sats, 1.5::DOUBLE AS price,
                     CASE WHEN n > 0 THEN [] END::VARCHAR[] AS labels FROM range(3) _(n) ORDER BY date`
    await expect(written(query)).rejects.toMatchObject({
      code: 'schema_mismatch',
      message:
        'table made is not as contract/tables declares it: column paid_sats is NULL in 1 of 3 rows, declared never to be; ' +
        'column labels is NULL in 1 of 3 rows, declared never to be',
    })
  })
})

describe('a table that is cast as it is declared', () => {
  const cast = (paid: string, name = 'paid_sats') =>
    inSession((connection) =>
      writeCast(
        connection,
        declared,
        `(SELECT 'x' AS extra, [7] AS labels, ${paid} AS ${name}, 1 AS price, DATE '2024-01-01' + n::INTEGER AS date FROM range(3) _(n) ORDER BY date)`,
        file,
      ),
    )

  it('has its columns and no others', async () => {
    expect((await cast('3.0')).file).toBe(file)
    const answer = (sql: string) => inSession(async (connection) => (await connection.runAndReadAll(sql)).getRowsJson())
    expect(await answer(`SELECT column_name, column_type FROM (DESCRIBE FROM '${file}')`)).toEqual(
      Object.entries(declared.columns).map(([name, { type }]) => [name, type]),
    )
    expect(await answer(`SELECT date::VARCHAR, paid_sats, price, labels FROM '${file}'`)).toEqual([
      ['2024-01-01', '3', 1, ['7']],
      ['2024-01-02', '3', 1, ['7']],
      ['2024-01-03', '3', 1, ['7']],
    ])
  })

  it('is refused with NULL where a value is declared', async () => {
    await expect(cast('nullif(n, 2)::DOUBLE')).rejects.toMatchObject({
      code: 'schema_mismatch',
      message: expect.stringContaining('column paid_sats is NULL in 1 of 3 rows, declared never to be'),
    })
  })

  it('is refused where a column is missing', async () => {
    await expect(cast('3.0', 'paid')).rejects.toMatchObject({
      code: 'schema_mismatch',
      message: 'table made is not as contract/tables declares it: column paid_sats is declared but missing',
    })
  })
})
