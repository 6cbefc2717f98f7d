import { rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, describe, expect, it } from 'vitest'
import { date, flag, number, orNull, sats, small, text, texts, whole } from '#contract/tables/column.ts'
import { table } from '#contract/tables/table.ts'
import type { LazyNumbers } from '#sql/column-chunk.ts'
import { digestFile } from '#sql/file-digest.ts'
import { finishParquet, joinParquet, type RowGroupWriter, readRowGroups } from '#sql/join-parquet.ts'
import { writeParquet } from '#sql/parquet.ts'
import { describeParquet } from '#sql/parquet-columns.ts'
import { withSession } from '#sql/session.ts'
import { type Cells, sortRows, toCells, toColumns } from '#sql/table-columns.ts'
import { writeRowGroups } from '#sql/write-columns.ts'
import { temporaryFolder } from '#test/support/program.ts'

const declared = table({
  name: 'made',
  rowFor: 'day',
  holds: 'amounts',
  key: ['date', 'name'],
  columns: {
    date: date('Day.'),
    name: text('Name.'),
    paid_sats: sats('What was paid.'),
    visits: orNull(whole('count', 'Visits.')),
    cycle: orNull(small('count', 'Cycle.')),
    price: orNull(number('USD', 'Price.')),
    about: orNull(text('Words.')),
    known: orNull(flag('Known.')),
    labels: orNull(texts('Names.')),
  },
})

const folder = temporaryFolder('table-columns')
afterAll(() => rmSync(folder, { recursive: true }))
const file = path.join(folder, 'made.parquet')

const inSession = <T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> =>
  withSession({ temporaryFolder: path.join(folder, 'temporary'), threads: 2 }, work)
const answer = (sql: string) => inSession(async (connection) => (await connection.runAndReadAll(sql)).getRowsJson())

const rowGroups =
  (cells: Readonly<Record<string, Cells>>, options: Parameters<typeof writeRowGroups>[2] = {}): RowGroupWriter =>
  (write) =>
    writeRowGroups(toColumns(declared, cells), write, options)
const write = (...parts: readonly RowGroupWriter[]) => finishParquet(joinParquet(file, parts).at(-1)!, new Map())

const longText = 'ä'.repeat(3000)
const rows = [
  {
    ...{ date: '2024-01-02', name: 'b', paid_sats: 2 ** 53 - 1, visits: 2.5, cycle: -(2 ** 31), price: -0 },
    ...{ about: longText, known: true, labels: ['x', 'ß 🙂'] },
  },
  {
    ...{ date: '1969-12-31', name: 'z', paid_sats: 0, visits: null, cycle: null, price: Number.NaN },
    ...{ about: null, known: null, labels: null },
  },
  {
    ...{ date: '2024-01-02', name: 'a', paid_sats: -1, visits: -3.5, cycle: 2 ** 31 - 1, price: 0.1 },
    ...{ about: '', known: false, labels: [] },
  },
]

