import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { fetchSources } from '#ingest/market/fetch.ts'
import { tables } from '#ingest/market/observations.ts'
import { parseHoldingsFile } from '#ingest/market/sources/ishares.ts'
import { marketSources } from '#ingest/market/sources.ts'
import { readObservations } from '#ingest/market/store.ts'
import { dataDir, freshDataFolders, session } from './data-folder.ts'
import { coingeckoVenue, holdingsFile, purchases, sosovalueVenue } from './fake-funds.ts'
import type { Asked, FakeVenue } from './fake-server.ts'
import { now } from './fake-venues.ts'
import { fetchWith, testFunds } from './fund-sources.ts'
import { recordedFunds } from './recorded-funds.ts'

freshDataFolders()
testFunds(['no fault'])

/** The venue, which also writes down the paths that it was asked for. */
const notingPaths = (venue: FakeVenue, paths: string[]): FakeVenue => ({
  ...venue,
  answer: (asked) => {
    paths.push(asked.path)
    return venue.answer(asked)
  },
})

test.each(['Fund Holdings as of,-', 'Fund Holdings as of,"-"\r', '\uFEFF"Fund Holdings as of", "-"'])(
  'a holdings file with the line %j holds nothing, as on holidays',
  (line) => {
    expect(parseHoldingsFile(Buffer.from(`${line}\nShares Outstanding,"-"\n\nTicker,Name\n`))).toEqual([])
  },
)

test('the holdings file is read as it is published', () => {
  const file = [
    'iShares Bitcoin Trust ETF',
    'Fund Holdings as of,"May 13, 2026"',
    'Shares Outstanding,"1,448,200,000.00"',
    '',
    'Ticker,Name,Sector,Asset Class,Market Value,Weight (%),Notional Value,Quantity,Market Currency,Accrual Date',
    '"BTC","BITCOIN","-","Alternative","64,395,006,345.83","100.00","64,395,006,345.83","817,092.85700","BTC","-"',
  ].join('\n')
  expect(parseHoldingsFile(Buffer.from(file))).toMatchObject([
    {
      date: parseDay('2026-05-13'),
      holdings_btc: 817_092.857,
      shares_outstanding: 1_448_200_000,
      aum_usd: 64_395_006_345.83,
    },
  ])
})

test.each([
  ['a web page', '<html><body>Please accept our cookies</body></html>'],
  ['a file without bitcoin', holdingsFile('2026-11-10', 5).replace('"BTC","BITCOIN"', '"ETH","ETHER"')],
  ['a file with another date form', holdingsFile('2026-11-10', 5).replace('Nov 10, 2026', '10/11/2026')],
])('%s instead of the holdings file is an error', (_, file) => {
  expect(() => parseHoldingsFile(Buffer.from(file))).toThrow('something other than the documented holdings file')
})

test('where the limit cuts a run short, the next one goes on with the funds that it did not come to', async () => {
  const tickers: number[] = []
  for (let run = 0; run < 3; run++) {
    await fetchWith('sosovalue', sosovalueVenue(6), 'no fault', undefined, now + run * 3_600_000)
    const rows = await session((connection) => readObservations(connection, dataDir, tables.etf))
    tickers.push(new Set(rows.map(({ ticker }) => ticker)).size)
  }
  expect(tickers).toEqual([6, 12, 13])
})

test('with twenty requests a minute every fund has its premium after three runs, however fast these ask', async () => {
  let minute = 0
  const times: number[] = []
  const refused: number[] = []
  const venue = sosovalueVenue()
  const limited: FakeVenue = {
    ...venue,
    answer: (asked) => {
      if (times.filter((time) => time === minute).length >= 20) {
        refused.push(minute)
        return { status: 429, headers: { 'retry-after': '600' }, body: { code: 429, message: 'limit' } }
      }
      times.push(minute)
      return venue.answer(asked)
    },
  }
  const outcomes: string[] = []
  // Two runs at once, and one when the minute is over.
  for (const [run, at] of [0, 0, 1].entries()) {
    minute = at
    const { outcome } = await fetchWith('sosovalue', limited, 'no fault', undefined, now + run * 3_600_000)
    outcomes.push(outcome)
  }
  expect(outcomes).toEqual(['ok', 'paused', 'ok'])
  expect(refused).toEqual([0])
  const rows = await session((connection) => readObservations(connection, dataDir, tables.etf))
  const premiums = new Map(rows.map(({ ticker, premium }) => [ticker, premium]))
  expect(premiums.size).toBe(13)
  expect([...premiums.values()].every((premium) => premium === -0.0004)).toBe(true)
})

