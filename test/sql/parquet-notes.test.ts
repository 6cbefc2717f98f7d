import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { version } from '#base/version.ts'
import { date, flag, large, number, orNull, sats, small, text, texts, timestamp } from '#contract/tables/column.ts'
import { table } from '#contract/tables/table.ts'
import { withSession } from '#sql/session.ts'
import { writeTable } from '#sql/write-table.ts'
import { notesIn } from '#test/support/parquet-notes.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { rowsOf } from '#test/support/published.ts'

const folder = temporaryFolder('parquet-notes')
afterAll(() => rmSync(folder, { recursive: true }))

const declared = table({
  name: 'made',
  rowFor: 'day',
  holds: 'a column of each type',
  key: ['date'],
  columns: {
    date: date('Day, “UTC”.'),
    time: timestamp('Time.'),
    paid_sats: sats('Paid.'),
    blocks: small('count', 'Blocks.'),
    seconds: large('sat-seconds', 'Age.'),
    ratio: { ...orNull(number('ratio', 'Ratio ₿.')), title: 'Ratio', formula: 'a / b', source: 'Somebody, 2020' },
    name: text('Name.'),
    names: texts('Names.'),
    fresh: flag('Fresh.'),
  },
})

it('a Parquet file tells of each column what it is, and Arrow of which type', async () => {
  const file = path.join(folder, 'made.parquet')
  const query = `SELECT DATE '2024-01-01' AS date, TIMESTAMP '2024-01-01 12:00:00' AS time, 5::BIGINT AS paid_sats,
    1::INTEGER AS blocks, 7::DECIMAL(38,0) AS seconds, 0.5::DOUBLE AS ratio, 'a' AS name,
    ['b'] AS names, true AS fresh ORDER BY date`
  await withSession({ temporaryFolder: path.join(folder, 'temporary'), threads: 1 }, (connection) =>
    writeTable(connection, file, declared, query),
  )
  const { notes, fields } = await notesIn(file)
  expect(notes).toMatchObject({ table: 'made', description: 'One row for each day: a column of each type.', version })
  expect(notes.columns.ratio).toEqual({
    title: 'Ratio',
    description: 'Ratio ₿.',
    unit: 'ratio',
    formula: 'a / b',
    source: 'Somebody, 2020',
    version,
  })
  expect(notes.columns.date).toEqual({ description: 'Day, “UTC”.', version })
  // The numbers of Arrow's Schema.fbs: date in days, time in microseconds, signed integers, double,
  // …
  expect(fields.map(({ name, type, of: [first, second] }) => [name, type, first, second])).toEqual([
    ...[
      ['date', 8, 0, 0],
      ['time', 10, 2, 0],
      ['paid_sats', 2, 64, 1],
      ['blocks', 2, 32, 1],
      ['seconds', 7, 38, 0],
    ],
    ...[
      ['ratio', 3, 2, 0],
      ['name', 5, 0, 0],
      ['names', 12, 0, 0],
      ['fresh', 6, 0, 0],
    ],
  ])
  expect(fields.map(({ metadata }) => metadata)).toEqual(Object.values(notes.columns))
  expect(fields.filter(({ nullable }) => nullable).map(({ name }) => name)).toEqual(['ratio'])
  expect(fields[7]?.children).toMatchObject([{ name: 'element', type: 5, nullable: true }])
  expect(await rowsOf(`SELECT paid_sats, ratio, names FROM '${file}'`)).toEqual([['5', '0.5', '[b]']])
})
