import { readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fundReport } from '#ingest/market/fund-report.ts'
import { tables } from '#ingest/market/observations.ts'
import { appendObservations, readObservations, storedInstants, storedSources } from '#ingest/market/store.ts'
import { dataDir, freshDataFolders, session } from './data-folder.ts'

freshDataFolders()

const settled = (time: string, rate: number) => ({
  exchange: 'okx',
  instrument: 'BTC-USD-SWAP',
  time: Date.parse(time),
  rate,
  interval_hours: null,
})

test('stores each month once, in order and without duplicates, whatever the order of arrival', async () => {
  await session(async (connection) => {
    const first = [settled('2026-02-01T00:00Z', 2), settled('2026-01-31T16:00Z', 1), settled('2026-02-01T00:00Z', 2)]
    expect(await appendObservations(connection, dataDir, tables.funding, 'okx', first, 1_000)).toEqual({
      added: 2,
      corrected: 0,
      unchanged: 1,
    })
    expect(readdirSync(path.join(dataDir, 'raw/market/funding/okx')).sort()).toEqual([
      '2026-01.parquet',
      '2026-02.parquet',
    ])
    expect(storedSources(dataDir, 'funding')).toEqual(['okx'])
    const rows = await readObservations(connection, dataDir, tables.funding)
    expect(rows).toEqual([
      { ...settled('2026-01-31T16:00Z', 1), source: 'okx', fetchedAt: 1_000 },
      { ...settled('2026-02-01T00:00Z', 2), source: 'okx', fetchedAt: 1_000 },
    ])
  })
})

test.each([
  ['few', [63, 40, 63, 3]],
  ['many', [2500, 40, 744, 3]],
])('the rows of each of 120 months are sorted, in one file each: %s', async (_, sizes) => {
  await session(async (connection) => {
    const months = Array.from({ length: 120 }, (_, i) => ({
      first: Date.UTC(2015, i),
      count: sizes[i % sizes.length]!,
    }))
    const rows = months.flatMap(({ first, count }) =>
      Array.from({ length: count }, (_, i) => settled(new Date(first + i * 600_000).toISOString(), i)),
    )
    await appendObservations(connection, dataDir, tables.funding, 'okx', rows.reverse(), 1_000)
    const files = path.join(dataDir, 'raw/market/funding/okx/*.parquet')
    const found = await connection.runAndReadAll(
      `SELECT count(*)::INTEGER, bool_and(rate = row)
       FROM (SELECT filename, rate, file_row_number AS row FROM read_parquet('${files}', filename = true, file_row_number = true))
       GROUP BY filename ORDER BY filename`,
    )
    expect(found.getRows()).toEqual(months.map(({ count }) => [count, true]))
  })
})

test('the same values again change no file', async () => {
  await session(async (connection) => {
    const file = path.join(dataDir, 'raw/market/funding/okx/2026-01.parquet')
    await appendObservations(connection, dataDir, tables.funding, 'okx', [settled('2026-01-01T00:00Z', 1)], 1_000)
    const { ino } = statSync(file)
    const again = await appendObservations(
      connection,
      dataDir,
      tables.funding,
      'okx',
      [settled('2026-01-01T00:00Z', 1)],
      2_000,
    )
    expect(again).toEqual({ added: 0, corrected: 0, unchanged: 1 })
    expect(statSync(file).ino).toBe(ino)
  })
})

test('a correction is read instead of what it corrects, which stays in the file', async () => {
  await session(async (connection) => {
    for (const [rate, fetchedAt] of [
      [1, 9_000],
      // The clock was set back in between.
      [2, 3_000],
      [1, 4_000],
    ] as const)
      await appendObservations(
        connection,
        dataDir,
        tables.funding,
        'okx',
        [settled('2026-01-01T00:00Z', rate)],
        fetchedAt,
      )
    const rows = await readObservations(connection, dataDir, tables.funding)
    expect(rows.map(({ rate, fetchedAt }) => [rate, fetchedAt])).toEqual([[1, 4_000]])
    const file = path.join(dataDir, 'raw/market/funding/okx/2026-01.parquet')
    const history = await connection.runAndReadAll(`SELECT revision, rate FROM '${file}' ORDER BY revision`)
    expect(history.getRowsJS()).toEqual([
      [1, 1],
      [2, 2],
      [3, 1],
    ])
  })
})