test('at its own pace it never asks SoSoValue for more than twenty a minute', () => {
  expect(marketSources.find(({ id }) => id === 'sosovalue')?.requestsPerMinute).toBeLessThan(20)
})

test('every American fund is asked for once a run', async () => {
  const asked: string[] = []
  const noting = notingPaths(sosovalueVenue(), asked)
  await fetchWith('sosovalue', noting, 'no fault')
  expect(asked).toHaveLength(13)
  expect(new Set(asked).size).toBe(13)
})

test('a purchase that is reported late is stored, too', async () => {
  const early = {
    ...coingeckoVenue,
    answer: (asked: Asked) => {
      const answer = coingeckoVenue.answer(asked)
      return asked.path.includes('/metaplanet/') ? { body: { transactions: purchases.slice(1, 2) } } : answer
    },
  }
  await fetchWith('coingecko', early, 'no fault')
  expect(await fetchWith('coingecko', coingeckoVenue, 'no fault')).toMatchObject({ added: 1, corrected: 0 })
})

test('a source without its key is left out, and says where to get one', async () => {
  const reports = await session((connection) =>
    fetchSources({ connection, dataDir, env: {}, sources: ['sosovalue', 'coingecko'], now }),
  )
  expect(reports).toMatchObject([
    { outcome: 'not_configured', cure: expect.stringContaining('SOURCES_SOSOVALUE_API_KEY') },
    { outcome: 'not_configured', cure: expect.stringContaining('SOURCES_COINGECKO_API_KEY') },
  ])
})

test('a refused key is reported with the setting to check', async () => {
  const refusing = { ...coingeckoVenue, answer: () => ({ status: 401, body: { error: 'no' } }) }
  const report = await fetchWith('coingecko', refusing, 'no fault')
  expect(report).toMatchObject({ outcome: 'failed', cure: expect.stringMatching(/^check SOURCES_COINGECKO_API_KEY: /) })
  expect(JSON.stringify(report)).not.toContain('the-key')
})

const asRecorded = (body: string): FakeVenue => ({
  stream: ({ path }) => path,
  nothing: () => ({ status: 404, body: '' }),
  answer: () => ({ body: Buffer.from(body) }),
})

test.each(recordedFunds)('$source is read as $form', async ({ source, path: recordedPath, body, stored }) => {
  const asked: string[] = []
  expect(await fetchWith(source, notingPaths(asRecorded(body), asked), 'no fault')).toMatchObject({
    outcome: 'ok',
    added: 1,
  })
  expect(asked[0]).toBe(recordedPath)
  const rows = await session((connection) => readObservations(connection, dataDir, tables.etf))
  expect(rows).toMatchObject([{ ...stored, date: parseDay(String(stored.date)), source }])
})

test.each(recordedFunds)(
  '$source: a web page, another unit or a missing fund is an error',
  async ({ source, body }) => {
    const coins = /34,812|93650\.12|38456\.12345678|5912\.40012|17,204|5,731\.2204|10,519\.09657402/
    for (const other of [
      '<html><body>Please accept our cookies</body></html>',
      // Satoshis in place of coins; a smaller index gives as many.
      body.replace(coins, (amount) => (source === '21shares' ? '0.00093' : `${amount.replace(/[.,]/g, '')}00000000`)),
      body
        .replace(/bitcoin/gi, 'ether')
        .replace('46091J101', '0')
        .replace('units', 'unit')
        .replace('data', 'date'),
    ]) {
      const report = await fetchWith(source, asRecorded(other), 'no fault')
      expect(report, other.slice(0, 200)).toMatchObject({ outcome: 'failed', added: 0 })
    }
  },
)
