import { crc32, deflateRawSync } from 'node:zlib'
import type { Answer, FakeVenue } from './fake-server.ts'

export const hour = 3_600_000
export const day = 24 * hour
/** The instant at which the fake venues live. */
export const now = Date.parse('2026-11-20T10:20:00Z')

export interface Point {
  readonly time: number
  readonly value: number
}

/** Points every `every` milliseconds up to now, with values that differ from point to point. */
export function points(from: string, every: number, unit: number): Point[] {
  const start = Date.parse(from)
  const count = Math.floor((now - start) / every) + 1
  return Array.from({ length: count }, (_, i) => ({ time: start + i * every, value: (1 + ((i * 7) % 23)) * unit }))
}

export const number = (query: URLSearchParams, name: string, otherwise: number): number =>
  query.has(name) ? Number(query.get(name)) : otherwise

export const within = (all: readonly Point[], from: number, to: number): Point[] =>
  all.filter(({ time }) => time >= from && time <= to)

export const bad = (body: unknown): Answer => ({ status: 400, body })

/** Binance: ascending from `startTime`; open interest of the last thirty days only. */
export function binanceVenue(funding: readonly Point[], openInterest: readonly Point[]): FakeVenue {
  return {
    stream: ({ path, query }) => `${path} ${query.get('symbol') ?? query.get('pair')}`,
    nothing: () => ({ body: [] }),
    answer: ({ path, query }) => {
      const [from, to] = [number(query, 'startTime', 0), number(query, 'endTime', now)]
      const limit = number(query, 'limit', 100)
      if (path.endsWith('/fundingRate')) {
        if (limit > 1_000) return bad({ code: -1130, msg: 'Data sent for parameter limit is not valid.' })
        const rows = within(funding, from, to).slice(0, limit)
        return {
          body: rows.map(({ time, value }) => ({ symbol: 'BTCUSDT', fundingTime: time, fundingRate: String(value) })),
        }
      }
      if (path === '/futures/data/openInterestHist') {
        if (from < now - 30 * day || limit > 500) return bad({ code: -1130, msg: "parameter 'startTime' is invalid." })
        const rows = within(openInterest, from, to).slice(0, limit)
        return {
          body: rows.map(({ time, value }) => ({
            sumOpenInterest: `${value}`,
            sumOpenInterestValue: '1',
            timestamp: time,
          })),
        }
      }
      return { body: { openInterest: String(openInterest.at(-1)?.value), symbol: 'X', time: now } }
    },
  }
}

/** Bybit: newest first, at most 200, and a start alone is an error. */
export function bybitVenue(funding: readonly Point[], openInterest: readonly Point[]): FakeVenue {
  const envelope = (list: unknown[]): Answer => ({ body: { retCode: 0, retMsg: 'OK', result: { list }, time: now } })
  return {
    stream: ({ path, query }) => `${path} ${query.get('symbol')}`,
    nothing: () => envelope([]),
    answer: ({ path, query }) => {
      if (path === '/v5/market/tickers')
        return envelope([{ openInterest: '120', singleOpenInterest: '60', openInterestValue: '1' }])
      if (query.has('startTime') && !query.has('endTime'))
        return { body: { retCode: 10_001, retMsg: 'params error', result: {} } }
      const [from, to] = [number(query, 'startTime', 0), number(query, 'endTime', now)]
      const limit = Math.min(200, number(query, 'limit', 50))
      const newest = (all: readonly Point[]) => within(all, from, to).reverse().slice(0, limit)
      if (path === '/v5/market/funding/history')
        return envelope(
          newest(funding).map(({ time, value }) => ({ fundingRate: `${value}`, fundingRateTimestamp: `${time}` })),
        )
      return envelope(
        newest(openInterest).map(({ time, value }) => ({ openInterest: `${2 * value}`, timestamp: `${time}` })),
      )
    },
  }
}

/**
 * OKX: newest first, a hundred at a time, older than `after`; daily bars named by their opening.
 */
