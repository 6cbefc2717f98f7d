import type { Answer, Asked, FakeVenue } from './fake-server.ts'
import { bad, day, hour, now, number, type Point, within } from './fake-venues.ts'

/** Length of the bars that are asked for, in milliseconds. */
function readStep({ path, query }: Asked): number {
  if (path === '/api/v2/ohlc/btcusd/') return number(query, 'step', 0) * 1_000
  if (path === '/0/public/OHLC') return number(query, 'interval', 1) * 60_000
  if (path === '/api/v3/klines') return query.get('interval') === '1h' ? hour : day
  return path.startsWith('/products/') ? number(query, 'granularity', 0) * 1_000 : day
}

/**
 * All sources of prices at once, told apart by their paths. CoinDesk, with a key: days up to
 * `to_ts`. Bitstamp: ascending. Coinbase: newest first, at most 300. Kraken: the last 720, after
 * `since`. Binance: ascending from `startTime`. Coin Metrics: between two dates. Blockchain.com: a
 * chart from `start` on, where a price stands on the midnight after its day. The running bar is
 * among all but the last two.
 */
export function spotVenue(closes: readonly Point[], hours: readonly Point[] = []): FakeVenue {
  return {
    stream: (asked) => `${asked.path} ${readStep(asked)}`,
    nothing: (asked) => spotAnswer(asked, []),
    answer: (asked) => {
      const { path, query, headers } = asked
      const step = readStep(asked)
      const bars = step === hour ? hours : closes
      if (path === '/index/cc/v1/historical/days') {
        if (headers['x-api-key'] !== 'the-key') return { status: 401, body: { Err: { message: 'API key required' } } }
        const to = number(query, 'to_ts', now / 1_000) * 1_000
        return spotAnswer(asked, within(bars, 0, to).slice(-number(query, 'limit', 30)))
      }
      if (path === '/api/v2/ohlc/btcusd/') {
        const limit = number(query, 'limit', 100)
        if (limit > 1_000) return bad({ code: 'validation-error', errors: [] })
        const [from, to] = [number(query, 'start', 0) * 1_000, number(query, 'end', now / 1_000) * 1_000]
        return spotAnswer(asked, within(bars, from, to).slice(0, limit))
      }
      if (path === '/0/public/OHLC')
        return spotAnswer(asked, within(bars.slice(-720), number(query, 'since', 0) * 1_000 + 1, now))
      if (path === '/api/v3/klines') {
        if (number(query, 'limit', 500) > 1_000) return bad({ code: -1130, msg: 'Illegal parameter limit.' })
        const rows = within(bars, number(query, 'startTime', 0), number(query, 'endTime', now))
        return spotAnswer(asked, rows.slice(0, number(query, 'limit', 500)))
      }
      if (path === '/v4/timeseries/asset-metrics') {
        const [from, to] = [Date.parse(query.get('start_time') ?? ''), Date.parse(query.get('end_time') ?? '')]
        const ended = bars.filter(({ time }) => time + day <= now)
        return spotAnswer(asked, within(ended, from, to).slice(0, number(query, 'page_size', 100)))
      }
      if (path.startsWith('/charts/')) {
        const from = Date.parse(query.get('start') ?? '')
        const to = from + Number.parseInt(query.get('timespan') ?? '', 10) * day
        const stamped = path.endsWith('/market-price')
          ? bars.map(({ time, value }) => ({ time: time + day, value }))
          : bars
        return spotAnswer(asked, within(stamped, from, Math.min(to, now)))
      }
      const [from, to] = [Date.parse(query.get('start') ?? ''), Date.parse(query.get('end') ?? '')]
      if ((to - from) / step > 300) return bad({ message: 'granularity too small for the requested time range' })
      return spotAnswer(asked, within(bars, from, to))
    },
  }
}

/** Opens 1 below the close, moves from 2 below to 3 above it; volume is twice the close. */
function spotAnswer({ path }: Asked, rows: readonly Point[]): Answer {
  const toTexts = (value: number) => {
    return {
      open: `${value - 1}`,
      high: `${value + 3}`,
      low: `${value - 2}`,
      close: `${value}`,
      volume: `${2 * value}`,
    }
  }
  if (path.startsWith('/index/')) {
    const Data = rows.map(({ time, value }) => {
      const bar = { OPEN: value - 1, HIGH: value + 3, LOW: value - 2, CLOSE: value }
      return { UNIT: 'DAY', TIMESTAMP: time / 1_000, ...bar, VOLUME: 2 * value, QUOTE_VOLUME: 2 * value * value }
    })
    return { body: { Data, Err: {} } }
  }
  if (path.startsWith('/api/v2/ohlc/')) {
    const ohlc = rows.map(({ time, value }) => ({ timestamp: String(time / 1_000), ...toTexts(value) }))
    return { body: { data: { pair: 'BTC/USD', ohlc } } }
  }
  if (path === '/0/public/OHLC') {
    const XXBTZUSD = rows.map(({ time, value }) => {
      const { open, high, low, close, volume } = toTexts(value)
      return [time / 1_000, open, high, low, close, close, volume, 7]
    })
    return { body: { error: [], result: { XXBTZUSD, last: (rows.at(-1)?.time ?? 0) / 1_000 } } }
  }
  if (path === '/api/v3/klines')
    return {
      body: rows.map(({ time, value }) => {
        const { open, high, low, close, volume } = toTexts(value)
        return [time, open, high, low, close, volume, time + 1, `${2 * value * value}`, 7, '0', '0', '0']
      }),
    }
  if (path.startsWith('/v4/'))
    return {
      body: {
        data: rows.map(({ time, value }) => {
          return {
            asset: 'btc',
            time: new Date(time).toISOString().replace('000Z', '000000000Z'),
            PriceUSD: String(value),
          }
        }),
      },
    }
  if (path.startsWith('/charts/'))
    return {
      body: {
        status: 'ok',
        unit: 'USD',
        period: 'day',
        values: rows.map(({ time, value }) => ({ x: time / 1_000, y: value })),
      },
    }
  return {
    body: rows.map(({ time, value }) => [time / 1_000, value - 2, value + 3, value - 1, value, 2 * value]).reverse(),
  }
}
