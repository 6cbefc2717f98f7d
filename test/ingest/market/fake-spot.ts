import type { Answer, FakeVenue } from './fake-server.ts'
import { bad, day, now, number, type Point, within } from './fake-venues.ts'

/** CoinDesk: days up to `to_ts`; Bitstamp: ascending; Coinbase: newest first, at most 300. The running day is among all. */
export function spotVenue(closes: readonly Point[]): FakeVenue {
  return {
    stream: ({ path }) => path,
    nothing: ({ path }) => spotAnswer(path, []),
    answer: ({ path, query }) => {
      if (path === '/index/cc/v1/historical/days') {
        const to = number(query, 'to_ts', now / 1_000) * 1_000
        return spotAnswer(path, within(closes, 0, to).slice(-number(query, 'limit', 30)))
      }
      if (path === '/api/v2/ohlc/btcusd/') {
        const limit = number(query, 'limit', 100)
        if (limit > 1_000) return bad({ code: 'validation-error', errors: [] })
        return spotAnswer(
          path,
          within(closes, number(query, 'start', 0) * 1_000, number(query, 'end', now) * 1_000).slice(0, limit),
        )
      }
      const [from, to] = [Date.parse(query.get('start') ?? ''), Date.parse(query.get('end') ?? '')]
      if ((to - from) / day > 300) return bad({ message: 'granularity too small for the requested time range' })
      return spotAnswer(path, within(closes, from, to))
    },
  }
}

/** Opens 1 below the close, moves from 2 below to 3 above it; volume is twice the close. */
function spotAnswer(path: string, rows: Point[]): Answer {
  if (path.startsWith('/index/')) {
    const Data = rows.map(({ time, value }) => {
      const bar = { OPEN: value - 1, HIGH: value + 3, LOW: value - 2, CLOSE: value }
      return { UNIT: 'DAY', TIMESTAMP: time / 1_000, ...bar, VOLUME: 2 * value, QUOTE_VOLUME: 2 * value * value }
    })
    return { body: { Data, Err: {} } }
  }
  if (path.startsWith('/api/v2/ohlc/')) {
    const ohlc = rows.map(({ time, value }) => {
      const bar = { open: `${value - 1}`, high: `${value + 3}`, low: `${value - 2}`, close: `${value}` }
      return { timestamp: String(time / 1_000), ...bar, volume: `${2 * value}` }
    })
    return { body: { data: { pair: 'BTC/USD', ohlc } } }
  }
  return {
    body: rows.map(({ time, value }) => [time / 1_000, value - 2, value + 3, value - 1, value, 2 * value]).reverse(),
  }
}
