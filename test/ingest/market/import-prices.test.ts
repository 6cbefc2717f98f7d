import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import { importPrices } from '#ingest/market/import-prices.ts'
import { mergeBars } from '#ingest/market/merged-bars.ts'
import { tables } from '#ingest/market/observations.ts'
import { readDailyPrices, writeSimulatedPrices } from '#ingest/market/prices.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { dataDir as folder, freshDataFolders, session } from './data-folder.ts'

const header = 'date,open,high,low,close'
const hourlyHeader = 'time,open,high,low,close'
const now = Date.parse('2026-11-20T12:00Z')
freshDataFolders()

function csv(...lines: string[]): string {
  const file = path.join(folder, 'prices.csv')
  writeFileSync(file, lines.join('\n'))
  return file
}

const importFile = (file: string, options: { allowJumps?: boolean } = {}) =>
  session((connection) => importPrices(connection, folder, file, { now, ...options }))

const readPrices = () => session((connection) => readDailyPrices(connection, folder))

test('imported prices are read back day by day', async () => {
  const file = csv('\uFEFFdate,open,high,low,close,volume', '2026-01-30,1,4,1,2,100\r', '2026-01-31,2,2,2,2,', '')
  expect(await importFile(file)).toEqual({
    added: 2,
    corrected: 0,
    unchanged: 0,
    spacing: 'days',
    untraded: 0,
    gaps: [],
    notes: ['volume taken for volume_usd'],
    firstDay: parseDay('2026-01-30'),
    lastDay: parseDay('2026-01-31'),
  })
  expect(await readPrices()).toEqual({
    firstDay: parseDay('2026-01-30'),
    open: Float64Array.of(1, 2),
    high: Float64Array.of(4, 2),
    low: Float64Array.of(1, 2),
    close: Float64Array.of(2, 2),
    volume: Float64Array.of(100, Number.NaN),
    source: 'import',
    simulated: false,
    sources: Int32Array.of(1, 1),
    disagreement: Float64Array.of(Number.NaN, Number.NaN),
  })
})

test('a second file continues and corrects the first, newest first', async () => {
  await importFile(csv(header, '2026-01-01,1,1,1,1', '2026-01-02,2,2,2,2'))
  const counts = await importFile(csv(header, '2026-01-03,4,4,4,4', '2026-01-02,2.9,2.9,2.9,2.9'))
  expect(counts).toMatchObject({ added: 1, corrected: 1, unchanged: 0 })
  expect((await readPrices())?.close).toEqual(Float64Array.of(1, 2.9, 4))
})

test('a data folder without prices has none', async () => {
  expect(await readPrices()).toBeUndefined()
})

const day = '2026-01-01,1,1,1,1'
test.each([
  ['a day twice', [header, day, day], 3, '2026-01-01 appears twice'],
  ['no order', [header, '2026-01-02,1,1,1,1', day, '2026-01-03,1,1,1,1'], 3, '2026-01-01 comes after 2026-01-02'],
  ['a word for a number', [header, '2026-01-01,1,n/a,1,1'], 2, 'high is empty'],
  ['a hexadecimal number', [header, '2026-01-01,1,0x10,1,1'], 2, 'high "0x10" is not a number'],
  ['an endless number', [header, '2026-01-01,1,1e999,1,1'], 2, 'high "1e999" is not a number'],
  ['an empty cell', [header, '2026-01-01,1,,1,1'], 2, 'high is empty'],
  ['a negative price', [header, '2026-01-01,1,1,-1,1'], 2, 'negative price -1'],
  ['a close of zero', [header, '2026-01-01,1,1,0,0'], 2, 'close 0 is not above zero'],
  ['a high below the close', [header, '2026-01-01,1,1,1,2'], 2, 'high 1 is below open, low or close'],
  ['a low above the open', [header, '2026-01-01,1,3,2,2'], 2, 'low 2 is above open or close'],
  ['a negative volume', [`${header},volume`, '2026-01-01,1,1,1,1,-5'], 2, 'negative volume -5'],
  ['an impossible date', [header, '2026-02-30,1,1,1,1'], 2, 'date "2026-02-30" is not a date'],
  ['a day that has not ended', [header, '2026-11-20,1,1,1,1'], 2, '2026-11-20 has not ended'],
  ['a future day', [header, '2027-01-01,1,1,1,1'], 2, '2027-01-01 has not ended'],
  ['a day before bitcoin', [header, '1970-01-01,1,1,1,1'], 2, '1970-01-01 is before the first block'],
  ['a missing cell', [header, '2026-01-01,1,1,1'], 2, '4 cells where the header has 5'],
  ['a missing column', ['date,open,high,low', '2026-01-01,1,1,1'], 1, 'no line names the columns'],
  ['no header', [day], 1, 'no line names the columns'],
  ['no rows', [header], 1, 'there are no rows after the header'],
  ['an error after an empty line', [header, '', day, '', day], 5, '2026-01-01 appears twice'],
])('%s is refused with its line, and nothing is stored', async (_, lines, line, what) => {
  const file = csv(...lines)
  const error: unknown = await importFile(file).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'invalid_file', cure: expect.stringMatching(/./) })
  expect(String(error)).toContain(`${file}, line ${line}: ${what}`)
  expect(existsSync(path.join(folder, 'raw'))).toBe(false)
})