export function okxVenue(funding: readonly Point[], openInterest: readonly Point[]): FakeVenue {
  const envelope = (data: unknown[]): Answer => ({ body: { code: '0', msg: '', data } })
  return {
    stream: ({ path, query }) => `${path} ${query.get('instId')}`,
    nothing: () => envelope([]),
    answer: ({ path, query }) => {
      const limit = Math.min(100, number(query, 'limit', 100))
      if (path === '/api/v5/public/funding-rate-history') {
        const rows = within(funding, now - 92 * day, number(query, 'after', now + 1) - 1)
        return envelope(
          rows
            .reverse()
            .slice(0, limit)
            .map(({ time, value }) => {
              return { fundingTime: `${time}`, fundingRate: '9', realizedRate: `${value}` }
            }),
        )
      }
      if (path === '/api/v5/public/open-interest')
        return envelope([{ oi: '70', oiCcy: '0.7', oiUsd: '7000', ts: String(now) }])
      if (query.get('period') !== '1Dutc') return { body: { code: '51000', msg: 'Parameter period error', data: [] } }
      // The running bar is among them.
      const opened = openInterest
        .map(({ time, value }) => ({ time: time - day, value }))
        .concat({ time: now - (now % day), value: 5 })
      const rows = within(opened, number(query, 'begin', 0) + 1, number(query, 'end', now + 1) - 1)
      return envelope(
        rows
          .reverse()
          .slice(0, limit)
          .map(({ time, value }) => [`${time}`, `${value * 100}`, `${value}`, `${value}`]),
      )
    },
  }
}

/** Bitget: numbered pages of a hundred, newest first, and no history of open interest. */
export function bitgetVenue(funding: readonly Point[]): FakeVenue {
  const envelope = (data: unknown): Answer => ({ body: { code: '00000', msg: 'success', data } })
  return {
    stream: ({ path, query }) => `${path} ${query.get('symbol')}`,
    nothing: () => envelope([]),
    answer: ({ path, query }) => {
      if (path === '/api/v2/mix/market/open-interest')
        return envelope({ openInterestList: [{ symbol: 'X', size: '345.5' }], ts: `${now}` })
      const size = Math.min(100, number(query, 'pageSize', 20))
      const start = (number(query, 'pageNo', 1) - 1) * size
      const rows = [...funding].reverse().slice(start, start + size)
      return envelope(rows.map(({ time, value }) => ({ fundingRate: `${value}`, fundingTime: `${time}` })))
    },
  }
}

/** Gate: seconds; funding newest first; statistics from a start on, the running day among them. */
export function gateVenue(funding: readonly Point[], openInterest: readonly Point[]): FakeVenue {
  return {
    stream: ({ path }) => path,
    nothing: () => ({ body: [] }),
    answer: ({ path, query }) => {
      const limit = number(query, 'limit', 100)
      if (path.endsWith('/tickers')) return { body: [{ contract: 'X', total_size: '500000', mark_price: '1' }] }
      const [from, to] = [number(query, 'from', 0) * 1_000, number(query, 'to', now / 1_000) * 1_000]
      if (path.endsWith('/funding_rate')) {
        if (limit > 1_000) return bad({ label: 'INVALID_PARAM_VALUE', message: 'limit' })
        const rows = within(funding, from, to).reverse().slice(0, limit)
        return { body: rows.map(({ time, value }) => ({ t: time / 1_000, r: String(value) })) }
      }
      if (limit > 100 || query.get('interval') !== '1d') return bad({ label: 'INVALID_PARAM_VALUE', message: 'limit' })
      const opened = openInterest
        .map(({ time, value }) => ({ time: time - day, value }))
        .concat({ time: now - (now % day), value: 5 })
      const rows = within(opened, from, now).slice(0, limit)
      return {
        body: rows.map(({ time, value }) => ({
          time: time / 1_000,
          open_interest: String(value),
          open_interest_usd: 1,
        })),
      }
    },
  }
}

/** Deribit: hourly, at most 744 hours a request. */
export function deribitVenue(funding: readonly Point[]): FakeVenue {
  return {
    stream: ({ path, query }) => `${path} ${query.get('instrument_name')}`,
    nothing: () => ({ body: { jsonrpc: '2.0', result: [] } }),
    answer: ({ path, query }) => {
      if (path === '/api/v2/public/get_book_summary_by_instrument')
        return { body: { jsonrpc: '2.0', result: [{ open_interest: 800, creation_timestamp: now }] } }
      const [from, to] = [number(query, 'start_timestamp', 0), number(query, 'end_timestamp', now)]
      if (to - from > 744 * hour) return bad({ error: { code: -32_602, message: 'Too wide time range' } })
      const rows = within(funding, from, to)
      return {
        body: {
          result: rows.map(({ time, value }) => ({ timestamp: time, interest_1h: value, interest_8h: 8 * value })),
        },
      }
    },
  }
}

