import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import { firstPublishedFolder } from '#sql/first-published.ts'
import { currentGeneration, publishedFolder } from '#sql/generation.ts'
import { firstValuesOf } from '#test/support/first-values.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { computeFolder } from '#test/support/made-folder.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { heightAfter, useNights } from './support/first-published-nights.ts'

const { folder, blocksUntil, copyOf, update, storePrices, datesOf } = useNights()

describe('the first published values', () => {
  test('stay as they are if a source corrects itself, or the same days are published again', async () => {
    const { dataDir, id: first } = copyOf('priced')
    const before = await firstValuesOf(dataDir)
    await storePrices('2011-02-19', [7.5])
    const second = await update('2011-02-19')
    expect(
      await rowsOf(`SELECT price FROM ${publishedTable(dataDir, 'metrics_market')} WHERE date = '2011-02-19'`),
    ).toEqual([['7.5']])
    vi.setSystemTime(Date.now() + 60_000)
    await computeFolder(dataDir, blocksUntil(heightAfter('2011-02-19')))
    expect(currentGeneration(dataDir)!.generation.first_published).toBeUndefined()
    expect(await firstValuesOf(dataDir, `generation = '${first}'`)).toEqual(before)
    await storePrices('2011-02-20', [8])
    await update('2011-02-20')
    expect(await firstValuesOf(dataDir, `metric = 'price'`)).toEqual([
      `price 2011-02-19 2.5 ${first}`,
      `price 2011-02-20 8.0 ${currentGeneration(dataDir)!.generation.id}`,
    ])
    expect(await firstValuesOf(dataDir, `generation = '${second}'`)).toEqual([])
  })

  test('continue after a generation with a damaged description that was killed before its values were added', async () => {
    const { dataDir, id } = copyOf('unpriced')
    const known = await firstValuesOf(dataDir)
    flipBit(path.join(publishedFolder(dataDir), id, 'generation.json'))
    rmSync(firstPublishedFolder(dataDir), { recursive: true })
    const next = await update('2011-02-20')
    const values = await firstValuesOf(dataDir)
    expect(values.filter((row) => row.includes(' 2011-02-19 '))).toEqual(known.map((row) => row.replace(id, next)))
    expect(values.filter((row) => row.includes(' 2011-02-20 ') && row.endsWith(next)).length).toBeGreaterThan(100)
    await update('2011-02-21')
    expect(await firstValuesOf(dataDir, `generation = '${next}'`)).toEqual(values.filter((row) => row.endsWith(next)))
  })

  test('of a machine that was off are only those of the last week', async () => {
    const { dataDir } = copyOf('unpriced')
    await update('2011-03-05')
    expect(await datesOf('block_height')).toEqual([
      '2011-02-19',
      ...Array.from({ length: 7 }, (_, i) => isoDate(parseDay('2011-02-27') + i)),
    ])
    expect(readdirSync(firstPublishedFolder(dataDir))).toEqual(['2011-02.parquet', '2011-03.parquet'])
  })

  test('of a damaged month are not replaced by later ones, and the generation says so', async () => {
    const { dataDir, id: firstPriced } = copyOf('priced')
    await update('2011-02-20')
    // The generation that could fill the gap is gone.
    rmSync(path.join(publishedFolder(dataDir), firstPriced), { recursive: true })
    const file = path.join(firstPublishedFolder(dataDir), '2011-02.parquet')
    const bytes = readFileSync(file)
    bytes[100]! ^= 4
    writeFileSync(file, bytes)
    await update('2011-02-21')
    expect(await datesOf('block_height')).toEqual(['2011-02-20', '2011-02-21'])
    expect(currentGeneration(dataDir)!.generation.notes).toContainEqual(
      expect.stringMatching(/2011-02\.parquet\.damaged is damaged: .* backup/),
    )
    // Put back from a backup.
    bytes[100]! ^= 4
    writeFileSync(path.join(firstPublishedFolder(dataDir), '2011-02-restored.parquet'), bytes)
    renameSync(`${file}.damaged`, path.join(folder, 'removed'))
    await update('2011-02-22')
    expect([...new Set(await datesOf('block_height'))]).toEqual(
      Array.from({ length: 4 }, (_, i) => isoDate(parseDay('2011-02-19') + i)),
    )
    expect(currentGeneration(dataDir)!.generation.notes.join()).not.toContain('damaged')
  })
})
