import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseDay } from '#base/days.ts'
import { priceSources } from '#ingest/market/price-sources.ts'
import { findDoubts } from '#ingest/market/prices.ts'
import { marketSources } from '#ingest/market/sources.ts'
import { type Bar, readPrices } from './stored-prices.ts'

const bar = (source: string, date: string, close: number, rest: Partial<Bar> = {}): Bar => {
  return { source, date, close, ...rest }
}

const closes = (date: string, bySource: Readonly<Record<string, number>>): Bar[] =>
  Object.entries(bySource).map(([source, close]) => bar(source, date, close))

test('the price of a day is the median of its sources, in whichever order they are stored', async () => {
  const day = '2020-01-01'
  expect(
    await readPrices(bar('coinbase', day, 103), bar('bitstamp', day, 100), bar('coindesk', day, 101)),
  ).toMatchObject({ close: Float64Array.of(101), sources: Int32Array.of(3), source: 'bitstamp, coinbase, coindesk' })
  expect(await readPrices(bar('coinbase', day, 103), bar('bitstamp', day, 100))).toMatchObject({
    close: Float64Array.of(101.5),
  })
})

test('open, high and low are medians too, of sources that know them, and hold the close', async () => {
  const day = '2020-01-01'
  const prices = await readPrices(
    bar('bitstamp', day, 100, { open: 90, high: 110, low: 80 }),
    bar('coinbase', day, 102, { open: 92, high: 114, low: 82 }),
    bar('coin-metrics', day, 120, { volume_btc: null }),
    bar('coindesk', day, 130, { open: 91, high: 130, low: 84 }),
  )
  // Closes 100, 102, 120, 130; of the bars: opens 90, 91, 92, highs 110, 114, 130, lows 80, 82, 84.
  expect(prices).toMatchObject({
    close: Float64Array.of(111),
    open: Float64Array.of(91),
    high: Float64Array.of(114),
    low: Float64Array.of(82),
    sources: Int32Array.of(4),
  })
  const widened = await readPrices(
    bar('bitstamp', day, 100, { open: 100, high: 101, low: 99 }),
    bar('coin-metrics', day, 110, { volume_btc: null }),
  )
  expect(widened).toMatchObject({ close: Float64Array.of(105), high: Float64Array.of(105), low: Float64Array.of(99) })
})

test('a bar in which nothing was traded is no bar', async () => {
  const prices = await readPrices(
    bar('bitstamp', '2020-01-01', 90, { volume_btc: 0 }),
    bar('coinbase', '2020-01-01', 100),
    bar('coindesk', '2020-01-02', 101, { volume_btc: null, volume_usd: 0 }),
    bar('coinbase', '2020-01-02', 102),
  )
  expect(prices).toMatchObject({ close: Float64Array.of(100, 102), source: 'coinbase' })
})

test('a price whose volume is not known counts', async () => {
  const unknown = { volume_btc: null, volume_usd: null }
  const prices = await readPrices(
    bar('import', '2020-01-01', 7, unknown),
    bar('coin-metrics', '2020-01-02', 8, unknown),
  )
  expect(prices).toMatchObject({ close: Float64Array.of(7, 8), volume: Float64Array.of(Number.NaN, Number.NaN) })
})

test('a day that nobody priced carries the last close, and says so', async () => {
  const prices = await readPrices(
    bar('bitstamp', '2020-01-01', 100, { high: 120 }),
    bar('bitstamp', '2020-01-02', 90, { volume_btc: 0 }),
    bar('bitstamp', '2020-01-04', 110, { open: 101, low: 101 }),
  )
  expect(prices).toMatchObject({
    open: Float64Array.of(100, 100, 100, 101),
    high: Float64Array.of(120, 100, 100, 110),
    low: Float64Array.of(100, 100, 100, 101),
    close: Float64Array.of(100, 100, 100, 110),
    volume: Float64Array.of(100, Number.NaN, Number.NaN, 110),
    sources: Int32Array.of(1, 0, 0, 1),
  })
  expect(findDoubts(prices!)).toEqual({ disagreeing: 0, worst: undefined, carried: 2 })
})

