import { expect, test } from 'vitest'
import { fetchSources } from '#ingest/market/fetch.ts'
import { tables } from '#ingest/market/observations.ts'
import { readDailyPrices } from '#ingest/market/prices.ts'
import { readObservations } from '#ingest/market/store.ts'
import { dataDir, freshDataFolders, session } from './data-folder.ts'
import { addressed, faults, serve } from './fake-server.ts'
import { spotVenue } from './fake-spot.ts'
import { day, hour, now } from './fake-venues.ts'
import { closes, daysFrom, ended, fetchFrom, finished, hours, hoursFrom, testSpotSources } from './spot-sources.ts'

freshDataFolders()

testSpotSources((source) => (source === 'kraken' ? faults : ['no fault']))

test('the hourly job of who follows the node takes the hours since the last time, and no days', async () => {
  const server = await serve(spotVenue(closes, hours).answer)
  try {
    const options = { dataDir, env: addressed('bitstamp', server.url), sources: ['bitstamp'], now, retryDelayMs: 1 }
    const fetchNow = (hourlyPrices: boolean) =>
      session((connection) =>
        fetchSources({ connection, ...options, snapshotsOnly: true, hourlyPrices, since: hoursFrom }),
      )
    expect(await fetchNow(false)).toEqual([])
    const [report] = await fetchNow(true)
    const expected = ended(hours, hour, hoursFrom)
    expect(report).toMatchObject({ source: 'bitstamp', outcome: 'ok', added: expected.length })
    const stored = await session((connection) => readObservations(connection, dataDir, tables.prices_hourly))
    expect(stored.map(({ time, close }) => [time, close])).toEqual(expected.map(({ time, value }) => [time, value]))
    expect(await session((connection) => readObservations(connection, dataDir, tables.prices))).toEqual([])
  } finally {
    await server.close()
  }
})

test('Blockchain.com gives the volume of the market by the day, and the price of a midnight to the day before it', async () => {
  const server = await serve(spotVenue(closes).answer)
  try {
    await fetchFrom({ 'blockchain-com': server.url }, new Date(daysFrom).toISOString())
    const [prices, volumes] = await session(async (connection) => [
      await readObservations(connection, dataDir, tables.prices),
      await readObservations(connection, dataDir, tables.market_volume),
    ])
    expect(prices!.map(({ date, close }) => [date * day, close])).toEqual(
      finished.map(({ time, value }) => [time, value]),
    )
    expect(volumes!.map(({ date, volume_usd }) => [date * day, volume_usd])).toEqual(
      finished.map(({ time, value }) => [time, value]),
    )
    const daily = await session((connection) => readDailyPrices(connection, dataDir))
    expect(daily?.volume[0]).toBe(finished[0]!.value)
  } finally {
    await server.close()
  }
})

test('CoinDesk is off without a key, and a refused one is named with what it takes', async () => {
  const server = await serve(spotVenue(closes).answer)
  const fetchWith = (key?: string) => {
    const env = { SOURCES_COINDESK_BASE_URL: server.url, ...(key && { SOURCES_COINDESK_API_KEY: key }) }
    return session((connection) =>
      fetchSources({ connection, dataDir, env, sources: ['coindesk'], now, retryDelayMs: 1 }),
    )
  }
  try {
    const subscription = 'a subscription to CoinDesk Data, which has had no free tier since 2026-05-21'
    const [off] = await fetchWith()
    expect(off).toMatchObject({ outcome: 'not_configured', cure: expect.stringContaining(subscription) })
    expect(server.asked).toHaveLength(0)
    const [refused] = await fetchWith('expired')
    expect(refused).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('answered 401 {"Err":{"message":"API key required"}}'),
      cure: `check SOURCES_COINDESK_API_KEY: it takes the key of ${subscription}`,
    })
  } finally {
    await server.close()
  }
})

test('Kraken refuses inside a successful answer: a limit is waited for, an error told', async () => {
  let asked = 0
  const venue = spotVenue(closes, hours)
  const server = await serve((question) => {
    asked++
    return asked === 1 ? { body: { error: ['EGeneral:Too many requests'] } } : venue.answer(question)
  })
  const broken = await serve(() => ({ body: { error: ['EQuery:Unknown asset pair'] } }))
  try {
    expect((await fetchFrom({ kraken: server.url }))[0]).toMatchObject({ outcome: 'ok' })
    expect((await fetchFrom({ kraken: broken.url }))[0]).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('Unknown asset pair'),
    })
  } finally {
    await server.close()
    await broken.close()
  }
})

test('the price is the median of the sources, and tells where they contradict each other', async () => {
  const right = await serve(spotVenue(closes).answer)
  const wrong = await serve(
    spotVenue(
      closes.map(({ time, value }) => ({ time, value: time === Date.parse('2026-11-10') ? value * 1.05 : value })),
    ).answer,
  )
  try {
    await fetchFrom({ coinbase: wrong.url, bitstamp: right.url, coindesk: right.url }, '2026-11-01')
    const prices = await session((connection) => readDailyPrices(connection, dataDir))
    const own = finished.filter(({ time }) => time >= Date.parse('2026-11-01')).map(({ value }) => value)
    expect([...prices!.close]).toEqual(own)
    expect([...prices!.disagreement].map((spread) => Math.round(spread * 100))).toEqual(
      own.map((_, i) => (i === 9 ? 5 : 0)),
    )
    expect(prices).toMatchObject({ source: 'bitstamp, coinbase, coindesk', simulated: false })
    // Two exchanges, each of which trades twice its close.
    expect(prices?.volume[0]).toBe(2 * 2 * own[0]! * own[0]!)
  } finally {
    await right.close()
    await wrong.close()
  }
})

test.each([
  ['bitstamp', 'start', '2011-08-18'],
  ['coinbase', 'start', '2015-07-20'],
  ['binance-spot', 'startTime', '2017-08-17'],
  ['coin-metrics', 'start_time', '2010-07-18'],
  ['blockchain-com', 'start', '2010-07-18'],
])('the first request to %s is for the first day of its market', async (source, parameter, first) => {
  const server = await serve(() => ({ status: 400, body: {} }))
  try {
    await fetchFrom({ [source]: server.url })
    const from = server.asked[0]?.query.get(parameter) ?? ''
    const instant = /^-?\d+$/.test(from) ? Number(from) * (from.length > 10 ? 1 : 1000) : Date.parse(from)
    expect(new Date(instant).toISOString().slice(0, 10)).toBe(first)
  } finally {
    await server.close()
  }
})
