import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, describe, expect, it } from 'vitest'
import { digestFile } from '#sql/file-digest.ts'
import {
  digestRowGroups,
  type FirstRowGroups,
  finishParquet,
  hashRowGroups,
  joinParquet,
  type RowGroups,
  readRowGroups,
} from '#sql/join-parquet.ts'
import { writeParquet } from '#sql/parquet.ts'
import { countRowGroups, firstRowGroups, footerBytes, readFooter } from '#sql/parquet-footer.ts'
import { withSession } from '#sql/session.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { openFiles } from '#test/support/open-files.ts'
import { temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('join-parquet')
afterAll(() => rmSync(folder, { recursive: true }))

const inSession = <T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> =>
  withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 2 }, work)

const file = (name: string): string => path.join(folder, `${name}.parquet`)

/**
 * Rows of all kinds that published tables have: with nulls, repeated texts (dictionaries, bloom
 * filters), lists.
 */
const rows = (from: number, to: number): string => `
  SELECT DATE '2009-01-03' + (i // 1000)::INTEGER AS date, i::BIGINT AS whole, sqrt(i) AS fraction,
    ['all', 'lth', 'sth'][1 + i % 3] AS cohort, md5(i::VARCHAR) AS hash, i % 7 = 0 AS flag,
    (i::HUGEINT * 1000000000000000000000)::DECIMAL(38, 0) AS seconds,
    CASE WHEN i % 5 > 0 THEN i / 3 END AS sparse, [i::VARCHAR, NULL] AS names, NULL::DOUBLE AS nothing
  FROM range(${from}, ${to}) AS t(i) ORDER BY i`

/** So few that a file of some thousand rows has several of them. */
const rowsPerGroup = 4096

async function write(name: string, from: number, to: number): Promise<string> {
  await inSession((connection) => writeParquet(connection, file(name), rows(from, to), { rowsPerGroup }))
  return file(name)
}

const answer = (sql: string): Promise<unknown[][]> =>
  inSession(async (connection) => (await connection.runAndReadAll(sql)).getRowsJson())

describe('the metadata of a Parquet file', () => {
  it('is written as it was read, byte for byte', async () => {
    const name = await write('same', 0, 10_000)
    const { metadata, end } = readFooter(name)
    const [content] = await answer(`SELECT hex(content) FROM read_blob('${name}')`)
    expect(Buffer.from(footerBytes(metadata)).toString('hex').toUpperCase()).toBe(String(content?.[0]).slice(2 * end))
  })

  it('is read, or refused, without leaving the file open', async () => {
    const name = await write('closed', 0, 10)
    const other = file('other')
    writeFileSync(other, 'no Parquet at all')
    const before = openFiles()
    readFooter(name)
    expect(() => readFooter(other)).toThrow(/is not Parquet/)
    expect(openFiles()).toBeLessThanOrEqual(before)
  })
})

function join(target: string, parts: readonly RowGroups[], first?: FirstRowGroups) {
  const prefixes = joinParquet(target, parts, first)
  return { ...finishParquet(prefixes.at(-1)!, new Map()), prefixes }
}

