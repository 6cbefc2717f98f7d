import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import { rollBack } from '#compute/publish/rollback.ts'
import { firstPublishedFolder } from '#sql/first-published.ts'
import { currentGeneration, publishedFolder } from '#sql/generation.ts'
import { firstValuesOf } from '#test/support/first-values.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { useNights } from './support/first-published-nights.ts'

const { copyOf, update, storePrices, datesOf } = useNights()

describe('the first published values', () => {
  test('begin with the days that close after the first generation, and have every value of them', async () => {
    const { dataDir, id } = copyOf('priced')
    const known = await firstValuesOf(dataDir)
    expect(known.length).toBeGreaterThan(1_000)
    expect(known).toContain(`price 2011-02-19 2.5 ${id}`)
    expect(known.filter((row) => !row.includes(` 2011-02-19 `) || !row.endsWith(` ${id}`))).toEqual([])
    // Each is what its table has, and none is missing.
    for (const [table, where] of [
      ['metrics_valuation', 'true'],
      ['metrics_market', 'true'],
    ] as const) {
      const published = await rowsOf(
        `UNPIVOT (SELECT date, COLUMNS(* EXCLUDE date)::DOUBLE FROM ${publishedTable(dataDir, table)} WHERE date = '2011-02-19' AND ${where})
         ON COLUMNS(* EXCLUDE date) INTO NAME metric VALUE value`,
      )
      const ids = await rowsOf(
        `SELECT column_name, id FROM ${publishedTable(dataDir, 'catalogue')} WHERE table_name = '${table}'`,
      )
      const idOf = new Map(ids.map(([column, metric]) => [column, metric]))
      expect(published.length).toBeGreaterThan(10)
      const expected = published.map(([date, column, value]) => `${idOf.get(column!)} ${date} ${value} ${id}`)
      expect(expected.filter((row) => !known.includes(row))).toEqual([])
    }
    const { generation } = currentGeneration(dataDir)!
    expect(generation.first_published?.rows).toBe(known.length)
    expect(Object.keys(generation.tables)).not.toContain('first_published')
  })

  test('include those that come up to a week late, under the generation that had them', async () => {
    // Nobody reports prices for some days.
    const { dataDir, id: without } = copyOf('unpriced')
    expect(await datesOf('price')).toEqual([])
    expect(await datesOf('block_height')).toEqual(['2011-02-19'])
    await update('2011-02-27')
    expect(await datesOf('block_height')).toEqual([
      '2011-02-19',
      ...Array.from({ length: 7 }, (_, i) => isoDate(parseDay('2011-02-21') + i)),
    ])
    await storePrices(
      '2011-02-19',
      Array.from({ length: 10 }, (_, i) => 3 + i),
    )
    const late = await update('2011-02-28')
    // A day that ended more than a week ago is too old, as are those before the second generation.
    expect(await firstValuesOf(dataDir, `metric = 'price'`)).toEqual(
      Array.from({ length: 7 }, (_, i) => `price ${isoDate(parseDay('2011-02-22') + i)} ${6 + i}.0 ${late}`),
    )
    expect(await firstValuesOf(dataDir, `generation = '${without}' AND metric = 'price'`)).toEqual([])
    expect(readdirSync(firstPublishedFolder(dataDir))).toEqual(['2011-02.parquet'])
  })

  test('are not published a second time after a rollback', async () => {
    const { dataDir } = copyOf('unpriced')
    await update('2011-02-20')
    const before = await firstValuesOf(dataDir)
    await rollBack(dataDir)
    await update('2011-02-21')
    expect((await firstValuesOf(dataDir)).filter((row) => !row.includes('2011-02-21'))).toEqual(before)
  })

  test('continue after a generation with a damaged description whose values are known', async () => {
    const { dataDir, id } = copyOf('unpriced')
    const known = await firstValuesOf(dataDir)
    flipBit(path.join(publishedFolder(dataDir), id, 'generation.json'))
    const next = await update('2011-02-20')
    const values = await firstValuesOf(dataDir)
    expect(values.filter((row) => row.includes(' 2011-02-19 '))).toEqual(known)
    expect(values.filter((row) => row.includes(' 2011-02-20 ') && row.endsWith(next)).length).toBeGreaterThan(100)
    expect(currentGeneration(dataDir)?.generation.notes.join()).toContain(`generation.json of generation ${id} is`)
    await update('2011-02-21')
    expect(await firstValuesOf(dataDir, `generation = '${next}'`)).toEqual(values.filter((row) => row.endsWith(next)))
    expect(await datesOf('block_height')).toEqual(['2011-02-19', '2011-02-20', '2011-02-21'])
    expect(currentGeneration(dataDir)?.generation.notes.join()).not.toContain('generation.json')
  })

  test('are added by the next run if one was killed after it had published', async () => {
    const { dataDir } = copyOf('unpriced')
    const expected = await firstValuesOf(dataDir)
    rmSync(path.join(firstPublishedFolder(dataDir), '2011-02.parquet'))
    await update('2011-02-20')
    expect((await firstValuesOf(dataDir)).filter((row) => !row.includes('2011-02-20'))).toEqual(expected)
  })
})
