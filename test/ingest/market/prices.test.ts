import { expect, test } from 'vitest'
import { composePrices } from '#ingest/market/prices.ts'

const unixDay = (date: string) => Date.parse(date) / 86_400_000
const bar = (source: string, date: string, close: number, volume_usd: number | null = null) => {
  return { source, date: unixDay(date), open: close, high: close, low: close, close, volume_btc: 1, volume_usd }
}

test.each([
  ['2011-08-17', 'coindesk'],
  ['2011-08-18', 'bitstamp'],
  ['2015-07-19', 'bitstamp'],
  ['2015-07-20', 'coinbase'],
])('on %s the price is that of %s', (date, source) => {
  const closes: Record<string, number> = { coindesk: 100, bitstamp: 101, coinbase: 102 }
  const prices = composePrices(Object.entries(closes).map(([name, close]) => bar(name, date, close)))
  expect(prices).toMatchObject({ source, close: Float64Array.of(closes[source]!) })
})

test('a day that the first source lacks is taken from the next', () => {
  const prices = composePrices([bar('coinbase', '2020-01-01', 10), bar('bitstamp', '2020-01-02', 11)])
  expect(prices).toMatchObject({ close: Float64Array.of(10, 11), source: 'bitstamp, coinbase', rejectedDays: [] })
})

test('a day whose first two sources differ by more than 3 % is left out and reported, from 2014 on', () => {
  const rows = (date: string) => [bar('bitstamp', date, 104), bar('coindesk', date, 100)]
  const prices = composePrices([...rows('2013-12-31'), ...rows('2014-01-01'), bar('bitstamp', '2014-01-02', 5)])
  expect(prices?.close).toEqual(Float64Array.of(104, Number.NaN, 5))
  expect(prices?.rejectedDays).toEqual([{ day: unixDay('2014-01-01'), closes: { bitstamp: 104, coindesk: 100 } }])
})

test('3 % is still near enough', () => {
  const prices = composePrices([bar('coinbase', '2020-01-01', 102.9), bar('bitstamp', '2020-01-01', 100)])
  expect(prices?.close).toEqual(Float64Array.of(102.9))
})

test("an operator's own file decides where the sources differ", () => {
  const prices = composePrices([
    bar('coinbase', '2020-01-01', 150),
    bar('bitstamp', '2020-01-01', 100),
    bar('import', '2020-01-01', 101),
  ])
  expect(prices).toMatchObject({ close: Float64Array.of(101), source: 'import', rejectedDays: [] })
})

test('volume is that of the market, whichever source gives the price', () => {
  const prices = composePrices([bar('coinbase', '2020-01-01', 100), bar('coindesk', '2020-01-01', 100, 9e9)])
  expect(prices).toMatchObject({ source: 'coinbase', volume: Float64Array.of(9e9) })
})
