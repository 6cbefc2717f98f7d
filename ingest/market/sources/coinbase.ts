import { z } from 'zod'
import { barSeries } from '../bars.ts'
import type { MarketSource } from '../source.ts'
import { decimal, seconds } from '../wire.ts'

/** Time, low, high, open, close, volume; newest first. Hours without trade are missing. */
const candles = z.array(z.tuple([seconds, decimal, decimal, decimal, decimal, decimal]).rest(z.unknown()))

export const coinbase: MarketSource = {
  id: 'coinbase',
  name: 'Coinbase Exchange',
  baseUrl: 'https://api.exchange.coinbase.com',
  requestsPerMinute: 180,
  series: barSeries({
    startsAt: Date.UTC(2015, 6, 20),
    barsPerAnswer: 290,
    fetch: async (http, step, from, to) => {
      const stretch = { start: new Date(from).toISOString(), end: new Date(to - 1_000).toISOString() }
      const rows = await http.json(candles, '/products/BTC-USD/candles', { granularity: step / 1_000, ...stretch })
      return rows.map(([time, low, high, open, close, volume]) => {
        return { time, open, high, low, close, volume_btc: volume, volume_usd: null }
      })
    },
  }),
}
