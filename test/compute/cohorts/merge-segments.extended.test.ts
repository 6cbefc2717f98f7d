import { expect, test } from 'vitest'
import { mergeSegments } from '#compute/cohorts/merge-segments.ts'
import { limbMacros } from '#compute/scan/limbs.ts'
import { readColumns } from '#sql/columns.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import { temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('merge-segments')

const columns = `date, created_date, kind, addend_high(sats) AS sats_high, addend_low(sats) AS sats_low,
  outputs::DOUBLE AS outputs`

/** 2 million rows of 10 days, enough for a thread, each key 200 times: 100 in a row, later the others. */
const rows = (outputs: string) => `(
  SELECT DATE '1970-01-11' + (i % 1000000 // 100000)::INTEGER AS date, DATE '1970-01-01' + (i % 1000 // 100)::INTEGER AS created_date,
    (i % 1000000 % 100000 // 1000)::INTEGER AS kind, 1::BIGINT << 39 AS sats, ${outputs} AS outputs
  FROM range(2000000) AS rows(i))`

const merge = (outputs: string, take: (date: ArrayLike<number>, beside: number) => void) =>
  withSession({ temporaryFolder: folder }, async (connection) => {
    await connection.run(limbMacros)
    const days = { first: 10, last: 19, cut: 11 }
    const file = `${folder}/part`
    let asked = 0
    const files = await mergeSegments(
      connection,
      columns,
      rows(outputs),
      days,
      file,
      ({ date }, beside) => take(date!, beside),
      async () => asked++,
    )
    const from = parquetFiles([...files.upToCut, ...files.afterCut])
    const { sats, count, least } = await readColumns(
      connection,
      `SELECT sum(spent_sats)::DOUBLE AS sats, count(*)::DOUBLE AS count, min(spent_outputs) AS least FROM ${from}`,
    )
    const upToCut = await readColumns(connection, `SELECT max(date) AS date FROM ${parquetFiles(files.upToCut)}`)
    return { sats: sats![0], count: count![0], least: least![0], cut: upToCut.date![0] }
  })

test('a thread merges and writes all steps, which are taken in order', async () => {
  const taken: number[] = []
  const besides: number[] = []
  const written = await merge('1', (date, beside) => {
    taken.push(...new Set(Array.from(date)))
    besides.push(beside)
  })
  expect(taken).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
  expect(besides.length).toBeGreaterThanOrEqual(4)
  expect(besides).toEqual(besides.map((_, i) => i))
  expect(written).toEqual({ sats: 2e6 * 2 ** 39, count: 10_000, least: 200, cut: 11 })
})

test('errors of the thread and of the taker reach the caller', async () => {
  await expect(merge(`if(i = 1999999, 3000000000, 1)`, () => {})).rejects.toThrow('spent_outputs exceed 32 bits')
  await expect(
    merge('1', () => {
      throw new Error('refused')
    }),
  ).rejects.toThrow('refused')
})