/** Hyperliquid: POST, hourly, ascending, at most 500; times some milliseconds after the hour. */
export function hyperliquidVenue(funding: readonly Point[]): FakeVenue {
  return {
    stream: ({ body }) => String(body.type),
    nothing: () => ({ body: [] }),
    answer: ({ body }) => {
      if (body.type === 'metaAndAssetCtxs')
        return {
          body: [{ universe: [{ name: 'ETH' }, { name: 'BTC' }] }, [{ openInterest: '1' }, { openInterest: '31.5' }]],
        }
      const rows = within(funding, Number(body.startTime), Number(body.endTime ?? now)).slice(0, 500)
      return { body: rows.map(({ time, value }) => ({ coin: 'BTC', fundingRate: `${value}`, premium: '0', time })) }
    },
  }
}

/** The only file of an archive, deflated. */
export function zipped(name: string, content: string): Buffer {
  const data = Buffer.from(content)
  const packed = deflateRawSync(data)
  const sizes = Buffer.alloc(12)
  sizes.writeUInt32LE(crc32(data), 0)
  sizes.writeUInt32LE(packed.length, 4)
  sizes.writeUInt32LE(data.length, 8)
  const u16 = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer)
  const u32 = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer)
  const local = Buffer.concat([
    u32(0x04034b50),
    u16(20, 0, 8, 0, 0),
    sizes,
    u16(name.length, 0),
    Buffer.from(name),
    packed,
  ])
  const entry = Buffer.concat([
    u32(0x02014b50),
    u16(20, 20, 0, 8, 0, 0),
    sizes,
    u16(name.length, 0, 0, 0, 0),
    u32(0, 0),
    Buffer.from(name),
  ])
  const end = Buffer.concat([u32(0x06054b50), u16(0, 0, 1, 1), u32(entry.length, local.length), u16(0)])
  return Buffer.concat([local, entry, end])
}

/**
 * The archive: one file a day of five-minute samples, every row twice, as the early files have it.
 */
export function archiveVenue(openInterest: readonly Point[]): FakeVenue {
  const missing = { status: 404, body: Buffer.from('<Error><Code>NoSuchKey</Code></Error>') }
  return {
    stream: () => 'files',
    nothing: () => missing,
    answer: ({ path }) => {
      const date = /BTCUSDT-metrics-(\d{4}-\d\d-\d\d)\.zip$/.exec(path)?.[1]
      const opening = Date.parse(`${date}T00:00Z`)
      const rows = openInterest.filter(({ time }) => time > opening && time <= opening + day)
      if (rows.length === 0) return missing
      const lines = rows.flatMap(({ time, value }) => {
        const line = `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')},BTCUSDT,${value},1,1,1,1,1`
        return [line, line]
      })
      const header =
        'create_time,symbol,sum_open_interest,sum_open_interest_value,count_toptrader_long_short_ratio,' +
        'sum_toptrader_long_short_ratio,count_long_short_ratio,sum_taker_long_short_vol_ratio'
      return { body: zipped('metrics.csv', [header, ...lines].join('\n')) }
    },
  }
}

/** Every venue of futures, with those settlements and daily open interest; two settle hourly. */
export const futuresVenues = (
  funding: readonly Point[],
  openInterest: readonly Point[],
  hourlyFunding: readonly Point[],
) => ({
  binance: binanceVenue(funding, openInterest),
  'binance-coin': binanceVenue(funding, openInterest),
  bybit: bybitVenue(funding, openInterest),
  okx: okxVenue(funding, openInterest),
  bitget: bitgetVenue(funding),
  gate: gateVenue(funding, openInterest),
  deribit: deribitVenue(hourlyFunding),
  hyperliquid: hyperliquidVenue(hourlyFunding),
})
