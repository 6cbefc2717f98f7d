import { z } from 'zod'
import { barSeries } from '../bars.ts'
import type { MarketSource } from '../source.ts'
import { decimal, hourMs, milliseconds } from '../wire.ts'

/** Open time, open, high, low, close, volume, close time, volume in USDT, and more. */
const klines = z.array(
  z.tuple([milliseconds, decimal, decimal, decimal, decimal, decimal, milliseconds, decimal]).rest(z.unknown()),
)

/** The largest market, in Tether; the address serves market data only. */
export const binanceSpot: MarketSource = {
  id: 'binance-spot',
  name: 'Binance (BTC/USDT)',
  baseUrl: 'https://data-api.binance.vision',
  requestsPerMinute: 300,
  limitsBy403: true,
  series: barSeries({
    startsAt: Date.UTC(2017, 7, 17),
    barsPerAnswer: 900,
    fetch: async (http, step, from, to) => {
      const stretch = { startTime: from, endTime: to - 1, limit: 1_000 }
      const query = { symbol: 'BTCUSDT', interval: step === hourMs ? '1h' : '1d', ...stretch }
      const rows = await http.json(klines, '/api/v3/klines', query)
      return rows.map(([time, open, high, low, close, volume, , quoted]) => {
        return { time, open, high, low, close, volume_btc: volume, volume_usd: quoted }
      })
    },
  }),
}