test('the same observation from two sources is kept for each', async () => {
  await session(async (connection) => {
    for (const source of ['okx', 'import'])
      await appendObservations(connection, dataDir, tables.funding, source, [settled('2026-01-01T00:00Z', 1)], 0)
    const rows = await readObservations(connection, dataDir, tables.funding)
    expect(rows.map(({ source }) => source)).toEqual(['import', 'okx'])
  })
})

test.each([
  ['simulated', 'okx'],
  ['okx', 'simulated'],
])('a folder with data from %s takes none from %s', async (first, second) => {
  await session(async (connection) => {
    await appendObservations(connection, dataDir, tables.funding, first, [settled('2026-01-01T00:00Z', 1)], 0)
    const row = { entity_id: 1, date: 20_000, holdings_btc: 1, change_btc: null, source_url: null }
    await expect(appendObservations(connection, dataDir, tables.treasuries, second, [row], 0)).rejects.toMatchObject({
      code: 'data_folder_mismatch',
    })
    expect(storedSources(dataDir, 'treasuries')).toEqual([])
  })
})

test('a missing value comes back as null', async () => {
  await session(async (connection) => {
    const row = { date: 20_000, open: 1, high: 2, low: 0.5, close: 1.5, volume_btc: null, volume_usd: 7 }
    await appendObservations(connection, dataDir, tables.prices, 'coindesk', [row], 0)
    expect(await readObservations(connection, dataDir, tables.prices)).toEqual([
      { ...row, source: 'coindesk', fetchedAt: 0 },
    ])
  })
})

test('what a killed run left half written is passed over, and cleared away by the next', async () => {
  await session(async (connection) => {
    const folder = path.join(dataDir, 'raw/market/funding/okx')
    await appendObservations(connection, dataDir, tables.funding, 'okx', [settled('2026-01-01T00:00Z', 1)], 0)
    writeFileSync(path.join(folder, '.tmp-4711-2026-01.parquet'), 'PAR1 and no more')
    expect(await readObservations(connection, dataDir, tables.funding)).toHaveLength(1)
    await appendObservations(connection, dataDir, tables.funding, 'okx', [settled('2026-01-01T08:00Z', 1)], 0)
    expect(readdirSync(folder)).toEqual(['2026-01.parquet'])
    expect(await readObservations(connection, dataDir, tables.funding)).toHaveLength(2)
  })
})

test('sources read and add side by side over one connection', async () => {
  await session(async (connection) => {
    const sources = ['okx', 'bybit', 'gate', 'deribit']
    const rows = (month: string) =>
      Array.from({ length: 300 }, (_, i) => settled(`2026-${month}-${String(1 + (i % 28)).padStart(2, '0')}`, i))
    const works = sources.flatMap((source) => [
      () => appendObservations(connection, dataDir, tables.funding, source, rows('01'), 0),
      () => storedInstants(connection, dataDir, tables.funding, source, { exchange: 'okx' }),
      () => appendObservations(connection, dataDir, tables.funding, source, rows('02'), 0),
      () => readObservations(connection, dataDir, tables.funding),
    ])
    for (let round = 0; round < 5; round++) await Promise.all(works.map((work) => work()))
    expect(await readObservations(connection, dataDir, tables.funding)).toHaveLength(sources.length * 2 * 28)
  })
})

test('a column that did not exist when a file was written is null in it, and is added to what follows', async () => {
  await session(async (connection) => {
    const { premium: _, ...older } = tables.etf.columns
    const row = fundReport('IBIT', 20_000, { holdings_btc: 5 })
    const table = { ...tables.etf, columns: older }
    await appendObservations(connection, dataDir, table, 'ishares', [row], 0)
    const next = fundReport('IBIT', 20_001, { holdings_btc: 6, premium: 0.001 })
    expect(await appendObservations(connection, dataDir, tables.etf, 'ishares', [row, next], 1)).toEqual({
      added: 1,
      corrected: 0,
      unchanged: 1,
    })
    const rows = await readObservations(connection, dataDir, tables.etf)
    expect(rows.map(({ date, premium }) => [date, premium])).toEqual([
      [20_000, null],
      [20_001, 0.001],
    ])
  })
})