describe('Parquet files that are joined', () => {
  it.each([
    ['several row groups', [0, 9_000, 9_010, 14_000]],
    ['a part without rows', [0, 500, 500, 900]],
    ['nothing but a part without rows', [0, 0]],
  ])('hold the rows of all, in their order: %s', async (kind, bounds) => {
    const parts: string[] = []
    for (const [i, to] of bounds.slice(1).entries()) parts.push(await write(`${kind}-${i}`, bounds[i] ?? 0, to))
    const joined = join(file('joined'), parts.map(readRowGroups))
    const last = bounds.at(-1) ?? 0
    expect(joined).toMatchObject({ rows: last, ...(await digestFile(file('joined'))) })
    const [one, two] = [`(${rows(0, last)})`, `'${file('joined')}'`]
    expect(
      await answer(
        `SELECT count(*) FROM ((FROM ${one} EXCEPT ALL FROM ${two}) UNION ALL (FROM ${two} EXCEPT ALL FROM ${one}))`,
      ),
    ).toEqual([['0']])
    expect(
      await answer(
        `SELECT count(*) FROM (SELECT whole, row_number() OVER () - 1 AS row FROM ${two}) WHERE whole <> row`,
      ),
    ).toEqual([['0']])
  })

  it('keep what readers use to pass over row groups', async () => {
    const parts = [await write('first', 0, 4_000), await write('second', 4_000, 8_000)]
    join(file('pruned'), parts.map(readRowGroups))
    const described = (name: string): string =>
      `SELECT * EXCLUDE (file_name, row_group_id, file_offset, dictionary_page_offset, data_page_offset, index_page_offset,
         bloom_filter_offset, key_value_metadata) FROM parquet_metadata('${name}')`
    const [one, two] = parts
    expect(await answer(described(file('pruned')))).toEqual([
      ...(await answer(described(one ?? ''))),
      ...(await answer(described(two ?? ''))),
    ])
    expect(
      await answer(`SELECT count(*), count(bloom_filter_offset) > 0 FROM parquet_metadata('${file('pruned')}')
        WHERE path_in_schema = 'cohort'`),
    ).toEqual([['2', true]])
    // By its minimum and maximum, and by the bloom filters of the second part, which stand
    // elsewhere now.
    for (const [column, value] of [
      ['whole', '6000'],
      ['cohort', "'lth'"],
      ['cohort', "'nobody'"],
    ]) {
      const excluded = `SELECT bloom_filter_excludes FROM parquet_bloom_probe('${file('pruned')}', '${column}', ${value})`
      const own = await Promise.all(
        parts.map((part) =>
          answer(`SELECT bloom_filter_excludes FROM parquet_bloom_probe('${part}', '${column}', ${value})`),
        ),
      )
      expect(await answer(excluded)).toEqual(own.flat())
    }
    expect(await answer(`SELECT count(*) FROM '${file('pruned')}' WHERE cohort = 'sth' AND whole > 6000`)).toEqual([
      ['666'],
    ])
  })

  it('can be joined again, from the first of their parts on', async () => {
    const parts = [await write('a', 0, 1000), await write('b', 1000, 1500), await write('c', 1500, 1800)]
    const { prefixes } = join(file('abc'), parts.map(readRowGroups))
    const [, ab] = prefixes
    if (!ab) throw new Error('the second part is missing')
    const other = await write('d', 1500, 2000)
    const again = join(file('abd'), [readRowGroups(other)], ab)
    expect(again).toMatchObject({ rows: 2000, ...(await digestFile(file('abd'))) })
    expect(again.prefixes[0]).toEqual({ ...ab, file: file('abd') })
    expect(ab.hash.copy().digest('hex')).toBe((await digestFile(file('abc'), ab.end)).sha256)
    const { metadata } = readFooter(file('abd'))
    const opened = hashRowGroups({
      file: file('abd'),
      metadata: firstRowGroups(metadata, countRowGroups(ab.metadata)),
      end: ab.end,
    })
    expect(opened.metadata).toEqual(ab.metadata)
    expect(digestRowGroups(opened)).toBe(digestRowGroups(ab))
    expect(join(file('abd2'), [readRowGroups(other)], opened).sha256).toBe(again.sha256)
    const nothing = join(file('ab'), [], ab)
    expect(nothing).toMatchObject({ rows: 1500, ...(await digestFile(file('ab'))) })
    expect(await answer(`SELECT count(*), sum(whole)::BIGINT FROM '${file('abd')}'`)).toEqual([['2000', '1999000']])
  })

  it('become the file before if they have the same rows and notes, except on the file', async () => {
    const notes = (file: string, table = 'same') => new Map([['coinstrata', JSON.stringify({ table, file })]])
    const made = async (name: string, to: number) => hashRowGroups(readRowGroups(await write(name, 0, to)))
    const first = finishParquet(await made('before', 900), notes('one'))
    const before = { file: file('before'), table: first }
    expect(first).toMatchObject(await digestFile(file('before')))
    const rewritten = await made('rewritten', 900)
    for (const [groups, given, isSame] of [
      [rewritten, notes('two'), true],
      [rewritten, notes('one', 'other'), false],
      [await made('other-rows', 901), notes('two'), false],
    ] as const) {
      const finished = finishParquet(groups, given, before)
      expect(finished).toMatchObject(await digestFile(groups.file))
      expect(finished.sha256 === first.sha256).toBe(isSame)
    }
    flipBit(file('before'), first.bytes - 12)
    const own = finishParquet(await made('again', 900), notes('one'), before)
    expect(own).toEqual(first)
    expect(own).toMatchObject(await digestFile(file('again')))
  })

  it('are refused where their columns differ, or one is not whole', async () => {
    const one = await write('whole', 0, 2000)
    const renamed = file('renamed')
    await inSession((connection) => writeParquet(connection, renamed, 'SELECT 1 AS other ORDER BY other'))
    expect(() => joinParquet(file('never'), [one, renamed].map(readRowGroups))).toThrow('other columns')
    const cut = readRowGroups(one)
    truncateSync(one, 500)
    expect(() => joinParquet(file('never'), [cut])).toThrow('ends before its pages do')
    expect(() => readRowGroups(one)).toThrow('is not Parquet')
  })
})
