import { z } from 'zod'
import { barSeries } from '../bars.ts'
import type { MarketSource } from '../source.ts'
import { decimal, seconds } from '../wire.ts'

const candles = z.object({
  data: z.object({
    ohlc: z.array(
      z.object({ timestamp: seconds, open: decimal, high: decimal, low: decimal, close: decimal, volume: decimal }),
    ),
  }),
})

/** Periods without trade repeat the last price, with volume 0. */
export const bitstamp: MarketSource = {
  id: 'bitstamp',
  name: 'Bitstamp',
  baseUrl: 'https://www.bitstamp.net',
  requestsPerMinute: 120,
  series: barSeries({
    startsAt: Date.UTC(2011, 7, 18),
    barsPerAnswer: 900,
    fetch: async (http, step, from, to) => {
      const stretch = { start: from / 1_000, end: Math.floor(to / 1_000) - 1, limit: 1_000 }
      const query = { step: step / 1_000, ...stretch, exclude_current_candle: 'true' }
      const { data } = await http.json(candles, '/api/v2/ohlc/btcusd/', query)
      return data.ohlc.map(({ timestamp, volume, ...bar }) => {
        return { time: timestamp, ...bar, volume_btc: volume, volume_usd: null }
      })
    },
  }),
}