test.each([
  ['an unclosed quote', `${header}\n"2026-01-01,1,1,1,1`],
  ['an empty file', ''],
])('%s is refused', async (_, text) => {
  const file = csv(text)
  await expect(importFile(file)).rejects.toMatchObject({ code: 'invalid_file' })
})

test('a missing file is refused', async () => {
  await expect(importFile(path.join(folder, 'absent.csv'))).rejects.toMatchObject({ code: 'invalid_file' })
})

test('a file may have gaps, which are listed and take the close before them', async () => {
  const file = csv(header, '2026-01-01,1,1,1,1', '2026-01-03,2,2,2,2', '2026-01-07,3,3,3,3')
  const gaps = [
    { first: '2026-01-02', last: '2026-01-02', length: 1 },
    { first: '2026-01-04', last: '2026-01-06', length: 3 },
  ]
  expect(await importFile(file)).toMatchObject({ added: 3, gaps })
  expect(await readPrices()).toMatchObject({
    close: Float64Array.of(1, 1, 2, 2, 2, 2, 3),
    sources: Int32Array.of(1, 0, 1, 0, 0, 0, 1),
  })
  expect(await importFile(csv(header, '2026-01-05,2,2,2,2'))).toMatchObject({ added: 1, gaps: [] })
})

test.each([
  ['after', '2026-01-13', { first: '2026-01-11', last: '2026-01-12', length: 2 }],
  ['before', '2026-01-08', { first: '2026-01-09', last: '2026-01-09', length: 1 }],
])('a gap %s the stored prices is listed, too', async (_, date, gap) => {
  await importFile(csv(header, '2026-01-10,1,1,1,1'))
  expect(await importFile(csv(header, `${date},1,1,1,1`))).toMatchObject({ added: 1, gaps: [gap] })
})