describe('columns that are written without DuckDB', () => {
  it('have the sorted rows of objects, whose further properties are left out', async () => {
    const further = rows.map((row, i) => ({ ...row, number: i }))
    const { rows: count, ...digest } = write(rowGroups(toCells(declared, sortRows(declared, further))))
    expect([count, digest]).toEqual([3, await digestFile(file)])
    expect(await answer(`SELECT column_name, column_type FROM (DESCRIBE FROM '${file}')`)).toEqual(
      Object.entries(declared.columns).map(([name, { type }]) => [name, type]),
    )
    expect(await answer(`SELECT * REPLACE (date::VARCHAR AS date, price::VARCHAR AS price) FROM '${file}'`)).toEqual([
      ['1969-12-31', 'z', '0', null, null, null, null, null, null],
      ['2024-01-02', 'a', '-1', '-4', 2 ** 31 - 1, '0.1', '', false, []],
      ['2024-01-02', 'b', '9007199254740991', '2', -(2 ** 31), '-0.0', longText, true, ['x', 'ß 🙂']],
    ])
    const described = describeParquet(file)
    expect(described.columns.map(({ nulls }) => nulls)).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 2])
  })

  it('have the columns, encodings and statistics of files by DuckDB', async () => {
    write(rowGroups(toCells(declared, rows)))
    const other = path.join(folder, 'other.parquet')
    await inSession((connection) => writeParquet(connection, other, `FROM '${file}'`))
    const described = (name: string, columns: string) => answer(`SELECT ${columns} FROM parquet_metadata('${name}')`)
    const schema = (name: string) => answer(`SELECT * EXCLUDE (file_name) FROM parquet_schema('${name}')`)
    expect(await schema(file)).toEqual(await schema(other))
    const same = `path_in_schema, type, num_values, stats_null_count, row_group_num_rows`
    expect(await described(file, same)).toEqual(await described(other, same))
    const bounds = `list([path_in_schema, stats_min_value, stats_max_value]) FILTER (path_in_schema NOT IN ('known', 'about', 'price'))`
    expect(await described(file, bounds)).toEqual(await described(other, bounds))
    const encodings = await described(file, 'DISTINCT encodings')
    expect(['PLAIN', 'PLAIN_DICTIONARY']).toEqual(expect.arrayContaining(encodings.flat()))
  })

  it('can be joined with files by DuckDB, in either order', async () => {
    const cells = toCells(declared, rows)
    write(rowGroups(cells))
    const other = path.join(folder, 'other.parquet')
    await inSession((connection) => writeParquet(connection, other, `FROM '${file}'`))
    const all = await answer(`FROM '${file}'`)
    for (const parts of [
      [readRowGroups(other), rowGroups(cells)],
      [rowGroups(cells), readRowGroups(other)],
    ]) {
      const joined = path.join(folder, 'joined.parquet')
      const written = finishParquet(joinParquet(joined, parts).at(-1)!, new Map())
      expect(written).toEqual({ rows: 6, ...(await digestFile(joined)) })
      expect(await answer(`FROM '${joined}'`)).toEqual([...all, ...all])
    }
  })

  const count = 300_000
  const names = ['short', 'längere', '🙂']
  const roots: LazyNumbers = {
    length: count,
    slice: (first, end) => Float64Array.from({ length: end - first }, (_, i) => Math.sqrt(first + i)),
  }
  const many: Readonly<Record<string, Cells>> & { readonly date: Int32Array } = {
    date: Int32Array.from({ length: count }, (_, row) => Math.floor(row / 100)),
    name: Array.from({ length: count }, (_, row) => names[row % 3]!),
    paid_sats: BigInt64Array.from({ length: count }, (_, row) => BigInt(row) - 7n),
    visits: Float64Array.from({ length: count }, (_, row) => (row % 7 === 0 ? Number.NaN : row * 2 ** 33)),
    cycle: new Float64Array(count).fill(Number.NaN),
    price: roots,
    about: Array.from({ length: count }, (_, row) => (row % 5 === 0 ? null : `text ${row}`)),
    known: Array.from({ length: count }, (_, row) => row % 3 === 0),
    labels: Array.from({ length: count }, (_, row) => Array.from({ length: row % 4 }, (_, i) => names[i]!)),
  }
  const expected = `SELECT DATE '1970-01-01' + row // 100 AS date, ['short', 'längere', '🙂'][1 + row % 3] AS name,
      row::BIGINT - 7 AS paid_sats, CASE WHEN row % 7 > 0 THEN row * (2::BIGINT ** 33)::BIGINT END AS visits,
      NULL::INTEGER AS cycle, sqrt(row) AS price, CASE WHEN row % 5 > 0 THEN 'text ' || row END AS about,
      row % 3 = 0 AS known, ['short', 'längere', '🙂'][:row % 4] AS labels
    FROM (SELECT range::INTEGER AS row FROM range(${count}))`

  it.each([undefined, 30_720])('have many rows in groups, with %s rows each', async (rowsPerGroup) => {
    const cut = 130_000
    write(rowGroups(many, { end: cut, rowsPerGroup }), rowGroups(many, { first: cut, rowsPerGroup }))
    const [one, two] = [`(${expected})`, `'${file}'`]
    expect(
      await answer(
        `SELECT count(*) FROM ${one} wanted POSITIONAL JOIN ${two} found WHERE wanted IS DISTINCT FROM found`,
      ),
    ).toEqual([['0']])
    expect(await answer(`SELECT count(*) FROM ${two} WHERE paid_sats <> file_row_number - 7`)).toEqual([['0']])
    const each = rowsPerGroup ?? 122_880
    const groups = [cut, count - cut].flatMap((part) =>
      Array.from({ length: Math.ceil(part / each) }, (_, i) => Math.min(each, part - i * each)),
    )
    const metadata = (columns: string, column: string) =>
      answer(`SELECT ${columns} FROM parquet_metadata(${two}) WHERE path_in_schema = '${column}' ORDER BY row_group_id`)
    expect(await metadata('row_group_num_rows::INTEGER', 'date')).toEqual(groups.map((rows) => [rows]))
    const firsts = groups.map((_, i) => groups.slice(0, i).reduce((sum, rows) => sum + rows, 0))
    const isoDate = (row: number) => new Date(Math.floor(row / 100) * 86_400_000).toISOString().slice(0, 10)
    expect(await metadata('stats_min_value, stats_max_value', 'date')).toEqual(
      groups.map((rows, i) => [isoDate(firsts[i]!), isoDate(firsts[i]! + rows - 1)]),
    )
    expect(await metadata('DISTINCT stats_min_value, stats_max_value, encodings', 'name')).toEqual([
      ['längere', '🙂', 'PLAIN_DICTIONARY'],
    ])
    expect(await metadata('DISTINCT stats_min_value, encodings', 'cycle')).toEqual([[null, 'PLAIN']])
    const [range] = await answer(`SELECT min(file_row_number), max(file_row_number), count(*) FROM ${two}
      WHERE date BETWEEN '1971-01-01' AND '1971-01-03'`)
    expect(range).toEqual(['36500', '36799', '300'])
    const described = describeParquet(file)
    const bounds = described.columns.find(({ name }) => name === 'paid_sats')!
    expect([bounds.min, bounds.max].map((bytes) => Buffer.from(bytes!).readBigInt64LE())).toEqual([-7n, 299_992n])
  })

  it('are the same bytes for the same rows, and may have none', async () => {
    const some = rowGroups(many, { end: 20_000 })
    expect(write(some).sha256).toBe(write(some).sha256)
    expect(write(rowGroups(toCells(declared, [])))).toMatchObject({ rows: 0, ...(await digestFile(file)) })
    expect(await answer(`SELECT count(*) FROM '${file}'`)).toEqual([['0']])
  })

  it('bound zeros of both signs, and no long texts', async () => {
    const prices = (...values: number[]) =>
      rowGroups(
        toCells(
          declared,
          values.map((price) => ({ ...rows[0]!, price })),
        ),
      )
    write(prices(0, 0.5), prices(-0.5, -0), prices(-1, 1))
    const bounds = (column: string) =>
      answer(
        `SELECT stats_min_value, stats_max_value FROM parquet_metadata('${file}') WHERE path_in_schema = '${column}'`,
      )
    expect(await bounds('price')).toEqual([
      ['-0.0', '0.5'],
      ['-0.5', '0.0'],
      ['-1.0', '1.0'],
    ])
    expect(await bounds('about')).toEqual(Array.from({ length: 3 }, () => [null, null]))
    expect(await answer(`SELECT count(*) FROM '${file}' WHERE price = 0`)).toEqual([['2']])
  })
})