test('where sources differ by more than 3 % the day is published all the same, with the spread', async () => {
  const prices = await readPrices(
    ...closes('2020-01-01', { bitstamp: 97, coinbase: 100, coindesk: 101 }),
    ...closes('2020-01-02', { bitstamp: 100, coinbase: 103 }),
    ...closes('2020-01-03', { bitstamp: 100 }),
  )
  expect([...prices!.disagreement]).toEqual([0.04, 3 / 101.5, Number.NaN])
  expect(findDoubts(prices!)).toEqual({
    disagreeing: 1,
    worst: { day: parseDay('2020-01-01'), disagreement: 0.04 },
    carried: 0,
  })
})

test("an operator's own file stands alone where it has a price", async () => {
  const prices = await readPrices(
    bar('import', '2020-01-01', 101, { volume_btc: null }),
    bar('coinbase', '2020-01-01', 150),
    bar('bitstamp', '2020-01-01', 100),
    bar('import', '2020-01-02', 101, { volume_btc: 0 }),
    bar('bitstamp', '2020-01-02', 100),
  )
  expect(prices).toMatchObject({
    close: Float64Array.of(101, 100),
    sources: Int32Array.of(1, 1),
    disagreement: Float64Array.of(Number.NaN, Number.NaN),
    source: 'bitstamp, import',
  })
})

test('a market in Tether makes the price only where no dollar is known, and a rounded chart where nothing else is', async () => {
  const prices = await readPrices(
    ...closes('2020-01-01', { 'binance-spot': 106, bitstamp: 100 }),
    ...closes('2020-01-02', { 'binance-spot': 107, 'blockchain-com': 120 }),
    ...closes('2020-01-03', { 'blockchain-com': 121 }),
  )
  expect(prices).toMatchObject({ close: Float64Array.of(100, 107, 121), sources: Int32Array.of(1, 1, 1) })
})

test("volume is the sum of the exchanges, else the market's, and an own file's comes first", async () => {
  const prices = await readPrices(
    bar('bitstamp', '2020-01-01', 100, { volume_btc: 2 }),
    bar('binance-spot', '2020-01-01', 100, { volume_btc: 5, volume_usd: 501 }),
    bar('coindesk', '2020-01-01', 100, { volume_usd: 9e9 }),
    bar('coindesk', '2020-01-02', 100, { volume_usd: 8e9 }),
    bar('import', '2020-01-03', 100, { volume_btc: null, volume_usd: 7 }),
    bar('bitstamp', '2020-01-03', 100, { volume_btc: 2 }),
  )
  expect([...prices!.volume]).toEqual([701, 8e9, 7])
})

test('a history that begins on the day after the first market gets its first day', async () => {
  const second = bar('coin-metrics', '2010-07-18', 0.08584, { volume_btc: null })
  expect(await readPrices(second)).toMatchObject({
    firstDay: parseDay('2010-07-17'),
    close: Float64Array.of(0.04951, 0.08584),
    source: 'coin-metrics, mt-gox',
  })
  expect(await readPrices({ ...second, source: 'simulated' })).toMatchObject({ close: Float64Array.of(0.08584) })
  expect(await readPrices({ ...second, date: '2010-07-19' })).toMatchObject({ close: Float64Array.of(0.08584) })
})

test('every source that gives prices has its role among them', () => {
  const sources = marketSources.filter(({ series }) => series.some(({ kind }) => kind.startsWith('prices')))
  const missing = sources.map(({ id }) => id).filter((id) => !(id in priceSources))
  expect(missing, 'say in priceSources (ingest/market/price-sources.ts) what these count for').toEqual([])
})