describe('a jump that no market made', () => {
  test.each([
    [
      'cents for dollars',
      ['2026-01-01,1,1,1,1', '2026-01-02,100,100,100,100'],
      3,
      'close 100 is 100 times that of 2026-01-01, 1',
    ],
    [
      'a missing digit',
      ['2026-01-01,95,95,95,95', '2026-01-02,9.5,9.5,9.5,9.5'],
      3,
      'close 9.5 is 1/10 of that of 2026-01-01, 95',
    ],
    [
      'an hour that falls to nothing',
      ['2026-01-01T00:00Z,50,50,50,50', '2026-01-01T01:00Z,5,5,5,5'],
      3,
      'close 5 is 1/10 of that of 2026-01-01T00:00Z, 50',
    ],
  ])('is refused by its line: %s', async (_, lines, line, what) => {
    const file = csv(lines[0]!.includes('T') ? hourlyHeader : header, ...lines)
    await expect(importFile(file)).rejects.toMatchObject({
      code: 'invalid_file',
      message: `${file}, line ${line}: ${what}`,
      cure: expect.stringContaining('--allow-jumps'),
    })
    expect(existsSync(path.join(folder, 'raw'))).toBe(false)
    expect(await importFile(file, { allowJumps: true })).toMatchObject({ added: 2 })
  })

  test('is found against what is stored, too', async () => {
    await importFile(csv(header, '2026-01-01,90,90,90,90', '2026-01-02,91,91,91,91'))
    await expect(importFile(csv(header, '2026-01-03,9100,9100,9100,9100'))).rejects.toThrow(
      'line 2: close 9100 is 100 times that of 2026-01-02 in the store, 91',
    )
    await expect(importFile(csv(hourlyHeader, '2026-01-01T00:00Z,9000,9000,9000,9000'))).rejects.toThrow(
      'line 2: close 9000 is 100 times that of 2026-01-01 in the store, 90',
    )
  })

  test('may be larger after a gap, but is found across one, and far from what is stored', async () => {
    await importFile(csv(header, '2013-10-01,130,130,130,130', '2013-11-30,1130,1130,1130,1130'))
    for (const [date, close] of [
      ['2013-12-10', 6000],
      ['2014-02-01', 113000],
    ])
      await expect(importFile(csv(header, `${date},${close},${close},${close},${close}`))).rejects.toThrow(
        'that of 2013-11-30 in the store, 1130',
      )
  })

  test('fivefold is still taken for true, and a line without trade is not asked', async () => {
    const lines = ['2026-01-01,1,1,1,1,9', '2026-01-02,500,500,500,500,0', '2026-01-03,5,5,5,5,9']
    expect(await importFile(csv(`${header},volume`, ...lines))).toMatchObject({ added: 3, untraded: 1 })
    expect((await readPrices())?.close).toEqual(Float64Array.of(1, 1, 5))
  })
})