describe('columns that are not as they are declared', () => {
  const cells = toCells(declared, rows)
  const refuse = (changed: Readonly<Record<string, Cells>>) => () => toColumns(declared, changed)
  const mismatch = (message: string) =>
    expect.objectContaining({
      code: 'schema_mismatch',
      message: `table made is not as contract/tables declares it: ${message}`,
    })

  it('are refused', () => {
    const { price, ...others } = cells
    expect(refuse({ ...others, rate: price! })).toThrow(
      mismatch('column price is declared but missing; column rate is not declared'),
    )
    expect(refuse({ ...cells, paid_sats: Float64Array.of(1, Number.NaN, Number.NaN), name: ['a', null, 'b'] })).toThrow(
      mismatch(
        'column name is NULL in 1 of 3 rows, declared never to be; column paid_sats is NULL in 2 of 3 rows, declared never to be',
      ),
    )
    const late = { length: 3, slice: () => Float64Array.of(1, Number.NaN, 2) }
    expect(refuse({ ...cells, paid_sats: late })).toThrow(
      mismatch('column paid_sats is NULL in 1 of 3 rows, declared never to be'),
    )
  })

  it.each([
    ['a number as text', { name: [1, 2, 3] }, 'column name has values that are not VARCHAR'],
    ['numbers as flags', { known: Int32Array.of(1, 0, 1) }, 'column known has values that are not BOOLEAN'],
    ['texts as lists', { labels: ['a', 'b', 'c'] }, 'column labels has values that are not VARCHAR[]'],
    ['a text as number', { price: ['1', 2, 3] }, 'column price has "1", which is not DOUBLE'],
    [
      'no date',
      { date: ['2024-01-01', '2024-13-01', '2024-01-02'] },
      'column date has "2024-13-01", which is not DATE',
    ],
    ['an instant', { date: ['2024-01-01T05:00', '2024-01-01', '2024-01-02'] }, 'which is not DATE'],
    ['large integers as dates', { date: BigInt64Array.of(1n, 2n, 3n) }, 'date has 64-bit integers, but is DATE'],
    ['too large a number', { cycle: [1, 2 ** 31 - 0.5, 3] }, 'cycle has a number beyond INTEGER'],
    ['an infinite number', { visits: [1, Number.POSITIVE_INFINITY, 3] }, 'visits has a number beyond BIGINT'],
    ['fewer rows', { known: [true] }, 'columns differ in length'],
  ] as const)('fail with %s', (_, changed, message) => {
    expect(() => write(rowGroups({ ...cells, ...changed }))).toThrow(message)
  })
})
