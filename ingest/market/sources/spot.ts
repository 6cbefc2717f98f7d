import { z } from 'zod'
import { dayAt, millisecondsPerDay } from '#root/days.ts'
import { tables } from '../observations.ts'
import { series } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { dailyBar, decimal, seconds } from '../wire.ts'

const coindeskDays = z.object({
  Data: z.array(
    z.object({
      TIMESTAMP: seconds,
      OPEN: decimal,
      HIGH: decimal,
      LOW: decimal,
      CLOSE: decimal,
      VOLUME: decimal,
      QUOTE_VOLUME: decimal,
    }),
  ),
})

/** The CADLI index: the oldest true bars, and the only source here that knows the volume of the whole market. */
export const coindesk: MarketSource = {
  id: 'coindesk',
  name: 'CoinDesk Data (CADLI index)',
  baseUrl: 'https://data-api.coindesk.com',
  requestsPerMinute: 60,
  series: [
    series({
      table: tables.prices,
      identity: {},
      startsAt: Date.UTC(2010, 6, 17),
      every: millisecondsPerDay,
      window: 1_900 * millisecondsPerDay,
      fetch: async (http, from, to) => {
        const index = { market: 'cadli', instrument: 'BTC-USD', aggregate: 1, fill: 'false' }
        const form = { apply_mapping: 'true', response_format: 'JSON' }
        const query = { ...index, ...form, limit: (to - from) / millisecondsPerDay, to_ts: to / 1_000 - 1 }
        const { Data } = await http.json(coindeskDays, '/index/cc/v1/historical/days', query)
        return Data.flatMap((row) =>
          dailyBar({
            date: dayAt(row.TIMESTAMP),
            open: row.OPEN,
            high: row.HIGH,
            low: row.LOW,
            close: row.CLOSE,
            volume_btc: row.VOLUME,
            volume_usd: row.QUOTE_VOLUME,
          }),
        )
      },
    }),
  ],
}

const bitstampDays = z.object({
  data: z.object({
    ohlc: z.array(
      z.object({ timestamp: seconds, open: decimal, high: decimal, low: decimal, close: decimal, volume: decimal }),
    ),
  }),
})

export const bitstamp: MarketSource = {
  id: 'bitstamp',
  name: 'Bitstamp',
  baseUrl: 'https://www.bitstamp.net',
  requestsPerMinute: 120,
  series: [
    series({
      table: tables.prices,
      identity: {},
      startsAt: Date.UTC(2011, 7, 18),
      every: millisecondsPerDay,
      window: 900 * millisecondsPerDay,
      limit: 1_000,
      fetch: async (http, from, to) => {
        const stretch = { start: from / 1_000, end: to / 1_000 - 1, limit: 1_000 }
        const query = { step: 86_400, ...stretch, exclude_current_candle: 'true' }
        const { data } = await http.json(bitstampDays, '/api/v2/ohlc/btcusd/', query)
        return data.ohlc.flatMap(({ timestamp, volume, ...bar }) =>
          dailyBar({ date: dayAt(timestamp), ...bar, volume_btc: volume, volume_usd: null }),
        )
      },
    }),
  ],
}

/** Time, low, high, open, close, volume; newest first. */
const coinbaseDays = z.array(z.tuple([seconds, decimal, decimal, decimal, decimal, decimal]).rest(z.unknown()))

export const coinbase: MarketSource = {
  id: 'coinbase',
  name: 'Coinbase Exchange',
  baseUrl: 'https://api.exchange.coinbase.com',
  requestsPerMinute: 180,
  series: [
    series({
      table: tables.prices,
      identity: {},
      startsAt: Date.UTC(2015, 6, 20),
      every: millisecondsPerDay,
      window: 290 * millisecondsPerDay,
      limit: 300,
      fetch: async (http, from, to) => {
        const stretch = { start: new Date(from).toISOString(), end: new Date(to - 1_000).toISOString() }
        const rows = await http.json(coinbaseDays, '/products/BTC-USD/candles', { granularity: 86_400, ...stretch })
        return rows.flatMap(([time, low, high, open, close, volume]) =>
          dailyBar({ date: dayAt(time), open, high, low, close, volume_btc: volume, volume_usd: null }),
        )
      },
    }),
  ],
}