describe('a value that no market had', () => {
  const closes = [
    44_179.6, 44_946.9, 42_845.2, 44_151.1, 44_145.1, 43_968.3, 43_929, 46_951, 46_110, 46_653, 46_339, 42_782,
    42_847.9, 41_732.5, 42_511.1, 43_137.9, 42_776.1, 41_327.5, 41_659, 41_696,
  ]
  const first = parseDay('2024-01-01')
  type Bar = { day: number; open: number; high: number; low: number; close: number; volume: number }
  const bars = closes.map((close, i): Bar => {
    const open = closes[i - 1] ?? 42_265.2
    const [high, low] = [Math.max(open, close) * 1.01, Math.min(open, close) * 0.99]
    return { day: first + i, open, high, low, close, volume: close * (9000 + ((i * 7919) % 20_000)) }
  })
  const lines = (all: readonly Bar[], name = 'volume_usd') => [
    `${header},${name}`,
    ...all.map(
      ({ day, open, high, low, close, volume }) => `${isoDate(day)},${open},${high},${low},${close},${volume}`,
    ),
  ]
  const change = (at: number, change: (bar: Bar) => Partial<Bar>) => (bar: Bar, i: number) =>
    i === at ? { ...bar, ...change(bar) } : bar
  const all = (change: (bar: Bar) => Partial<Bar>) => (bar: Bar) => ({ ...bar, ...change(bar) })
  const times = (factor: number) => (bar: Bar) => ({
    open: bar.open * factor,
    high: bar.high * factor,
    low: bar.low * factor,
    close: bar.close * factor,
  })
  const shift = (days: number) => (bar: Bar) => ({ day: bar.day + days })
  const inBtc = (bar: Bar) => ({ volume: bar.volume / bar.close })

  test.each<[string, (bar: Bar, i: number) => Bar | Bar[], number, string]>([
    ['a high ten times as high', change(5, ({ high }) => ({ high: 10 * high })), 7, 'is far above close 43968.3'],
    ['a high three times as high', change(5, ({ high }) => ({ high: 3 * high })), 7, 'is far above close 43968.3'],
    ['a low ten times as low', change(5, ({ low }) => ({ low: low / 10 })), 7, 'is far below close 43968.3'],
    ['a low of cents', change(5, ({ low }) => ({ low: low / 10_000 })), 7, 'low 4.35'],
    ['a low of zero', change(5, () => ({ low: 0 })), 7, 'low 0 is far below'],
    ['an open ten times as high', change(5, ({ open }) => ({ open: 10 * open })), 7, 'is below open, low or close'],
    ['an open ten times as low', change(5, ({ open }) => ({ open: open / 10 })), 7, 'is above open or close'],
    ['a close ten times as high', change(5, ({ close }) => ({ close: 10 * close })), 7, 'is below open, low or close'],
    ['a bar ten times as high', change(5, times(10)), 7, 'is 10 times that of 2024-01-05'],
    ['a bar of cents', change(5, times(100)), 7, 'is 100 times that of 2024-01-05'],
    ['a bar of thousands', change(5, times(0.001)), 7, 'is 1/1004 of that of 2024-01-05'],
    ['a first bar ten times as low', change(0, times(0.1)), 3, 'is 10 times that of 2024-01-01'],
    ['a last bar ten times as low', change(19, times(0.1)), 21, 'is 1/10 of that'],
    ['a close beside the bar', change(5, () => ({ close: 60_000 })), 7, 'is below open, low or close'],
    ['a negative price', change(5, ({ low }) => ({ low: -low })), 7, 'negative price'],
    ['a volume in BTC among USD', change(9, inBtc), 11, 'the volume is 0.4 BTC, and 20,676.0 BTC'],
    ['a volume in USD among BTC', (bar, i) => (i === 9 ? bar : { ...bar, ...inBtc(bar) }), 2, 'another unit'],
    ['volumes in BTC called USD', all(inBtc), 2, 'the volume is in another unit'],
    ['volumes in BTC from a line on', (bar, i) => (i < 12 ? bar : { ...bar, ...inBtc(bar) }), 14, 'volume '],
    ['a negative volume', change(5, () => ({ volume: -1 })), 7, 'negative volume -1'],
    [
      'a day twice',
      (bar, i) => (i === 5 ? [bar, { ...bar, close: bar.close + 1 }] : bar),
      8,
      '2024-01-06 appears twice',
    ],
    ['a line in the wrong place', change(5, shift(9)), 8, '2024-01-07 comes after 2024-01-15'],
    ['one day in three', (bar, i) => (i % 3 === 0 ? bar : []), 3, 'one line in 3 days'],
    ['weeks', (bar, i) => (i % 7 === 0 ? bar : []), 3, 'one line in 7 days'],
    ['days before bitcoin', all(shift(-15_000)), 2, 'is before the first block'],
    ['future days', all(shift(15_000)), 2, 'has not ended'],
  ])('is refused by its line: %s', async (_, corrupt, line, what) => {
    const file = csv(...lines(bars.flatMap(corrupt)))
    await expect(importFile(file)).rejects.toThrow(new RegExp(`line ${line}: .*${what}`))
    expect(existsSync(path.join(folder, 'raw'))).toBe(false)
    expect(await importFile(csv(...lines(bars)))).toMatchObject({ added: 20 })
  })

  test('is refused for volumes in USD called BTC, and for volumes that contradict each other', async () => {
    await expect(importFile(csv(...lines(bars, 'volume_btc')))).rejects.toThrow('line 2: the volume is in another unit')
    const both = ['date,close,volume btc,volume usd', '2024-01-01,44000,100,4400000', '2024-01-02,44000,100,100']
    await expect(importFile(csv(...both))).rejects.toThrow('line 3: 100 USD is not the price of 100 BTC')
  })

  test.each<[string, (bar: Bar, i: number) => Bar | Bar[], number, string]>([
    ['days too late', all(shift(1)), 2, 'closes are those of the day before in the store'],
    ['days too early', all(shift(-1)), 3, 'closes are those of the day after in the store'],
    [
      'days too late from a line on',
      (bar, i) => (i < 10 ? bar : { ...bar, day: bar.day + 1 }),
      12,
      'of the day before',
    ],
    ['euros', all(times(0.91)), 2, 'closes differ from the store by 10 %'],
    ['another coin', all(times(0.055)), 2, 'is 1/18 of that of 2024-01-01 in the store'],
    ['a day half as high', change(5, times(0.5)), 7, 'is far from the stored 43'],
  ])('is found by what is stored: %s', async (_, corrupt, line, what) => {
    await importFile(csv(...lines(bars)))
    const file = csv(...lines(bars.flatMap(corrupt)))
    await expect(importFile(file)).rejects.toThrow(new RegExp(`line ${line}: .*${what}`))
    expect((await readPrices())?.close).toEqual(Float64Array.from(closes))
    expect(await importFile(file, { allowJumps: true })).toMatchObject({ spacing: 'days' })
  })

  test('is found in hours, too', async () => {
    const hours = (changed: string) => csv(hourlyHeader, at('00:00', 100), at('01:00', 100), changed)
    await expect(importFile(hours('2026-01-01T02:00Z,100,1000,100,100'))).rejects.toThrow(
      'line 4: high 1000 is far above',
    )
    await importFile(csv(header, '2026-01-01,100,100,100,100'))
    await expect(importFile(hours('2026-01-01T02:00Z,260,260,255,260'))).rejects.toThrow(
      'is far from the stored 100 to 100',
    )
    expect(await importFile(hours('2026-01-01T02:00Z,240,240,240,240'))).toMatchObject({ added: 3 })
    const four = csv(hourlyHeader, at('00:00'), at('04:00'), at('08:00'))
    await expect(importFile(four)).rejects.toThrow('line 3: one line in 4 hours')
    const days = ['01', '02', '03'].map((day) => `2026-01-${day}T16:00Z,7,7,7,7`)
    await expect(importFile(csv(hourlyHeader, ...days))).rejects.toThrow('line 3: one line in 24 hours')
  })
})

