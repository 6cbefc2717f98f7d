import { z } from 'zod'
import { barSeries } from '../bars.ts'
import type { MarketSource } from '../source.ts'
import { decimal, seconds } from '../wire.ts'

/** Time, open, high, low, close, volume-weighted mean, volume, trades. */
const candle = z.tuple([seconds, decimal, decimal, decimal, decimal, decimal, decimal]).rest(z.unknown())
const candles = z.object({ result: z.object({ XXBTZUSD: z.array(candle) }) })

const failure = z.object({ error: z.array(z.string()).nonempty() })

/** Keeps 720 bars of each length. */
export const kraken: MarketSource = {
  id: 'kraken',
  name: 'Kraken',
  baseUrl: 'https://api.kraken.com',
  requestsPerMinute: 30,
  refusal: (body) => {
    const parsed = failure.safeParse(body)
    if (!parsed.success) return undefined
    const message = parsed.data.error.join(', ')
    return { message, retry: /Rate limit|Too many|Unavailable|Busy/i.test(message) }
  },
  series: barSeries({
    startsAt: Date.UTC(2013, 9, 6),
    maxBars: 720,
    fetch: async (http, step, from) => {
      // The response excludes the bar at `since`.
      const query = { pair: 'XBTUSD', interval: step / 60_000, since: Math.floor(from / 1_000) - 1 }
      const { result } = await http.json(candles, '/0/public/OHLC', query)
      return result.XXBTZUSD.map(([time, open, high, low, close, mean, volume]) => {
        return { time, open, high, low, close, volume_btc: volume, volume_usd: volume * mean }
      })
    },
  }),
}