test('prices of a source without a role are refused, and are not given one by accident', async () => {
  const refused = readPrices(bar('bitstamp', '2020-01-01', 100), bar('unheard-of', '2020-01-01', 1))
  await expect(refused).rejects.toMatchObject({
    code: 'data_folder_mismatch',
    message: expect.stringContaining('"unheard-of"'),
  })
})

/**
 * Closes and volumes in BTC as the two exchanges had them (from cryptodatadownload.com), and the
 * close of Coin Metrics (PriceUSD): of Bitstamp's outage in January 2015, and of all days of
 * 2015-07-20 to 2019 on which the two exchanges differ by more than 3 %.
 */
const optional = z.string().transform((text) => (text === '' ? undefined : Number(text)))
const facts = z
  .array(
    z.object({
      date: z.string(),
      bitstamp: z.coerce.number(),
      bitstamp_btc: z.coerce.number(),
      coinbase: optional,
      coinbase_btc: optional,
      coin_metrics: z.coerce.number(),
    }),
  )
  .parse(parse(readFileSync(path.join(import.meta.dirname, 'disputed-closes.csv')), { columns: true }))

const toBars = ({ date, bitstamp, bitstamp_btc, coinbase, coinbase_btc }: (typeof facts)[number]): Bar[] => [
  bar('bitstamp', date, bitstamp, { volume_btc: bitstamp_btc }),
  ...(coinbase === undefined ? [] : [bar('coinbase', date, coinbase, { volume_btc: coinbase_btc ?? null })]),
]
const reference = ({ date, coin_metrics }: (typeof facts)[number]): Bar =>
  bar('coin-metrics', date, coin_metrics, { volume_btc: null })

describe('the days on which the exchanges contradict each other', () => {
  const disputed = facts.filter(({ date }) => date > '2017')

  test('all thirteen have a price between the two, and are told of', async () => {
    expect(disputed).toHaveLength(13)
    const prices = await readPrices(...disputed.flatMap(toBars))
    for (const { date, bitstamp, coinbase } of disputed) {
      const close = prices!.close[parseDay(date) - prices!.firstDay]
      expect(close).toBeGreaterThan(Math.min(bitstamp, coinbase!))
      expect(close).toBeLessThan(Math.max(bitstamp, coinbase!))
    }
    expect(findDoubts(prices!).disagreeing).toBe(13)
  })

  test('with the third source the price is within 1 % of it, unless both exchanges lie on one side of it', async () => {
    const prices = await readPrices(...disputed.flatMap((day) => [...toBars(day), reference(day)]))
    const distances = disputed.map(({ date, coin_metrics }) => {
      return { date, distance: Math.abs(prices!.close[parseDay(date) - prices!.firstDay]! / coin_metrics - 1) }
    })
    expect(distances.filter(({ distance }) => distance > 0.01)).toEqual([
      { date: '2017-05-07', distance: expect.closeTo(0.0182, 4) },
      { date: '2017-12-10', distance: expect.closeTo(0.012, 3) },
    ])
  })
})

describe('the outage of Bitstamp in January 2015', () => {
  const outage = facts.filter(({ date }) => date < '2016')

  test('its flat bars count for nothing: without another source the last close is carried', async () => {
    const prices = await readPrices(...outage.flatMap(toBars))
    expect([...prices!.sources]).toEqual([1, 0, 0, 0, 0, 0, 0, 1])
    expect(prices!.close[7]).toBe(268.16)
    expect(findDoubts(prices!)).toMatchObject({ carried: 6, disagreeing: 0 })
  })

  test('with a second source the price of these days is that of it', async () => {
    const prices = await readPrices(...outage.flatMap(toBars), ...outage.map(reference))
    expect([...prices!.close.slice(1, 7)]).toEqual([287.55, 297.54, 284.34, 292.5, 276.23, 268.76])
    expect(findDoubts(prices!).carried).toBe(0)
  })
})