const at = (hour: string, price = 7) => `2026-01-01T${hour}Z,${[price, price, price, price].join(',')}`

const mergedHours = () =>
  session(async (connection) => {
    await mergeBars(connection, folder, tables.prices_hourly)
    const read = await connection.runAndReadAll('SELECT time, close, sources FROM prices_hourly_merged ORDER BY time')
    return read.getRowsJson().map(([time, close, sources]) => [String(time).slice(11, 13), close, sources])
  })

describe('hourly prices', () => {
  test('are imported beside the daily ones, with hours in between in which nothing was traded', async () => {
    expect(await importFile(csv(hourlyHeader, at('00:00'), at('01:00:00', 8), at('04:00', 9)))).toMatchObject({
      added: 3,
      spacing: 'hours',
      firstDay: parseDay('2026-01-01'),
    })
    expect(await mergedHours()).toEqual([
      ['00', 7, 1],
      ['01', 8, 1],
      ['02', 8, 0],
      ['03', 8, 0],
      ['04', 9, 1],
    ])
    expect(await readPrices()).toBeUndefined()
  })

  test('are the median of the sources by the same rule as daily ones', async () => {
    const bars = { bitstamp: 100, coinbase: 102, kraken: 110, 'binance-spot': 500 }
    await session(async (connection) => {
      for (const [source, close] of Object.entries(bars)) {
        const bar = { open: close, high: close, low: close, close, volume_btc: 1, volume_usd: null }
        const rows = [0, 3_600_000].map((time) => ({
          ...bar,
          time,
          volume_btc: source === 'kraken' && time > 0 ? 0 : 1,
        }))
        await appendObservations(connection, folder, tables.prices_hourly, source, rows, 0)
      }
    })
    expect(await mergedHours()).toEqual([
      ['00', 102, 3],
      ['01', 101, 2],
    ])
  })

  test.each([
    ['an hour twice', [at('00:00'), at('00:00')], 3, '2026-01-01T00:00Z appears twice'],
    ['no order', [at('01:00'), at('00:00'), at('02:00')], 3, '2026-01-01T00:00Z comes after 2026-01-01T01:00Z'],
    ['half an hour', [at('00:30')], 2, '2026-01-01T00:30:00.000Z is not the start of an hour'],
    ['an hour that has not ended', ['2026-11-20T12:00Z,1,1,1,1'], 2, '2026-11-20T12:00Z has not ended'],
    ['a local time', ['2026-01-01T00:00+01:00,1,1,1,1'], 2, 'time "2026-01-01T00:00+01:00" is not a date'],
    ['a high below the close', ['2026-01-01T00:00Z,1,1,1,2'], 2, 'high 1 is below open, low or close'],
  ])('%s is refused with its line', async (_, lines, line, what) => {
    const file = csv(hourlyHeader, ...lines)
    await expect(importFile(file)).rejects.toThrow(`${file}, line ${line}: ${what}`)
    expect(existsSync(path.join(folder, 'raw'))).toBe(false)
  })

  test('may miss days, which are listed', async () => {
    const gap = { first: '2026-01-01T01:00Z', last: '2026-01-02T01:00Z', length: 25 }
    expect(await importFile(csv(hourlyHeader, at('00:00'), '2026-01-02T02:00Z,7,7,7,7'))).toMatchObject({
      added: 2,
      gaps: [gap],
    })
    expect(await importFile(csv(hourlyHeader, '2026-01-02T04:00Z,7,7,7,7'))).toMatchObject({
      gaps: [{ first: '2026-01-02T03:00Z', last: '2026-01-02T03:00Z', length: 1 }],
    })
  })
})

test('simulated prices go through the same store, and real ones are then refused', async () => {
  const day = parseDay('2026-01-31')
  const rows = [
    { day, open: 1, high: 3, low: 1, close: 2, volume: 10 },
    { day: day + 1, open: 2, high: 3, low: 1, close: 3, volume: 20 },
  ]
  await session((connection) => writeSimulatedPrices(connection, folder, rows))
  expect(await readPrices()).toMatchObject({
    firstDay: day,
    close: Float64Array.of(2, 3),
    volume: Float64Array.of(10, 20),
    simulated: true,
    source: 'simulated',
  })
  const file = csv(header, '2026-02-02,1,1,1,1')
  await expect(importFile(file)).rejects.toMatchObject({ code: 'data_folder_mismatch' })
})

const realFile = path.join(import.meta.dirname, '../../../../shared/data/price/btc-usd-daily.csv')
describe.skipIf(!existsSync(realFile))('the daily history from 2010-07-12 to 2026-02-12', () => {
  test('is imported whole, and again without effect', async () => {
    expect(await importFile(realFile)).toMatchObject({ added: 5_695, corrected: 0, firstDay: parseDay('2010-07-12') })
    expect(await importFile(realFile)).toMatchObject({ added: 0, corrected: 0, unchanged: 5_695 })
    const prices = await readPrices()
    expect(prices?.close).toHaveLength(5_695)
    expect(prices?.close[0]).toBe(0.01)
    expect(prices?.close[parseDay('2026-02-12') - parseDay('2010-07-12')]).toBe(65_602.07)
    expect(prices?.close.every((close) => close > 0)).toBe(true)
  })
})

describe('prices of the chain', () => {
  test('replace those of markets, and imported prices fill the days before them', async () => {
    await session((connection) => {
      const rows = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05'].map((date) => {
        return { date: parseDay(date), open: 3, high: 3, low: 3, close: 3, volume_btc: 1, volume_usd: null }
      })
      return appendObservations(connection, folder, tables.prices, 'kraken', rows, now)
    })
    await importFile(csv(header, '2026-01-02,2,2,2,2'))
    const days = `(VALUES (DATE '2026-01-03', 5, 4, 6), (DATE '2026-01-04', NULL, NULL, NULL), (DATE '2026-01-05', 9, 7, 9.5))`
    const chain = `(FROM ${days} AS t(date, price, low, high))`
    expect(await session((connection) => readDailyPrices(connection, folder, chain))).toMatchObject({
      firstDay: parseDay('2026-01-02'),
      open: Float64Array.of(2, 5, 5, 5),
      high: Float64Array.of(2, 6, 5, 9.5),
      low: Float64Array.of(2, 4, 5, 5),
      close: Float64Array.of(2, 5, 5, 9),
      sources: Int32Array.of(1, 1, 0, 1),
      source: 'import, onchain',
    })
    const marketsOnly = await session((connection) => readDailyPrices(connection, folder))
    expect(marketsOnly?.close).toEqual(Float64Array.of(3, 2, 3, 3, 3))
  })
})
